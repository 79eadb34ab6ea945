"""Tables in bins: bytes that stand for neighbouring values, in bins of about equal weight."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrant.data import MDLDiscretizer
from calibrant.data._coding.coded_table import code_columns
from calibrant.data._frames.columns import fit_columns
from calibrant.exceptions import ParameterError
from calibrant.files import load_model, save
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
VALUES = RANDOM.normal(size=5_000)


def binned(frame, max_bins, weights=None):
    return code_columns(fit_columns(frame), weights, max_bins)


def test_as_many_bins_as_distinct_values_are_the_exact_codes():
    frame = pd.DataFrame({"a": [3.0, 1.0, np.nan, 3.0], "b": list("uvwu")})
    exact, bins = binned(frame, None), binned(frame, 3)
    for column in range(2):
        known = exact.codes(column) != exact.missing_code(column)
        np.testing.assert_array_equal(bins.codes(column)[known], exact.codes(column)[known])
        np.testing.assert_array_equal(bins.codes(column) == 255, ~known)
    np.testing.assert_array_equal(bins.values(0), [1.0, 3.0])
    assert bins.lows(0) is None


@pytest.mark.parametrize("max_bins", [2, 17, 255])
def test_bins_hold_about_equal_weight_as_numpys_quantiles_do(max_bins):
    table = binned(VALUES[:, np.newaxis], max_bins)
    counts = np.bincount(table.codes(0), minlength=max_bins)
    assert len(counts) == max_bins
    assert np.ptp(counts) <= 1
    quantiles = np.quantile(VALUES, np.arange(1, max_bins + 1) / max_bins, method="inverted_cdf")
    np.testing.assert_array_equal(table.values(0), quantiles)


def test_a_weight_of_two_is_the_row_twice():
    weights = RANDOM.integers(1, 4, len(VALUES)).astype(float)
    table = binned(VALUES[:, np.newaxis], 20, weights)
    repeated = binned(np.repeat(VALUES, weights.astype(int))[:, np.newaxis], 20)
    np.testing.assert_array_equal(table.values(0), repeated.values(0))
    np.testing.assert_array_equal(table.lows(0), repeated.lows(0))


def test_bins_are_bounded_by_values_of_the_column_and_do_not_overlap():
    table = binned(VALUES[:, np.newaxis], 30)
    highs, lows, codes = table.values(0), table.lows(0), table.codes(0)
    assert np.isin(highs, VALUES).all()
    assert np.isin(lows, VALUES).all()
    assert (highs[:-1] < lows[1:]).all()
    assert ((lows[codes] <= VALUES) & (highs[codes] >= VALUES)).all()


@pytest.mark.parametrize("special", [[np.inf, -np.inf], [0.0, -0.0]])
def test_infinities_and_zeros_have_bins_of_their_own(special):
    column = np.array([*special, 1.0, 2.0, np.nan])[:, np.newaxis]
    table, exact = binned(column, 255), binned(column, None)
    np.testing.assert_array_equal(table.codes(0)[:4], exact.codes(0)[:4])
    np.testing.assert_array_equal(table.values(0), exact.values(0))


def test_a_column_without_numbers_has_no_bins():
    table = binned([[np.nan, 1.0], [np.nan, 2.0]], 4)
    assert table.codes(0).tolist() == [255, 255]
    assert len(table.values(0)) == 0


@pytest.mark.parametrize("max_bins", [300, 70_000])
def test_more_bins_than_a_byte_has_are_exact_codes_of_coarser_values(max_bins):
    column = np.append(RANDOM.normal(size=100_000), np.nan)[:, np.newaxis]
    table = binned(column, max_bins)
    assert table.codes(0).dtype in (np.uint16, np.uint32)
    assert len(table.values(0)) == max_bins
    assert table.codes(0)[-1] == table.missing_code(0)
    highs = table.values(0)
    np.testing.assert_array_equal(table.codes(0)[:-1], np.searchsorted(highs, column[:-1, 0]))


def test_many_categories_take_more_than_a_byte():
    frame = pd.DataFrame({"town": [f"t{i}" for i in range(300)], "age": np.arange(300.0)})
    table = binned(frame, 10)
    assert table.codes(0).dtype == np.uint16
    assert len(np.unique(table.codes(1))) == 10


def test_a_pickled_table_is_the_same():
    frame = pd.DataFrame({"a": np.append(VALUES, np.nan), "b": ["u", "v", None] * 1667})
    table = binned(frame, 12)
    again = pickle.loads(pickle.dumps(table))  # noqa: S301
    for column in range(2):
        np.testing.assert_array_equal(again.codes(column), table.codes(column))
    np.testing.assert_array_equal(again.lows(0), table.lows(0))


def test_the_discretizer_finds_the_exact_cuts_with_as_many_bins_as_values():
    X, y = RANDOM.normal(size=(400, 2)).round(1), RANDOM.integers(0, 2, 400)
    y[X[:, 0] > 0.5] = 1
    exact, bins = MDLDiscretizer().fit(X, y), MDLDiscretizer(max_bins=255).fit(X, y)
    assert len(exact.cut_points_[0]) > 0
    for one, other in zip(exact.cut_points_, bins.cut_points_, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(exact.inverse_transform([[0, 0]]), bins.inverse_transform([[0, 0]]))


def test_the_discretizer_cuts_between_bins_only_half_way_to_the_next_value():
    X = RANDOM.normal(size=(3_000, 1))
    bins = MDLDiscretizer(max_bins=16).fit(X, X[:, 0] > 0.5)
    cuts, ordered = bins.cut_points_[0], np.sort(X[:, 0])
    below = np.searchsorted(ordered, cuts)
    assert len(cuts) > 0
    np.testing.assert_array_equal(cuts, (ordered[below - 1] + ordered[below]) / 2)
    assert np.isin(below, np.ceil(np.arange(1, 16) * 3_000 / 16)).all()


def test_max_bins_must_be_two_at_least():
    with pytest.raises(ParameterError, match=r"max_bins must be an int >= 2 or None; got 1\."):
        MDLDiscretizer(max_bins=1).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("max_bins", [20, 300])
@pytest.mark.parametrize("threshold", ["observed", "midpoint"])
def test_no_cut_divides_a_bin_that_does_not_fit_a_byte(max_bins, threshold):
    towns = [f"town {number}" for number in RANDOM.integers(0, 300, 3_000)]
    frame = pd.DataFrame({"a": VALUES[:3_000], "b": VALUES[2_000:], "town": towns})
    y = (frame["a"] + frame["b"] ** 2 + RANDOM.normal(size=3_000) > 0).to_numpy().astype(int)
    model = ProbabilityTreeClassifier(max_bins=max_bins, threshold=threshold, max_depth=6).fit(frame, y)
    counts = np.zeros_like(model.tree_.counts)
    np.add.at(counts, (model.apply(frame), y), 1)
    leaves = model.tree_.feature < 0
    np.testing.assert_array_equal(counts[leaves], model.tree_.counts[leaves])


@pytest.mark.parametrize("max_bins", [20, 300])
def test_least_values_of_bins_are_pickled_with_codes_of_two_bytes(max_bins):
    table = binned(VALUES[:, np.newaxis], max_bins).take(np.arange(4_000))
    again = pickle.loads(pickle.dumps(table))  # noqa: S301
    assert table.codes(0).dtype == np.uint16
    np.testing.assert_array_equal(again.lows(0), table.lows(0))
    np.testing.assert_array_equal(again.codes(0), table.codes(0))


def test_a_model_file_holds_the_least_values_of_bins_of_two_bytes(tmp_path):
    model = ProbabilityTreeClassifier(max_bins=300, max_depth=3).fit(VALUES[:, np.newaxis], VALUES > 0)
    save(model, tmp_path / "model.calibrant", training_rows=True)
    loaded = load_model(tmp_path / "model.calibrant")
    np.testing.assert_array_equal(loaded._grown_tree.examples.table.lows(0), model._grown_tree.examples.table.lows(0))
