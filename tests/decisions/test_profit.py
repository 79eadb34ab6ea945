"""Profit, cost-benefit analysis and report: against the metric, brute force, closed forms and known truth."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant.metrics
from calibrant.calibration import Platt
from calibrant.curves import profit_curve, threshold_table
from calibrant.decisions import CostMatrix, ExampleCosts, cost_benefit, decision_report, profit
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.decisions._money import IntervalOptions, largest_loss
from calibrant.exceptions import CalibrantError, ParameterError

SEEDS = st.integers(0, 2**32 - 1)
MAIL = CostMatrix.from_benefits([[0, -1], [0, 9]], labels=[0, 1], actions=["leave", "mail"])


def random_rows(seed, n=60):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(1, 4, n), 2)
    return np.append([0, 1], (rng.random(n - 2) < p[2:]).astype(int)), p, rng.integers(1, 4, n), rng.gamma(2, 5, n)


@given(SEEDS)
def test_profit_by_row_is_that_of_the_metric(seed):
    y, p, weight, gift = random_rows(seed)
    costs = ExampleCosts(cost=0.68, benefit=8.0)
    ours = profit(y, p, costs, amount=gift, sample_weight=weight, confidence=None).total.value
    theirs = calibrant.metrics.profit(y, p, amount=gift, cost=0.68, estimated_amount=8.0, sample_weight=weight)
    assert ours == pytest.approx(theirs, abs=1e-9)


@given(SEEDS)
def test_profit_by_a_matrix_is_the_cost_of_the_metric(seed):
    rng = np.random.default_rng(seed)
    y, proba, matrix = np.append([0, 1, 2], rng.integers(0, 3, 30)), rng.dirichlet(np.ones(3), 33), rng.random((3, 3))
    ours = profit(y, proba, matrix, confidence=None)
    assert ours.mean == pytest.approx(-calibrant.metrics.cost(y, proba, matrix=matrix, decide="cheapest"))
    for action in range(3):
        assert ours.everybody[action].value == pytest.approx(-matrix[y, action].sum())


def test_classes_may_be_in_any_order_and_of_any_name():
    y, p = np.array(["yes", "no", "no", "yes"]), np.array([0.9, 0.2, 0.6, 0.3])
    costs = CostMatrix([[-5, 0], [1, 0]], labels=["yes", "no"], actions=["mail", "leave"])
    want = profit(y, p, costs, confidence=None).total.value
    assert profit(y, np.column_stack([p, 1 - p]), costs, labels=["yes", "no"], confidence=None).total.value == want
    assert profit(y, 1 - p, costs, pos_label="no", confidence=None).total.value == want
    by_table = [[0, 1], [0, -5]]
    assert profit(y, p, by_table, confidence=None).total.value == want


def test_a_weight_of_2_is_the_row_twice_also_in_the_interval():
    y, p, weight, _ = random_rows(1, 200)
    one = profit(y, p, MAIL, sample_weight=weight)
    two = profit(np.repeat(y, weight), np.repeat(p, weight), MAIL)
    assert one.total.value == pytest.approx(two.total.value)
    assert one.total.low == pytest.approx(two.total.low, rel=0.25)
    assert one.total.high == pytest.approx(two.total.high, rel=0.25)


def test_the_interval_of_a_total_is_about_that_of_the_mean():
    """Against the normal approximation, which holds for 20,000 rows."""
    y, p, _, gift = random_rows(2, 20_000)
    earned = profit(y, p, ExampleCosts(0.68, 8.0), amount=gift, n_boot=500)
    value = np.where(p * 8 > 0.68, np.where(y == 1, gift, 0) - 0.68, 0.0)
    half = 1.96 * value.std() * np.sqrt(len(value))
    assert earned.total.high - earned.total.low == pytest.approx(2 * half, rel=0.1)
    assert (earned.total.low + earned.total.high) / 2 == pytest.approx(value.sum(), abs=0.2 * half)


def test_case_control_weights_have_intervals_within_the_classes():
    """A tenth of the negatives represents all of them; weights are not copies, so the interval is wider."""
    rng = np.random.default_rng(3)
    p = rng.beta(1, 9, 20_000)
    y = (rng.random(20_000) < p).astype(int)
    kept = (y == 1) | (rng.random(20_000) < 0.1)
    weight = np.where(y == 1, 1.0, (y == 0).sum() / (kept & (y == 0)).sum())[kept]
    whole, sample = profit(y, p, MAIL), profit(y[kept], p[kept], MAIL, sample_weight=weight, weight_kind="probability")
    assert sample.total.low < whole.total.value < sample.total.high
    copies = profit(y[kept], p[kept], MAIL, sample_weight=weight)
    width = [money.total.high - money.total.low for money in (sample, copies)]
    value = np.where(p * 10 > 1, np.where(y == 1, 9.0, -1.0), 0.0)[kept]
    spread = [(weight[y[kept] == k] * value[y[kept] == k]).std() * np.sqrt((y[kept] == k).sum()) for k in (0, 1)]
    assert width[0] == pytest.approx(2 * 1.96 * np.hypot(*spread), rel=0.15)


def test_the_cost_of_the_model_is_deducted_from_the_model_only():
    y, p, _, _ = random_rows(4, 300)
    free, paid = profit(y, p, MAIL), profit(y, p, MAIL, fixed_cost=100, row_cost=0.5)
    assert free.total.value - paid.total.value == pytest.approx(250)
    assert paid.everybody == free.everybody
    assert paid.gain.value == pytest.approx(paid.total.value - max(money.value for money in paid.everybody.values()))
    assert paid.pays is False
    assert "less than" in repr(paid)


@given(SEEDS)
def test_cost_benefit_equals_brute_force_at_every_threshold(seed):
    y, p, weight, _ = random_rows(seed)
    analysis = cost_benefit(y, p, [[0.5, 2], [1, -7]], sample_weight=weight)
    for threshold, benefit, random, fraction in zip(
        analysis.threshold, analysis.benefit, analysis.random, analysis.fraction, strict=True
    ):
        value = np.where(p >= threshold, np.where(y == 1, 7.0, -2.0), np.where(y == 1, -1.0, -0.5))
        single = [np.where(y == 1, -1.0, -0.5), np.where(y == 1, 7.0, -2.0)]
        assert benefit == pytest.approx((weight * value).sum())
        at_random = (1 - fraction) * (weight * single[0]).sum() + fraction * (weight * single[1]).sum()
        assert random == pytest.approx(at_random)
    assert analysis.best.benefit == pytest.approx(analysis.benefit.max())


@given(SEEDS)
def test_cost_benefit_has_the_counts_of_the_table_and_the_profit_of_the_curve(seed):
    y, p, _, gift = random_rows(seed)
    table = threshold_table(y, p)
    analysis = cost_benefit(y, p, [[0, 1], [0, -9]])
    np.testing.assert_allclose(
        [analysis.tp, analysis.fp, analysis.fn, analysis.tn], [table.tp, table.fp, table.fn, table.tn]
    )
    np.testing.assert_allclose(analysis.benefit, profit_curve(y, p, amount=10, cost=1).profit, atol=1e-9)
    by_row = cost_benefit(y, p, ExampleCosts(1.0, gift), amount=gift)
    curve = profit_curve(y, p, amount=gift, cost=1.0, estimated_amount=gift)
    np.testing.assert_allclose(by_row.benefit, curve.profit, atol=1e-9)
    np.testing.assert_allclose(by_row.threshold, curve.threshold, atol=1e-12)


def test_tied_rows_are_partly_selected_in_expectation_and_recall_takes_the_fewest():
    analysis = cost_benefit([1, 1, 0, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1], [[0, 1], [0, -6]])
    half = analysis.at(fraction=0.4)
    assert (half.tp, half.fp) == pytest.approx((4 / 3, 2 / 3))
    assert half.benefit == pytest.approx(6 * 4 / 3 - 2 / 3)
    assert analysis.at(recall=0.5).fraction == pytest.approx(0.2)
    assert analysis.at(recall=1.0).fraction == pytest.approx(0.8)
    assert analysis.at(threshold=0.95).selected == 0
    assert analysis.to_frame()["gain"].iloc[-1] == pytest.approx(0)


def test_the_parts_of_the_report_add_up():
    y, p, weight, gift = random_rows(5, 500)
    report = decision_report(
        y, np.sqrt(p), ExampleCosts(0.68, 8.0), amount=gift, sample_weight=weight, fixed_cost=7, row_cost=0.01
    )
    now, lost = report.now.total.value, report.miscalibration.value
    assert report.everybody.value + report.ranking.value - lost == pytest.approx(now)
    assert now + lost + report.unknown.value == pytest.approx(report.perfect.value)
    assert report.unknown.value >= 0
    known = (weight * np.where(y == 1, np.maximum(gift - 0.68, 0), 0)).sum()
    assert report.perfect.value == pytest.approx(known - report.now.model_cost)


@pytest.mark.long
def test_the_report_finds_the_loss_of_distorted_probabilities_and_none_of_calibrated_ones():
    """The loss of the square root is known: rows from 0.01 to 0.1 are approached, each at a loss of 1 - 10 p."""
    rng = np.random.default_rng(6)
    p = rng.beta(1, 9, 40_000)
    y = (rng.random(40_000) < p).astype(int)
    true = (1 - 10 * p)[(np.sqrt(p) > 0.1) & (p < 0.1)].sum()
    bad, good = (decision_report(y, proba, MAIL) for proba in (np.sqrt(p), p))
    assert bad.miscalibration.low < true < bad.miscalibration.high * 1.1
    assert bad.miscalibration.low > 0
    assert good.miscalibration.low < 0.02 * abs(good.now.total.value)
    assert bad.recalibrated == pytest.approx(good.now.total.value, rel=0.05)
    assert "lost by miscalibration" in repr(bad)


def test_the_report_accepts_any_number_of_classes():
    rng = np.random.default_rng(7)
    proba = rng.dirichlet(np.ones(3), 1500)
    y = np.array([rng.choice(3, p=row) for row in proba])
    sharp = proba**3 / (proba**3).sum(axis=1, keepdims=True)
    costs = [[0, 1, 9], [2, 0, 1], [1, 4, 0]]
    report = decision_report(y, sharp, costs, calibrator="temperature", n_boot=200)
    assert report.miscalibration.value > 0
    assert report.perfect.value == pytest.approx(0)


class RecordingPlatt(Platt):
    """Keeps the rows that it is fitted to, of all its clones."""

    seen: ClassVar[list[dict[str, object]]] = []

    def fit(self, scores, y, sample_weight=None, **options):
        self.seen.append({"sample_weight": sample_weight, **options})
        return super().fit(scores, y, sample_weight, **options)


def test_the_report_passes_weights_and_groups_on_to_the_calibrator():
    y, p, weight, _ = random_rows(8, 200)
    groups = np.arange(200) // 4
    RecordingPlatt.seen.clear()
    options = {"sample_weight": weight, "weight_kind": "probability", "groups": groups, "n_boot": 50}
    decision_report(y, p, MAIL, calibrator=RecordingPlatt(), **options)
    assert len(RecordingPlatt.seen) == 5
    for seen in RecordingPlatt.seen:
        assert len(seen["groups"]) == len(seen["sample_weight"]) < 200
        assert seen["weight_kind"] == "probability"
    held_out = [set(groups) - set(seen["groups"]) for seen in RecordingPlatt.seen]
    assert set.union(*held_out) == set(groups)
    assert sum(map(len, held_out)) == 50


def test_the_bound_of_the_loss_follows_the_kind_of_weights():
    y, p, weight, _ = random_rows(9, 400)
    costed = [
        CostedPredictions.read(y, p, MAIL, sample_weight=weight),
        CostedPredictions.read(np.repeat(y, weight), np.repeat(p, weight), MAIL),
        CostedPredictions.read(y, p, MAIL, sample_weight=3.0 * weight),
    ]
    once, copied, _ = (largest_loss(each, IntervalOptions()) for each in costed)
    assert once == pytest.approx(copied, rel=0.2)
    one, _, thrice = (largest_loss(each, IntervalOptions("probability")) for each in costed)
    assert thrice == pytest.approx(3 * one, rel=0.02)
    assert one > once  # 400 rows that stand for 800 are fewer than 800
    grouped = largest_loss(costed[1], IntervalOptions(groups=np.repeat(np.arange(400), weight)))
    assert grouped == pytest.approx(one, rel=0.2)


def test_a_loss_is_bounded_for_costs_by_row_and_for_three_classes():
    rng = np.random.default_rng(10)
    y, p, _, gift = random_rows(10, 400)
    by_row = decision_report(y, p, ExampleCosts(1.0, gift), calibrator="platt", n_boot=100).miscalibration
    proba = rng.dirichlet(np.ones(3), 400)
    label = (rng.random((400, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    costs = [[0, 1, 9], [2, 0, 1], [1, 4, 0]]
    three = decision_report(label, proba, costs, calibrator="temperature", n_boot=100).miscalibration
    assert by_row.low <= 0 < by_row.high
    assert three.low <= 0 < three.high
    positive = decision_report(label, proba, ExampleCosts(1, 3), pos_label=1, calibrator="temperature", n_boot=100)
    assert positive.miscalibration.high > 0


@pytest.mark.filterwarnings("ignore:all scores are equal")
def test_certain_and_constant_probabilities_have_a_bound():
    y = np.array([0, 1] * 40)
    for p in (y.astype(float), np.full(80, 0.5), np.clip(1.0 - y, 0.0, 1.0)):
        lost = decision_report(y, p, [[0, 1], [3, 0]], calibrator="vector_scaling", n_boot=50).miscalibration
        assert np.isfinite([lost.low, lost.value, lost.high]).all()
    assert lost.low > 0  # all labels predicted with certainty, and wrongly


@pytest.mark.parametrize(
    "call",
    [
        lambda: profit([0, 1], [0.2, 0.8], MAIL, amount=[1, 2]),
        lambda: profit([0, 1], [0.2, 0.8], MAIL, confidence=2),
        lambda: profit([0, 1], [0.2, 0.8], MAIL, fixed_cost=-1),
        lambda: profit([0, 1], [0.2, 0.8], ExampleCosts(1, [1, 2, 3])),
        lambda: profit([0, 1], [0.2, 0.8], [[0, 1, 2], [1, 2, 3], [1, 2, 3]]),
        lambda: cost_benefit([0, 1], [0.2, 0.8], MAIL.with_action("ask", 1)),
        lambda: cost_benefit([0, 1], [0.2, 0.8], MAIL).at(fraction=0.5, recall=0.5),
        lambda: cost_benefit([0, 1], [0.2, 0.8], MAIL).at(recall=2),
        lambda: decision_report([0, 1], [0.2, 0.8], MAIL),
    ],
)
def test_invalid_arguments_raise(call):
    with pytest.raises(CalibrantError):
        call()


def test_three_classes_need_a_positive_one_for_costs_by_row():
    proba = np.full((3, 3), 1 / 3)
    with pytest.raises(ParameterError, match="pass pos_label="):
        profit([0, 1, 2], proba, ExampleCosts(1, 9))
    assert profit([0, 1, 2], proba, ExampleCosts(1, 9), pos_label=1, confidence=None).total.value == 6


def test_the_profit_of_very_many_rows_does_not_draw_single_rows(monkeypatch):
    """Of 60,000 rows the kinds (class, decision) are drawn; the interval is the normal one to its own error."""
    from calibrant.metrics._intervals import bootstrap_plan

    monkeypatch.setattr(bootstrap_plan, "replicate", None)
    random = np.random.default_rng(0)
    p = random.beta(1, 9, 60_000)
    y = random.random(60_000) < p
    total = profit(y, p, [[0, 1], [0, -9]]).total
    earned = np.where(y, 9.0, -1.0) * (p > 0.1)
    width = 1.96 * earned.std() * np.sqrt(60_000)
    assert total.value == pytest.approx(earned.sum())
    assert (total.low, total.high) == pytest.approx((total.value - width, total.value + width), abs=0.1 * width)


@pytest.mark.parametrize("weight", [None, np.arange(300) % 3 + 1.0])
def test_maps_of_two_classes_are_fitted_as_those_of_more(weight):
    """Logistic regression on both logarithms has the optimum and the Hessian of the multinomial one."""
    from calibrant.decisions._money import _fit_several, _fit_two
    from calibrant.metrics._internal import read_predictions

    random = np.random.default_rng(0)
    p = random.beta(1, 3, 300)
    read = read_predictions(random.random(300) < p, p**1.5, weight)
    logs = np.log(np.maximum(read.proba, 1e-4))
    for two, several in zip(_fit_two(logs, read), _fit_several(logs, read), strict=True):
        np.testing.assert_allclose(two, several, rtol=1e-7, atol=1e-7)


def test_the_report_of_two_classes_is_that_by_multinomial_maps(monkeypatch):
    from calibrant.decisions import _money

    random = np.random.default_rng(0)
    p = random.beta(1, 3, 500)
    y = random.random(500) < p
    found = decision_report(y, p**2, [[0, 1], [4, 0]], n_boot=100)
    monkeypatch.setattr(_money, "_fit_two", _money._fit_several)
    assert repr(decision_report(y, p**2, [[0, 1], [4, 0]], n_boot=100)) == repr(found)
