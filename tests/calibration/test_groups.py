"""Groups and kinds of weights in calibrators: what is held out is whole, and probability weights have no scale."""

import numpy as np
import pytest
from scipy.special import chdtrc, expit

from calibrant.calibration import Auto, Binning, LeafVenn, Pairwise, Platt, VennAbers, repair_base_rate
from calibrant.calibration._auto.calibration_test import standard_error_of_mean
from calibrant.calibration._auto.choice import assign_folds, pool_equal_rows
from calibrant.calibration._fitting.bins import count_bins
from calibrant.calibration._validation import BinaryScores, read_scored
from calibrant.exceptions import CalibrantWarning, DataError, LittleDataWarning, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

GRID = np.linspace(0.05, 0.95, 19)


def clustered(seed, n_groups=40, size=6):
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    logits = random.normal(size=n_groups)[groups] + 0.1 * random.normal(size=n_groups * size)
    effect = 2 * random.normal(size=n_groups)[groups]
    return expit(2 * logits), random.random(len(groups)) < expit(logits + effect), groups


def test_folds_of_the_guard_keep_groups_whole_and_balanced():
    scores, y, groups = clustered(0)
    pooled = pool_equal_rows(read_scored(scores, y, np.full(len(y), 2), groups=groups))
    pieces = assign_folds(pooled, 10)
    folds = [np.unique(pieces.fold[pooled.groups[pieces.rows] == group]) for group in range(40)]
    assert all(len(each) == 1 for each in folds)
    assert np.ptp(np.bincount(pieces.fold, pieces.weight)) <= 24
    assert pieces.weight.sum() == 2 * len(y)


def test_very_many_groups_are_judged_by_a_part_of_them():
    scores, y, groups = clustered(0, n_groups=4_000)
    pooled = pool_equal_rows(read_scored(scores, y, groups=groups))
    pieces = assign_folds(pooled, 5)
    assert pieces.weight.sum() == pytest.approx(10_000, rel=0.01)
    assert len(np.unique(pooled.groups[pieces.rows])) == pytest.approx(10_000 / 6, rel=0.01)


@pytest.mark.parametrize("n_groups", [1, 4])
def test_few_groups_are_not_held_out(n_groups):
    scores, y, _ = clustered(0)
    with pytest.warns(LittleDataWarning, match=rf"{n_groups} group\(s\) of calibration rows are too few"):
        found = Auto().fit(scores, y, groups=np.arange(len(y)) % n_groups)
    np.testing.assert_allclose(found.predict(GRID), GRID)


def test_the_standard_error_of_groups_is_that_of_their_means():
    random = np.random.default_rng(0)
    values, groups = random.normal(size=60), np.repeat(np.arange(20), 3)
    means = values.reshape(20, 3).mean(axis=1)
    expected = means.std(ddof=1) / np.sqrt(20)
    assert standard_error_of_mean(values, np.ones(60), groups) == pytest.approx(expected)
    assert standard_error_of_mean(values, np.full(60, 7.0), groups) == pytest.approx(expected)


def test_names_and_order_of_groups_do_not_matter_to_auto():
    scores, y, groups = clustered(1)
    order = np.random.default_rng(0).permutation(len(y))
    one = Auto().fit(scores, y, groups=groups)
    other = Auto().fit(scores[order], y[order], groups=[f"g{group:03}" for group in groups[order]])
    np.testing.assert_allclose(one.predict(GRID), other.predict(GRID), rtol=1e-7)


def test_groups_with_weight_three_choose_what_three_copies_choose():
    scores, y, groups = clustered(2)
    one = Auto().fit(scores, y, np.full(len(y), 3), groups=groups)
    other = Auto().fit(np.tile(scores, 3), np.tile(y, 3), groups=np.tile(groups, 3))
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-4)
    np.testing.assert_allclose(one.predict(GRID), other.predict(GRID), rtol=1e-4)


def test_copies_in_groups_gain_no_evidence():
    """A row ten times is one row, so the standard error of copies in groups is that of the rows."""
    scores, y, _ = clustered(3)
    groups = np.arange(len(y))
    plain = Auto(price=0).fit(scores, y, groups=groups).choice_
    copied = Auto(price=0).fit(np.tile(scores, 10), np.tile(y, 10), groups=np.tile(groups, 10)).choice_
    for one, other in zip(plain.candidates[1:3], copied.candidates[1:3], strict=True):
        assert other.standard_error == pytest.approx(one.standard_error, rel=0.2)


@pytest.mark.parametrize("calibrator", [Auto(), Platt(), Binning("cv"), VennAbers()], ids=str)
def test_the_scale_of_probability_weights_does_not_matter(calibrator):
    scores, y, _ = clustered(4)
    weight = np.random.default_rng(0).uniform(0.5, 4, len(y))
    found = [
        calibrator.fit(scores, y, scale * weight, weight_kind="probability").predict(GRID)
        for scale in (1.0, 1e-6 / weight.sum(), 1e6)
    ]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-6)


@pytest.mark.parametrize("calibrator", [Auto(), Platt(), Binning("cv"), VennAbers()], ids=str)
def test_equal_probability_weights_are_none_for_maps_without_folds(calibrator):
    scores, y, _ = clustered(5)
    weighted = calibrator.fit(scores, y, np.full(len(y), 0.01), weight_kind="probability").predict(GRID)
    tolerance = 0.03 if isinstance(calibrator, Auto) else 1e-9  # other folds
    np.testing.assert_allclose(weighted, calibrator.fit(scores, y).predict(GRID), atol=tolerance)


def test_weights_of_sum_one_get_a_warning_and_are_right_as_probabilities():
    """As frequencies Platt's targets pull both probabilities towards one half."""
    random = np.random.default_rng(0)
    margin = np.repeat([-1.7, 1.7], 500)
    y = random.random(1000) < expit(margin)
    weight = np.full(1000, 1e-3)
    with pytest.warns(CalibrantWarning, match=r'sums to 1, .* weight_kind="probability"'):
        shrunk = Platt().fit(margin, y, weight).predict([-1.7, 1.7])
    np.testing.assert_allclose(shrunk, [0.44, 0.57], atol=0.05)
    right = Platt().fit(margin, y, weight, weight_kind="probability").predict([-1.7, 1.7])
    np.testing.assert_allclose(right, [0.15, 0.84], atol=0.03)


def test_the_number_of_bins_is_chosen_without_the_group():
    scores, y, groups = clustered(6, n_groups=30, size=20)
    plain, grouped = Binning("cv").fit(scores, y), Binning("cv").fit(scores, y, groups=groups)
    assert grouped.n_bins_ < plain.n_bins_


def test_the_error_of_bins_without_each_group_is_that_of_counting_again():
    random = np.random.default_rng(0)
    scores, positive, groups = random.random(80), random.random(80) < 0.4, random.integers(0, 15, 80)
    weight = random.uniform(0.5, 2, 80)
    bins = count_bins(BinaryScores(scores, positive, weight), 4)
    where = np.searchsorted(bins.edges, scores, side="right")
    error = 0.0
    for row in range(80):
        others = (groups != groups[row]) & (where == where[row])
        rate = weight[others] @ positive[others] / weight[others].sum()
        error += weight[row] * (positive[row] - rate) ** 2
    found = bins.leave_group_out_error(BinaryScores(scores, positive, weight, groups))
    assert found == pytest.approx(error / weight.sum(), rel=1e-12)


def test_groups_reach_the_parts_of_composite_maps():
    random = np.random.default_rng(0)
    proba = random.dirichlet(np.ones(3), 300)
    y, groups = random.integers(0, 3, 300), np.repeat(np.arange(30), 10)
    fitted = Pairwise(Binning("cv")).fit(proba, y, groups=groups)
    rows = read_scored(proba, y, groups=groups)
    expected = Binning("cv")._fit_clone(fitted._pair_rows(rows, 0, 1))
    assert fitted.parts_[0].n_bins_ == expected.n_bins_
    assert fitted._pair_rows(rows, 0, 1).groups is not None


def test_leaves_count_probability_weights_as_effective_rows():
    tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    X, y = [[1], [1], [2], [3], [4]], ["a", "a", "b", "b", "b"]
    scaled = LeafVenn(tree).fit(X, y, np.full(5, 0.2), weight_kind="probability")
    np.testing.assert_allclose(scaled.counts_, LeafVenn(tree).fit(X, y).counts_)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"groups": ["a"]}, DataError, "groups has 1 rows"),
        ({"weight_kind": "survey"}, ParameterError, "weight_kind must be"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        Platt().fit([0.2, 0.8, 0.4], [0, 1, 1], **arguments)


def test_a_repair_of_groups_needs_evidence_of_groups():
    """A base rate that differs because of a few groups is no sign of a shift where groups are known."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 30)
    proba = np.clip(random.normal(0.5, 0.05, 600), 0.05, 0.95)
    y = (np.arange(20) % 3 < 2)[groups] ^ (random.random(600) < 0.05)
    plain, grouped = (repair_base_rate(proba, y, calibrator="platt", groups=each) for each in (None, groups))
    assert plain.pvalue < 1e-3
    assert grouped.pvalue > 0.05
    sums = np.bincount(groups, y - proba)
    expected = chdtrc(1, sums.sum() ** 2 / (sums @ sums))
    assert grouped.pvalue == pytest.approx(expected)


def test_a_repair_of_weight_three_is_that_of_three_copies():
    random = np.random.default_rng(1)
    proba = random.random(200)
    y = random.random(200) < proba**2
    times = random.integers(1, 4, 200)
    weighted = repair_base_rate(proba, y, times, calibrator="platt")
    copied = repair_base_rate(np.repeat(proba, times), np.repeat(y, times), calibrator="platt")
    assert weighted.pvalue == pytest.approx(copied.pvalue, rel=1e-6)
    assert weighted.after.log_loss == pytest.approx(copied.after.log_loss, rel=1e-6)
