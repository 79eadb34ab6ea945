import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.calibration import Binning
from calibrant.exceptions import ParameterError


def walked(scores, y, n_bins):
    """The rule, step by step: bin i ends at the first position i * n / b or later where the score changes."""
    order = np.argsort(scores, kind="stable")
    scores, y = scores[order], y[order]
    n, ends, nth = len(scores), [], 1
    for position in range(1, n):
        if position * n_bins >= nth * n and nth < n_bins and scores[position] != scores[position - 1]:
            ends.append(position)
            nth = position * n_bins // n + 1
    parts = np.split(y, ends)
    return [(scores[e - 1] + scores[e]) / 2 for e in ends], [part.mean() for part in parts], [len(p) for p in parts]


def sample(n_rows=1000, decimals=2, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_rows).round(decimals)
    return scores, rng.random(n_rows) < 1 / (1 + np.exp(-scores))


@pytest.mark.parametrize("n_bins", [1, 2, 7, 10, 64, 2000])
@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_bins_of_equal_count_follow_the_rule_step_by_step(n_bins, decimals):
    scores, y = sample(decimals=decimals)
    binning = Binning(n_bins).fit(scores, y)
    edges, shares, counts = walked(scores, y, n_bins)
    np.testing.assert_allclose(binning.edges_, edges, rtol=1e-15)
    np.testing.assert_allclose(binning.probabilities_, shares)
    np.testing.assert_array_equal(binning.weights_, counts)


@pytest.mark.filterwarnings("ignore:all scores are equal")
@given(scores=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=60), n=st.integers(1, 12))
def test_equal_scores_share_a_bin_and_none_is_empty(scores, n):
    y = np.arange(len(scores)) % 2
    binning = Binning(n).fit(scores, y)
    assert binning.n_bins_ <= n
    assert (binning.weights_ > 0).all()
    assert binning.weights_.sum() == len(scores)
    bin_of_row = np.searchsorted(binning.edges_, np.asarray(scores), side="right")
    np.testing.assert_array_equal(np.bincount(bin_of_row, minlength=binning.n_bins_), binning.weights_)


@pytest.mark.parametrize("seed", range(3))
def test_weights_that_are_fractions_move_no_edge_by_rounding(seed):
    scores, y = sample(200, 12, seed)
    once, tenths = Binning().fit(scores, y), Binning().fit(scores, y, np.full(200, 0.1))
    np.testing.assert_array_equal(once.edges_, tenths.edges_)
    np.testing.assert_allclose(once.probabilities_, tenths.probabilities_)


@pytest.mark.parametrize("spread", [1e-300, 1.0, 1e300])
def test_bins_of_equal_width_are_those_of_numpy(spread):
    scores, y = sample(500, 12)
    scores = spread * scores
    binning = Binning(8, strategy="width").fit(scores, y)
    counts, edges = np.histogram(scores / spread, bins=8)
    np.testing.assert_allclose(binning.edges_ / spread, edges[1:-1], rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(binning.weights_, counts)


def test_probabilities_have_bins_from_zero_to_one_and_empty_ones_the_base_rate():
    binning = Binning(4, strategy="width").fit([0.3, 0.4, 0.6, 0.7], [0, 1, 1, 1])
    np.testing.assert_array_equal(binning.edges_, [0.25, 0.5, 0.75])
    np.testing.assert_array_equal(binning.probabilities_, [0.75, 0.5, 1.0, 0.75])


def test_a_score_at_an_edge_is_of_the_upper_bin():
    binning = Binning(2).fit([1.0, 2.0, 4.0, 5.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(binning.predict([2.9, 3.0]), [0.0, 1.0])


def test_the_m_estimate_adds_rows_of_the_base_rate():
    binning = Binning(2, m=2.0).fit([1.0, 2.0, 4.0, 5.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(binning.predict([1.0, 5.0]), [0.25, 0.75])


@pytest.mark.parametrize("m", [0.0, 2.0])
@pytest.mark.parametrize("strategy", ["count", "width"])
def test_cross_validation_chooses_the_number_with_the_least_error_of_rows_left_out(strategy, m):
    scores, y = sample(60, 1)
    chosen = Binning("cv", strategy=strategy, m=m).fit(scores, y)
    candidates = [Binning(n, strategy=strategy, m=m).fit(scores, y) for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 50)]
    errors = [left_out(binning, scores, y, m) for binning in candidates]
    assert left_out(chosen, scores, y, m) <= min(errors) + 1e-12


def left_out(binning, scores, y, m):
    """The error of rows left out one by one, recounted for each."""
    bin_of_row, errors = np.searchsorted(binning.edges_, scores, side="right"), []
    for row in range(len(y)):
        others = (bin_of_row == bin_of_row[row]) & (np.arange(len(y)) != row)
        kept = others.sum() + m
        share = (y[others].sum() + m * y.mean()) / kept if kept else y.mean()
        errors.append((share - y[row]) ** 2)
    return float(np.mean(errors))


def test_an_invalid_number_of_bins_raises():
    with pytest.raises(ParameterError, match=r"n_bins must be an int >= 1 or 'cv'"):
        Binning(0).fit([0.1, 0.9], [0, 1])
