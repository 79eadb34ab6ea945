"""Score cards: their contents, their text, and the errors of wrong arguments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import METRICS, evaluate

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")


def drawn(n=400, seed=0, power=1.0):
    rng = np.random.default_rng(seed)
    proba = rng.random(n)
    return (rng.random(n) < proba**power).astype(int), proba


def test_a_card_has_the_values_of_the_metrics():
    y, p = drawn()
    card = evaluate(y, p, metrics="all", confidence=None)
    assert set(card) == {name for name, metric in METRICS.items() if not metric.needs}
    for name, score in card.items():
        assert score.value == pytest.approx(METRICS[name].function(y, p), nan_ok=True)


def test_the_default_is_a_dozen_metrics_and_fewer_with_more_classes():
    y, p = drawn()
    assert len(evaluate(y, p, n_boot=50)) == 12
    several = evaluate([0, 1, 2] * 10, np.full((30, 3), 1 / 3), n_boot=50)
    assert {"log_loss", "auc", "accuracy"} <= set(several)
    assert "f1" not in several


@pytest.mark.parametrize("interval", ["auto", "bootstrap", "percentile"])
@pytest.mark.sample(3)
def test_calibration_errors_never_get_percentiles(interval):
    y, p = drawn()
    card = evaluate(y, p, metrics=CALIBRATION_ERRORS, interval=interval, n_boot=50)
    assert {score.method for score in card.values()} <= {"upper bound", ""}


def test_every_interval_contains_its_value():
    y, p = drawn()
    card = evaluate(y, p, metrics="all", n_boot=200)
    for score in card.values():
        assert score.low is None or score.low <= score.value <= score.high or score.method in ("BCa", "upper bound")


def test_each_metric_has_its_interval_method():
    y, p = drawn()
    card = evaluate(y, p, metrics=["accuracy", "auc", "gini", "mse", "ece", "calibration_slope"], n_boot=50)
    methods = [score.method for score in card.values()]
    assert methods == ["Wilson", "DeLong", "DeLong", "BCa", "upper bound", "sandwich"]


def test_formulas_for_independent_rows_are_not_used_for_clusters():
    y, p = drawn()
    card = evaluate(y, p, metrics=["accuracy", "auc", "ece"], groups=np.arange(400) // 4, n_boot=50)
    assert [score.method for score in card.values()] == ["BCa", "BCa", "upper bound"]


@pytest.mark.long
def test_perfect_calibration_is_rejected_for_miscalibrated_rows_only():
    names = ["ece", "cal", "ici", "smooth_ece"]
    wrong = evaluate(*drawn(2000, power=3.0), metrics=names)
    assert wrong["ece"].pvalue == pytest.approx(1e-4)
    assert all(score.pvalue == pytest.approx(1e-3) for score in wrong.values() if score.metric != "ece")
    pvalues = [evaluate(*drawn(300, seed), metrics=["ece"])["ece"].pvalue for seed in range(20)]
    assert np.mean(np.array(pvalues) > 0.05) > 0.6


def test_a_clear_p_value_takes_few_draws_and_a_small_one_many():
    assert evaluate(*drawn(300), metrics=["ece"])["ece"].pvalue * 200 % 1 == pytest.approx(0)
    slightly = evaluate(*drawn(2000, power=1.15), metrics=["ece"])["ece"].pvalue
    assert 1e-4 <= slightly < 0.05


def test_the_p_value_of_many_rows_does_not_depend_on_their_number():
    """The value is the chance under the normal approximation: with one bin, that of the mean residual."""
    n = 200_000
    p, z = np.full(n, 0.3), 2.2
    y = np.arange(n) < round(0.3 * n + z * np.sqrt(0.21 * n))
    score = evaluate(y, p, metrics=["ece"])["ece"]
    assert score.pvalue == pytest.approx(2 * norm.sf(z), abs=0.006)


@pytest.mark.parametrize("weight", [np.tile([0.5, 1.5], 500), np.full(1000, 0.25)])
@pytest.mark.parametrize("kind", ["frequency", "probability"])
def test_fractional_and_probability_weights_have_p_values_and_intervals(weight, kind):
    y, p = drawn(1000)
    score = evaluate(y, p, metrics=["ece"], sample_weight=weight, weight_kind=kind)["ece"]
    assert score.pvalue > 0.01
    assert 0 <= score.high <= 1


def test_calibration_errors_have_the_bound_of_the_verdict():
    y, p = drawn(500)
    card = evaluate(y, p, metrics=["ece", "cal"])
    assert {score.high for score in card.values()} == {card.verdict.gap_bound}
    assert card["ece"].low is None


def test_the_text_says_what_its_intervals_assume():
    y, p = drawn(500)
    text = repr(evaluate(y, p, metrics=["auc", "ece"]))
    assert "on rows drawn independently like these. ece: “at most” bounds the true mean error" in text
    assert "on groups drawn like these." in repr(evaluate(y, p, metrics=["auc"], groups=np.arange(500) // 5))


def test_debiased_errors_of_calibrated_probabilities_are_nearer_to_0():
    for score in evaluate(*drawn(1000), metrics=["ece", "cal", "ici", "smooth_ece"]).values():
        assert score.debiased < score.value


def test_an_infinite_loss_has_an_interval_with_an_infinite_end():
    y, p = drawn(50)
    p[0], y[0] = 1.0, 0
    score = evaluate(y, p, metrics=["log_loss"])["log_loss"]
    assert score.value == score.high == np.inf
    assert score.note == "the actual class has probability 0 in 1 row(s) (first: row 0; see infinite_rows)"
    assert evaluate(y, p, metrics=["log_loss_bits"], confidence=None)["log_loss_bits"].note == score.note


def test_identical_replicates_have_no_interval():
    y = np.arange(40) % 2
    card = evaluate(y, y.astype(float), metrics=["mse", "average_precision", "accuracy", "auc"], n_boot=50)
    assert [score.low is None for score in card.values()] == [True, True, False, False]
    assert "mse, average_precision: no interval: every replicate has the same value" in repr(card)
    alone = evaluate(*drawn(), groups=np.zeros(400), metrics=["mse", "auc", "h_measure"], n_boot=20)
    assert [score.low for score in alone.values()] == [None, None, None]


def test_an_undefined_metric_has_a_note():
    card = evaluate([0, 0, 0], [0.1, 0.2, 0.3], labels=[0, 1], metrics=["auc", "mcc", "mse"], n_boot=20)
    assert "auc, mcc: not defined for these rows\n" in repr(card)


def test_strata_exclude_formulas_of_whole_samples():
    card = evaluate(*drawn(), metrics=["accuracy", "auc", "calibration_slope"], stratified=True, n_boot=50)
    assert [score.method for score in card.values()] == ["BCa", "DeLong", "BCa"]


def test_each_segment_has_a_card_and_a_test():
    y, p = drawn(3000)
    segment = np.where(np.arange(3000) % 3 == 0, "odd", "even")
    y = np.where(segment == "odd", (np.random.default_rng(5).random(3000) < 0.5).astype(int), y)
    card = evaluate(y, p, by=segment, metrics=["mse"], n_boot=50)
    assert list(card.cards) == ["even", "odd"]
    odd = segment == "odd"
    assert card.cards["odd"]["mse"] == evaluate(y[odd], p[odd], metrics=["mse"], n_boot=50)["mse"]
    assert card.equal_calibration.corrected["odd"] < 0.01
    assert "odd" in repr(card)


def test_time_windows_may_be_periods_or_dates():
    days = pd.Series(pd.date_range("2024-01-30", periods=60))
    y, p = drawn(60)
    by_month = evaluate(y, p, by=days.dt.to_period("M"), metrics=["mse"], n_boot=20)
    assert [(name, card.n_rows) for name, card in by_month.cards.items()] == [
        *(("2024-01", 2), ("2024-02", 29)),
        ("2024-03", 29),
    ]
    of_years = evaluate(y, p, by=days.to_numpy().astype("datetime64[Y]"), metrics=["mse"], n_boot=20)
    assert len(of_years.cards) == 1
    assert of_years.equal_calibration is None


def test_segments_print_as_a_table_below_all_rows():
    y, p = drawn(60)
    lines = repr(evaluate(y, p, by=[1] * 30 + [2] * 30, metrics=["mse", "calibration_intercept"], n_boot=20)).split(
        "\n"
    )
    assert [line.split()[0] for line in lines[1:5]] == ["rows", "(all)", "1", "2"]
    assert len({len(line) for line in lines[1:5]}) == 1


def test_a_card_reads_as_text_frame_and_html():
    y, p = drawn()
    card = evaluate(y, p, metrics=["auc", "ece"], n_boot=50)
    assert "intervals at 95 %" in repr(card)
    assert list(card.to_frame().index) == ["auc", "ece"]
    assert card.to_frame().loc["auc", "low"] == card["auc"].low
    assert "independently" in card._repr_html_()
    assert "<td" in card._repr_html_()


def test_names_in_html_are_escaped():
    y, p = drawn(60)
    html = evaluate(y, p, by=["<b>"] * 30 + ["c"] * 30, metrics=["mse"], n_boot=20)._repr_html_()
    assert "Scores of &lt;b&gt;: 30 rows" in html
    assert "Scores of all rows: 60 rows" in html


def test_unknown_metrics_raise_errors_that_name_them():
    y, p = drawn(20)
    with pytest.raises(ParameterError, match="Did you mean 'auc'"):
        evaluate(y, p, metrics=["auk"])
    with pytest.raises(ParameterError, match="list of ids, 'all' or None; got 3"):
        evaluate(y, p, metrics=3)
    with pytest.raises(ParameterError, match="needs matrix"):
        evaluate(y, p, metrics=["cost"])
    with pytest.raises(ParameterError, match="the card has no 'mse'"):
        evaluate(y, p, metrics=["auc"])["mse"]
    with pytest.raises(ParameterError, match=r"Pass \['auc'\]"):
        evaluate(y, p, metrics="auc")


def test_groups_and_segments_must_fit_the_rows():
    y, p = drawn(20)
    with pytest.raises(DataError, match="groups has 19 rows"):
        evaluate(y, p, groups=np.zeros(19))
    with pytest.raises(DataError, match=r"by must name the group of each row: .* got 'region'"):
        evaluate(y, p, by="region")
    with pytest.raises(DataError, match=r"groups must name .* got ndarray of shape \(20, 2\)"):
        evaluate(y, p, groups=np.zeros((20, 2)))
    with pytest.raises(DataError, match="by has 1 missing"):
        evaluate(y, p, by=[None, *["a"] * 19])


def test_rows_of_weight_0_are_ignored():
    y, p = drawn(100)
    weight = np.repeat([1, 0], 50)
    with_them = evaluate(y, p, sample_weight=weight, groups=np.arange(100), metrics=["mse"])["mse"]
    assert with_them.value == pytest.approx(evaluate(y[:50], p[:50], metrics=["mse"])["mse"].value, rel=1e-12)


def test_a_card_names_the_rows_that_make_a_loss_infinite():
    y, p = [0, 1, 1, 0, 1] * 4, [0.2, 0.7, 0.0, 0.3, 0.6] * 4
    for confidence in (None, 0.95):
        card = evaluate(
            y, p, metrics=["log_loss", "mse"], sample_weight=[1] * 18 + [0, 1], confidence=confidence, n_boot=20
        )
        assert card["log_loss"].value == np.inf
        assert card["log_loss"].note.startswith("the actual class has probability 0 in 4 row(s) (first: row 2;")
        assert card["mse"].note == ""


def test_equal_probabilities_have_a_card() -> None:
    card = evaluate(np.tile([0, 0, 0, 1, 1], 400), np.full(2000, 0.4))  # rounding made a variance negative
    assert card["calibration_slope"].low is None
    assert card["calibration_intercept"].value == pytest.approx(0.0, abs=1e-9)
