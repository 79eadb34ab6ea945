"""The guard: what stays unchanged, what is corrected, and that only the weighted empirical distribution matters."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from calibrant.calibration import Auto, Platt, Spline, calibrator_from_dict
from calibrant.calibration._auto.choice import assign_folds, best_weights, pool_equal_rows
from calibrant.calibration._fitting.replace_certain import ReplaceCertain
from calibrant.calibration._validation import read_scored
from calibrant.exceptions import CalibrantWarning, LittleDataWarning, ParameterError

GRID = np.linspace(0.01, 0.99, 99)


def known(n=2000, slope=1.0, shift=0.0, seed=0):
    """Scores whose true log-odds are known: slope and shift are what the map has to undo."""
    rng = np.random.default_rng(seed)
    true = rng.beta(1.5, 2.5, n)
    return expit((logit(true) - shift) / slope), rng.random(n) < true


def test_calibrated_probabilities_are_left_nearly_alone():
    for seed in range(5):
        scores, y = known(seed=seed)
        assert np.abs(Auto().fit(scores, y).predict(GRID) - GRID).max() < 0.06


def test_miscalibrated_probabilities_are_corrected():
    scores, y = known(slope=0.5, shift=1.0)
    truth = expit(0.5 * logit(GRID) + 1.0)
    found = Auto().fit(scores, y)
    assert found.weights_[0] < 0.1
    assert np.abs(found.predict(GRID) - truth).max() < 0.06


def test_an_infinite_price_buys_nothing():
    scores, y = known(slope=0.3)
    found = Auto(price=np.inf).fit(scores, y)
    assert found.choice_.name == "no map"
    np.testing.assert_allclose(found.predict(GRID), GRID, atol=1e-9)


def test_no_p_value_is_below_a_level_of_0():
    choice = Auto(alpha=0.0).fit(*known(500, slope=0.3)).choice_
    assert choice.reason == "the scores may be calibrated (p = 0.00)"


def test_no_map_is_used_without_the_required_evidence():
    scores, y = known(300, slope=0.8)
    assert Auto(multiple=100.0).fit(scores, y).choice_.name == "no map"
    assert Auto(multiple=0.0, price=0.0).fit(scores, y).choice_.gain > 0


def test_the_reported_gain_is_that_of_the_mix_over_no_map():
    choice = Auto().fit(*known(slope=0.4)).choice_
    before, best = choice.candidates[0], max(choice.candidates, key=lambda each: each.gain)
    assert before.name == "no map"
    assert before.gain == 0.0
    assert choice.gain >= best.gain - 2.0 / choice.n_rows - 1e-6
    assert choice.gain > 3 * choice.standard_error
    assert sum(each.weight for each in choice.candidates) == pytest.approx(1.0)
    assert choice.name in repr(choice)


@settings(deadline=None, max_examples=8)
@given(st.lists(st.integers(0, 3), min_size=60, max_size=60), st.integers(0, 1000))
def test_a_weight_is_so_many_rows_to_the_bit(weight, seed):
    scores, y = known(60, seed=seed)
    scores, weight = scores.round(2), np.array(weight)
    if len(np.unique(y[weight > 0])) < 2 or np.bincount(y[weight > 0], weight[weight > 0]).min() < 10:
        return
    once = Auto().fit(np.repeat(scores, weight), np.repeat(y, weight)).predict(GRID)
    order = np.random.default_rng(seed).permutation(60)
    weighted = Auto().fit(scores[order], y[order], weight[order]).predict(GRID)
    np.testing.assert_array_equal(weighted, once)


def test_margins_fall_back_on_platts_sigmoid():
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=3, size=1000)
    y = rng.random(1000) < expit(scores - 1)
    found = Auto(price=np.inf).fit(scores, y)
    assert found.choice_.name == "platt"
    np.testing.assert_allclose(found.predict([-2.0, 3.0]), Platt().fit(scores, y).predict([-2.0, 3.0]), rtol=1e-6)


def test_bent_margins_get_another_map_than_a_sigmoid():
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=2, size=5000)
    y = rng.random(5000) < expit(np.where(scores > 0, 3 * scores, 0.2 * scores))
    found, platt = Auto().fit(scores, y), Platt().fit(scores, y)
    assert found.choice_.gain > 3 * found.choice_.standard_error
    assert log_loss(y, found.predict(scores)) < log_loss(y, platt.predict(scores)) - 0.005


def test_zeros_and_ones_of_a_forest_do_not_cost_everything():
    rng = np.random.default_rng(1)
    true = rng.random(1000)
    votes = rng.binomial(10, true) / 10
    y = rng.random(1000) < 0.9 * true + 0.05
    proba = Auto().fit(votes, y).predict(np.linspace(0, 1, 11))
    assert 0.01 < proba[0] < 0.2
    assert 0.8 < proba[-1] < 0.99
    assert (np.diff(proba) > 0).all()


def test_zeros_are_replaced_even_where_no_map_is_used():
    scores, y = [0.0] * 98 + [0.3, 1.0] * 10, [0] * 97 + [1] + [0, 1] * 10  # of 98 rows with a 0 one is positive
    found = Auto(price=np.inf).fit(scores, y)
    assert found.predict([0.0])[0] == pytest.approx(2 / 100)
    assert found.predict([0.3])[0] == pytest.approx(0.3)


def test_zeros_of_many_classes_are_replaced_together():
    table = np.array([[1.0, 0.0, 0.0]] * 8 + [[0.0, 1.0, 0.0]] * 8 + [[0.2, 0.2, 0.6]] * 8)
    replace = ReplaceCertain.fit(read_scored(table, [0] * 8 + [1] * 7 + [2] * 9))
    assert replace.floor == pytest.approx((1 + 1) / (32 + 2))
    assert replace.apply(table).sum(axis=1) == pytest.approx(np.ones(24))


@pytest.mark.parametrize("n_classes", [3, 5])
def test_overconfident_classes_are_corrected(n_classes):
    rng = np.random.default_rng(0)
    true = rng.dirichlet(np.ones(n_classes), 2000)
    y = (rng.random((2000, 1)) > true.cumsum(axis=1)[:, :-1]).sum(axis=1)
    sharp = true**3 / (true**3).sum(axis=1, keepdims=True)
    fresh = Auto().fit(sharp[:1000], y[:1000]).predict(sharp[1000:])
    loss = log_loss(y[1000:], fresh)
    assert loss < log_loss(y[1000:], true[1000:]) + 0.03
    assert loss < log_loss(y[1000:], sharp[1000:]) - 0.1


@pytest.mark.parametrize("seed", range(6))
def test_it_is_called_monotone_only_where_no_rank_changes(seed):
    scores, y = known(600, slope=[0.5, 1.0, 2.0][seed % 3], seed=seed)
    found = Auto(price=0.0, multiple=0.0).fit(scores, y)
    falls = (np.diff(found.predict(np.linspace(0.001, 0.999, 2000))) < 0).any()
    assert found.is_monotone == all(member.is_monotone for member in found.members_)
    assert not (found.is_monotone and falls)


def test_a_member_that_falls_makes_the_mix_none_that_is_monotone():
    scores = np.linspace(0.02, 0.98, 3000)
    y = np.random.default_rng(0).random(3000) < 0.5 + 0.4 * np.sin(9 * scores)
    found = Auto().fit(scores, y)
    assert any(isinstance(member, Spline) for member in found.members_)
    assert not found.is_monotone
    assert not Auto().is_monotone


def test_margins_that_speak_against_their_class_are_not_monotone():
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=3, size=1000)
    assert not Auto(price=np.inf).fit(scores, rng.random(1000) < expit(-scores)).is_monotone


def test_too_few_rows_raise_a_warning_with_their_number():
    with pytest.warns(LittleDataWarning, match=r"29 calibration rows, 9 of them of the class 1, are too few"):
        found = Auto().fit(np.linspace(0.1, 0.6, 29), [1, 0, 0, 0, 1, 0, 0, 1, 0, 0] * 2 + [1, 0, 1, 0, 0, 1, 0, 0, 0])
    assert found.choice_.name == "no map"
    np.testing.assert_allclose(found.predict([0.2, 0.7]), [0.2, 0.7])


def test_few_rows_that_are_far_off_get_a_shrunken_vector_scaling():
    random = np.random.default_rng(0)
    true = random.beta(2, 18, 100)
    y, scores = np.arange(100) < 8, expit(logit(np.sort(true)[::-1]) + 2.5)
    with pytest.warns(LittleDataWarning, match="8 of them"):
        found = Auto().fit(scores, y)
    assert [each.name for each in found.choice_.candidates] == ["no map", "vector_scaling"]
    assert found.choice_.gain > found.choice_.standard_error
    assert abs(found.predict(scores).mean() - 0.08) < 0.06 < scores.mean() - 0.08


@pytest.mark.parametrize("sizes", [(9, 1), (50, 1), (5, 4)])
def test_hardly_any_rows_leave_the_scores_unchanged(sizes):
    y = np.repeat([0, 1], sizes)
    with pytest.warns(LittleDataWarning):
        found = Auto().fit(np.linspace(0.8, 0.9, len(y)), y)
    assert found.choice_.reason == "too few rows to compare maps"
    np.testing.assert_allclose(found.predict([0.82, 0.85]), [0.82, 0.85])


def test_scores_that_may_be_calibrated_are_left_alone_and_the_reason_is_stated():
    scores, y = next(rows for rows in (known(100, seed=seed) for seed in range(99)) if _is_mapped(*rows))
    choice = Auto().fit(scores, y).choice_
    assert choice.name == "no map"
    assert choice.reason.startswith("the scores may be calibrated (p = 0.")


def _is_mapped(scores, y):
    return Auto(alpha=1.0).fit(scores, y).choice_.name != "no map"


def test_weights_that_sum_to_one_are_one_row():
    scores, y = known(500)
    with pytest.warns(CalibrantWarning, match="sums to 1"), pytest.warns(LittleDataWarning, match="1 calibration rows"):
        Auto().fit(scores, y, np.full(500, 1 / 500))


def test_a_class_without_rows_keeps_its_column():
    rng = np.random.default_rng(0)
    table = rng.dirichlet(np.ones(3), 200)
    found = Auto().fit(table, rng.integers(2, size=200), labels=[0, 1, 2])
    assert found.predict(table).shape == (200, 3)
    assert (found.predict(table)[:, 2] > 0).all()


def test_it_is_written_and_read_with_its_evidence():
    found = Auto().fit(*known(slope=0.5))
    again = calibrator_from_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_array_equal(again.predict(GRID), found.predict(GRID))
    assert again.choice_ == found.choice_


def test_two_columns_are_the_second_alone():
    scores, y = known(500, slope=0.5)
    both = Auto().fit(np.stack([1 - scores, scores], axis=1), y).predict([[0.3, 0.7]])
    assert both[0, 1] == pytest.approx(Auto().fit(scores, y).predict([0.7])[0])


def test_the_candidates_make_a_frame():
    frame = Auto().fit(*known(500)).choice_.to_frame()
    assert frame["name"].tolist()[:2] == ["no map", "vector_scaling"]
    assert frame["weight"].sum() == pytest.approx(1.0)


def test_the_best_mix_of_two_classes_is_that_of_several_of_which_one_never_comes():
    rng = np.random.default_rng(0)
    odds, y = rng.normal(size=(3, 300)), rng.integers(2, size=300).astype(np.int32)
    two = np.log(np.stack([expit(-odds), expit(odds)], axis=2))
    three = np.concatenate([two, np.full((3, 300, 1), -200.0)], axis=2)
    found = [best_weights(logs, y, np.full(300, 1.5), price=2.0) for logs in (two, three)]
    np.testing.assert_allclose(*found, atol=1e-4)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="price must be"):
        Auto(price=-1.0).fit([0.1, 0.9], [0, 1])


def test_folds_hold_each_class_in_equal_parts():
    scores, y = known(503)
    pooled = pool_equal_rows(read_scored(scores, y))
    pieces = assign_folds(pooled, 5)
    for code in (0, 1):
        sizes = np.bincount(pieces.fold[pooled.codes[pieces.rows] == code], minlength=5)
        assert np.ptp(sizes) <= 1
    assert pieces.weight.sum() == pytest.approx(503)


def test_very_many_rows_are_judged_by_a_part_of_them():
    rng = np.random.default_rng(0)
    pooled = pool_equal_rows(read_scored(rng.random(50_000), rng.random(50_000) < 0.1))
    pieces = assign_folds(pooled, 5)
    assert pieces.weight.sum() == pytest.approx(10_000, rel=0.01)
    assert pieces.weight @ pooled.codes[pieces.rows] == pytest.approx(pooled.codes.sum() / 5, rel=0.01)


def test_the_best_mix_is_that_of_a_grid():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=300), rng.normal(size=300)
    y = (rng.random(300) < expit(0.5 * one + 0.4 * two)).astype(np.int32)
    logs = np.log(np.stack([np.stack([expit(-z), expit(z)], axis=1) for z in (one, two)]))
    share = best_weights(logs, y, np.ones(300), price=2.0)[1]
    grid = np.linspace(0, 1, 2001)
    signed = np.where(y == 1, -1.0, 1.0)
    costs = [np.logaddexp(0, signed * ((1 - w) * one + w * two)).sum() + 2.0 * w for w in grid]
    assert share == pytest.approx(grid[np.argmin(costs)], abs=2e-3)


def test_rows_pooled_by_one_sort_are_those_pooled_by_class_and_score():
    rng = np.random.default_rng(0)
    scores, y = rng.random(2000).round(2), rng.random(2000) < 0.3
    rows, weighted = (pool_equal_rows(read_scored(scores, y, weight)) for weight in (None, np.ones(2000)))
    for name in ("scores", "codes", "weight"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(weighted, name), strict=True)
