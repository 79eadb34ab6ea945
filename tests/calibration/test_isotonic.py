import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

from calibrant.calibration import Isotonic
from calibrant.exceptions import DataError

MODES = ["interpolate", "step", "centred"]


def sample(seed, n_rows=300, decimals=2):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_rows).round(decimals)
    return scores, rng.random(n_rows) < 1 / (1 + np.exp(-scores)), rng.integers(1, 5, n_rows) / 2


def least_squares(scores, y, weight):
    """The best rising values by a quadratic programme: increments that are never negative."""
    distinct, group = np.unique(scores, return_inverse=True)
    design = np.tril(np.ones((len(distinct), len(distinct))))[group]

    def loss(steps):
        residual = design @ steps - y
        return float(weight @ residual**2), 2.0 * design.T @ (weight * residual)

    bounds = [(0.0, 1.0)] * len(distinct)
    found = minimize(loss, np.full(len(distinct), 0.1), jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-15)
    return (design @ found.x), found.fun


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_equals_the_quadratic_programme(seed):
    scores, y, weight = sample(seed, 40, 1)
    fitted = Isotonic().fit(scores, y, weight).predict(scores)
    values, best = least_squares(scores, y, weight)
    np.testing.assert_allclose(fitted, values, atol=1e-4)
    assert weight @ (fitted - y) ** 2 <= best + 1e-9


@pytest.mark.parametrize("decimals", [0, 1, 8])
@pytest.mark.parametrize("seed", range(3))
def test_isotonic_equals_scikit_learn_on_weighted_rows(seed, decimals):
    scores, y, weight = sample(seed, 2000, decimals)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, y, weight)
    grid = np.linspace(-4, 4, 201)
    np.testing.assert_allclose(Isotonic().fit(scores, y, weight).predict(grid), theirs.predict(grid), atol=1e-12)


@pytest.mark.filterwarnings("ignore:all scores are equal")
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.booleans()), min_size=2, max_size=600))
def test_isotonic_equals_scikit_learn_on_odd_scores(rows):
    scores, y = np.array([score for score, _ in rows]).round(6), np.array([label for _, label in rows])
    y[:2] = [False, True]
    ours = Isotonic().fit(scores, y).predict(scores)
    theirs = IsotonicRegression().fit(scores, y).predict(scores)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_scores_that_span_all_numbers_are_sorted(mode):
    rng = np.random.default_rng(0)
    scores = np.concatenate(
        [rng.normal(size=2000) * 10.0 ** rng.integers(-320, 308, 2000), [-0.0, 0.0, 1.7e308, -1.7e308]]
    )
    y = rng.random(len(scores)) < 0.3 + 0.4 * (scores > 0)
    proba = Isotonic(mode=mode).fit(scores, y).predict(np.sort(scores))
    assert (np.diff(proba) >= 0).all()
    assert ((proba >= 0) & (proba <= 1)).all()


def test_scores_that_share_their_leading_bits_are_sorted():
    scores = 1.0 + np.random.default_rng(0).permutation(1000) * 2.0**-52
    scores[0] = 1e300
    fitted = Isotonic(mode="step").fit(scores, scores > np.median(scores))
    assert fitted.n_blocks_ == 2
    np.testing.assert_array_equal(fitted.predict(scores), scores > np.median(scores))


def test_a_step_is_halfway_and_belongs_to_the_upper_block():
    step = Isotonic(mode="step").fit([1.0, 2.0, 4.0, 5.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(step.predict([2.9, 3.0, -9.0, 9.0]), [0, 1, 0, 1])


def test_a_centred_block_stands_at_its_weighted_mean_score():
    centred = Isotonic(mode="centred").fit([1.0, 2.0, 3.0, 6.0], [0, 1, 0, 1], [1.0, 1.0, 3.0, 1.0])
    np.testing.assert_allclose(centred.scores_, [1.0, 2.75, 6.0])
    np.testing.assert_allclose(centred.probabilities_, [0.0, 0.25, 1.0])


@pytest.mark.parametrize("seed", range(5))
def test_centred_scores_between_the_end_blocks_keep_their_ranks(seed):
    scores, y, weight = sample(seed)
    centred = Isotonic(mode="centred").fit(scores, y, weight)
    inside = np.unique(np.clip(scores, centred.scores_[0], centred.scores_[-1]))
    assert (np.diff(centred.predict(inside)) > 0).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(3))
def test_isotonic_reports_the_ties_it_makes_and_the_change_of_auc(mode, seed):
    scores, y, weight = sample(seed)
    fitted = Isotonic(mode=mode).fit(scores, y, weight)
    proba, pairs = fitted.predict(scores), np.outer(weight, weight)
    apart = np.subtract.outer(scores, scores) != 0
    tied = np.subtract.outer(proba, proba) == 0
    assert fitted.ties_ == pytest.approx(pairs[apart & tied].sum() / pairs[apart].sum())
    change = roc_auc_score(y, proba, sample_weight=weight) - roc_auc_score(y, scores, sample_weight=weight)
    assert fitted.auc_change_ == pytest.approx(change)


@pytest.mark.parametrize("mode", MODES)
def test_smoothed_ends_hold_one_more_row_of_either_class(mode):
    scores, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0, 0, 0, 1, 0, 1, 1, 1]
    smooth = Isotonic(mode=mode, smooth_ends=True).fit(scores, y)
    np.testing.assert_allclose(smooth.predict([1.0, 8.0]), [1 / 5, 4 / 5])
    assert smooth.n_blocks_ == 3


def test_a_smoothed_end_that_surpasses_its_neighbour_is_joined_with_it():
    smooth = Isotonic(smooth_ends=True).fit([1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0], [0, 1, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(smooth.predict([1.0, 2.0, 4.0]), [2 / 7, 2 / 7, 3 / 4])


def test_only_the_centred_map_has_an_inverse():
    scores, y, _ = sample(0)
    assert not hasattr(Isotonic().fit(scores, y), "inverse")
    centred = Isotonic(mode="centred").fit(scores, y)
    requested = np.linspace(centred.scores_[0], centred.scores_[-1], 50)
    np.testing.assert_allclose(centred.inverse(centred.predict(requested)), requested, atol=1e-9)
    with pytest.raises(DataError, match="no inverse"):
        Isotonic(mode="centred").fit([1.0, 2.0], [1, 0]).inverse([0.5])


def test_scores_against_their_class_are_one_block_of_the_base_rate():
    fitted = Isotonic().fit([4.0, 3.0, 2.0, 1.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(fitted.predict([1.0, 4.0]), [0.5, 0.5])
