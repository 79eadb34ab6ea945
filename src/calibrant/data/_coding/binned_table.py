"""Columns coded exactly or in bins, one byte a value where bins and categories are few enough."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._memory import check_table_memory, table_too_large
from calibrant._params import Int, Nothing, Rule
from calibrant.data._bins.bins import bins_of
from calibrant.data._coding.coded_table import CodedTable, with_lows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._bins.bins import Bins
    from calibrant.data._frames.columns import Columns

__all__ = ["MAX_BINS", "code_columns"]

MAX_BINS: Rule = Int(2) | Nothing()


def code_columns(
    columns: Columns, weights: NDArray[np.float64] | None, max_bins: int | None, *, n_jobs: int | None = None
) -> CodedTable:
    """Code columns that have been validated: exactly, or with the numeric ones in at most ``max_bins`` bins.

    Where a column does not fit a byte, all are coded exactly, with each number replaced by the greatest of its bin.

    Examples
    --------
    >>> from calibrant.data._frames.columns import fit_columns
    >>> columns = fit_columns([[1.0, "u"], [2.0, "v"], [3.0, None], [4.0, "u"]])
    >>> exact, binned = code_columns(columns, None, None), code_columns(columns, None, 2)
    >>> exact.values(0), binned.values(0)
    (array([1., 2., 3., 4.]), array([2., 4.]))
    >>> binned.codes(0), binned.codes(1)
    (array([0, 0, 1, 1], dtype=uint8), array([  0,   1, 255,   0], dtype=uint8))
    """
    if max_bins is None:
        return _code_exactly(columns, n_jobs)
    bins = bins_of(columns, weights, max_bins, n_jobs=n_jobs)
    if bins.fits_bytes:
        return bins.table(bins.code(columns, n_jobs=n_jobs), n_jobs=n_jobs)
    coarse = _code_exactly(replace(columns, arrays=_coarse(columns, bins)), n_jobs)
    # Without them a cut halfway between the greatest values of two bins would divide the second
    return with_lows(
        coarse, [None if lows is highs else lows for highs, lows in zip(bins.highs, bins.lows, strict=True)]
    )


def _code_exactly(columns: Columns, n_jobs: int | None) -> CodedTable:
    shape = columns.n_rows, len(columns.arrays)
    check_table_memory(*shape)
    try:
        return CodedTable.from_columns(columns, n_jobs=n_jobs)
    except MemoryError:
        raise table_too_large(*shape) from None


def _coarse(columns: Columns, bins: Bins) -> tuple[NDArray[Any], ...]:
    """Return the columns with each number replaced by the greatest of its bin."""
    return tuple(
        array if highs is None or len(highs) == 0 else _greatest_of_bin(array, highs)
        for array, highs in zip(columns.arrays, bins.highs, strict=True)
    )


def _greatest_of_bin(values: NDArray[Any], highs: NDArray[np.float64]) -> NDArray[np.float64]:
    bins = np.minimum(np.searchsorted(highs, values), len(highs) - 1)
    return np.where(np.isnan(values), np.nan, highs[bins])
