"""Information gains against scikit-learn's mutual information and by hand, and the grid of numbers of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from calibrant.exceptions import ParameterError
from calibrant.neighbors import attribute_gains, grid_of_k


@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_the_gain_is_the_mutual_information_in_bits(pairs):
    x, y = np.array(pairs).T
    gain = attribute_gains(x[:, None], y, kind="info_gain", nominal="all")[0]
    assert gain == pytest.approx(mutual_info_score(x, y) / np.log(2), abs=1e-12)
    ratio = attribute_gains(x[:, None], y, nominal="all")[0]
    of_values = entropy(np.bincount(x), base=2)
    assert ratio == pytest.approx(gain / of_values if gain > 1e-6 else 0.0, abs=1e-12)


def test_missing_values_are_distributed_whatever_their_class():
    # u and v have 2 and 1 rows, so that the unknown row of class b counts 2/3 and 1/3
    gain = attribute_gains([["u"], ["u"], ["v"], [None]], ["a", "a", "b", "b"], kind="info_gain")[0]
    expected = 1 - (2 + 2 / 3) / 4 * entropy([2, 2 / 3], base=2)
    assert gain == pytest.approx(expected)


def test_a_numeric_column_is_cut_first_and_has_no_gain_without_a_cut():
    X = np.column_stack([np.arange(20), np.tile([0, 1], 10)])
    np.testing.assert_allclose(attribute_gains(X, np.arange(20) >= 10), [1, 0])


def test_weights_are_rows_counted_several_times():
    X, y, times = [["u"], ["v"], ["v"], [None]], ["a", "a", "b", "b"], [3, 1, 2, 0]
    repeated = attribute_gains(np.repeat(np.array(X, dtype=object), times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(attribute_gains(X, y, sample_weight=times), repeated)


def test_a_column_without_values_has_no_gain():
    assert attribute_gains([[None, 1.0], [None, 2.0]], ["a", "b"])[0] == 0


def test_an_unknown_kind_raises_with_the_nearest_name():
    with pytest.raises(ParameterError, match="Did you mean 'info_gain'"):
        attribute_gains([[1], [2]], [0, 1], kind="infogain")


@given(n_rows=st.integers(1, 10**7))
def test_the_grid_goes_from_one_to_all_rows_without_repeating(n_rows):
    grid = grid_of_k(n_rows)
    assert (grid[0], grid[-1]) == (1, n_rows)
    assert grid == sorted(set(grid))
    assert len(grid) == min(26, n_rows)
