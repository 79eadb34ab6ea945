"""Bins of columns in memory are the weighted quantiles of the rule, by brute force over Fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data._bins.bins import bins_of
from calibrant.data._frames.columns import fit_columns
from calibrant.exceptions import DataError

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 5e-324, -1e308]),
    st.integers(-5, 5).map(float),
    st.floats(),
)


def brute_force(values: list[float], weights: list[Fraction], max_bins: int) -> tuple[list[float], list[float]]:
    """Return the bins by the rule: a bin closes at the first value where the weight so far reaches i / max_bins."""
    known = sorted((value, weight) for value, weight in zip(values, weights, strict=True) if value == value)
    distinct = sorted({value for value, _ in known})
    if len(distinct) <= max_bins:
        return distinct, distinct
    total = sum(weight for _, weight in known)
    highs, lows, so_far, i, low = [], [], Fraction(0), 1, None
    for value in distinct:
        low = value if low is None else low
        so_far += sum(weight for other, weight in known if other == value)
        if so_far * max_bins >= i * total:
            highs.append(value)
            lows.append(low)
            low = None
            while so_far * max_bins >= i * total:
                i += 1
    return highs, lows


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 5)), min_size=1, max_size=60), st.integers(2, 12), st.booleans())
def test_bins_are_those_of_the_rule(rows: list[tuple[float, int]], max_bins: int, weighted: bool) -> None:
    values, weights = [value for value, _ in rows], [weight if weighted else 1 for _, weight in rows]
    bins = bins_of(fit_columns(np.array([values]).T), np.array(weights, float) if weighted else None, max_bins)
    highs, lows = brute_force(values, [Fraction(weight) for weight in weights], max_bins)
    assert bins.highs[0] is not None
    assert bins.lows[0] is not None
    assert bins.highs[0].tolist() == highs
    assert bins.lows[0].tolist() == lows
    assert not np.signbit(bins.highs[0][bins.highs[0] == 0]).any()


def test_fractions_of_weights_are_rounded_so_that_their_order_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    values, weights = rng.normal(size=(2000, 1)), rng.random(2000) ** 5
    order = rng.permutation(2000)
    one, other = bins_of(fit_columns(values), weights, 31), bins_of(fit_columns(values[order]), weights[order], 31)
    assert one.highs[0] is not None
    np.testing.assert_array_equal(one.highs[0], other.highs[0])
    step = 2.0**-45
    exact = brute_force(values[:, 0].tolist(), [Fraction(round(w / step)) for w in weights], 31)
    np.testing.assert_array_equal(one.highs[0], exact[0])


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "datetime64[us]"])
def test_columns_of_any_type_have_bins_at_their_own_values(dtype: str) -> None:
    column = pd.Series(np.arange(100)).astype(dtype)
    columns = fit_columns(pd.DataFrame({"a": column}))
    bins = bins_of(columns, None, 10)
    assert bins.highs[0] is not None
    assert set(bins.highs[0].tolist()) <= set(columns.arrays[0].astype(float).tolist())
    assert len(bins.highs[0]) == 10
    codes = bins.code(columns)[:, 0]
    assert codes.tolist() == np.repeat(np.arange(10), 10).tolist()


def test_codes_are_bins_and_categories_and_255_where_missing() -> None:
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, -np.inf], "b": ["x", "y", None, "x"], "c": [True, False, True, True]})
    columns = fit_columns(X.assign(void=np.nan))
    bins = bins_of(columns, None, 255)
    matrix = bins.code(columns)
    assert matrix.tolist() == [[1, 0, 1, 255], [255, 1, 0, 255], [2, 255, 1, 255], [0, 0, 1, 255]]
    table = bins.table(matrix)
    assert table.codes(0).tolist() == [1, 255, 2, 0]
    assert table.n_missing(1) == 1
    assert table.missing_code(0) == 255


def test_threads_do_not_change_bins() -> None:
    columns = fit_columns(np.random.default_rng(1).normal(size=(500, 6)))
    for one, other in zip(bins_of(columns, None, 20).highs, bins_of(columns, None, 20, n_jobs=3).highs, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_more_than_255_categories_name_the_column() -> None:
    columns = fit_columns(pd.DataFrame({"a": [1.0] * 300, "town": [f"t{i}" for i in range(300)]}))
    bins = bins_of(columns, None, 255)
    assert not bins.fits_bytes
    with pytest.raises(DataError, match=r"column 'town' has 300 categories; at most 255"):
        bins.check_bytes()


def code_by_searchsorted(values: Any, highs: Any) -> Any:
    return np.minimum(np.searchsorted(highs, values), len(highs) - 1)


def test_codes_equal_a_sorted_search() -> None:
    values = np.random.default_rng(5).normal(size=(3000, 2))
    columns = fit_columns(values)
    bins = bins_of(columns, None, 255)
    matrix = bins.code(columns, n_jobs=2)
    for j in range(2):
        np.testing.assert_array_equal(matrix[:, j], code_by_searchsorted(values[:, j], bins.highs[j]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_of_the_columns_of_a_matrix_are_those_of_each_column(dtype: Any) -> None:
    values = np.random.default_rng(6).normal(size=(300, 600)).astype(dtype)
    values[:, 1::4] = values[:, 1::4].round(1)
    values[:, 2::4] = np.where(abs(values[:, 2::4]) < 0.3, -0.0, values[:, 2::4].round(2))
    values[7, 3::8] = np.nan
    together, each = (bins_of(fit_columns(X), None, 50) for X in (values, pd.DataFrame(values)))
    for j in range(600):
        np.testing.assert_array_equal(together.highs[j], each.highs[j], strict=True)
        np.testing.assert_array_equal(together.lows[j], each.lows[j], strict=True)
