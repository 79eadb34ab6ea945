"""Columns as standardised numbers: nominal ones as indicators, all terms with mean 0 and standard deviation 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._saved import Array, Integer, TupleOf, need, saved
from calibrant.data._frames.schema import Schema

_LEAST_SCALE = float(np.finfo(np.float64).tiny)
_FARTHEST = 1e6  # standard deviations: no training row is as far, and products of kernels stay finite


@saved(
    inline=True,
    n_categories=TupleOf(Integer(-1, 2**31), least=1),
    has_missing=Array("b"),
    centre=Array("f8", finite=True),
    factor=Array("f8", finite=True, low=0),
)
@dataclass(frozen=True, eq=False)
class StandardDesign:
    """Terms made of the columns of a table: a number, or an indicator for each category, less its mean over its sd.

    A missing or infinite number is the mean, with an indicator of its own where training rows have any; a missing or
    unknown category has none of the indicators. Terms that are constant in the training rows are 0 for all rows.
    """

    n_categories: tuple[int, ...]  # of a nominal column; -1 for a numeric one
    has_missing: NDArray[np.bool_]  # of each column: whether it has an indicator of missing numbers
    centre: NDArray[np.float64]
    factor: NDArray[np.float64]

    @classmethod
    def of(
        cls, schema: Schema, arrays: Sequence[NDArray[Any]], weights: NDArray[np.float64]
    ) -> tuple[StandardDesign, NDArray[np.float64]]:
        """Return the design that training rows have, and their terms.

        Examples
        --------
        >>> from calibrant.data._frames.columns import fit_columns
        >>> columns = fit_columns([[1.0, "a"], [3.0, "b"]])
        >>> StandardDesign.of(columns.schema, columns.arrays, np.ones(2))[1]
        array([[-1.,  1., -1.],
               [ 1., -1.,  1.]])
        """
        sizes = tuple(len(each.categories) if each.kind == "nominal" else -1 for each in schema.features)
        has_missing = [size < 0 and not np.isfinite(values).all() for size, values in zip(sizes, arrays, strict=True)]
        raw = _raw_terms(arrays, sizes, np.array(has_missing))
        moments = [known_moments(term, weights) for term in raw.T]
        centre = np.array([mean for mean, _, _ in moments])
        factor = np.array([1 / scale if spread else 0.0 for _, scale, spread in moments])
        design = cls(sizes, np.array(has_missing), centre, factor)
        return design, design._standardize(raw)

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return len(self.centre)

    def check_columns(self, schema: Schema) -> None:
        """Raise unless a loaded design has the terms of the columns of a schema."""
        sizes = tuple(len(each.categories) if each.kind == "nominal" else -1 for each in schema.features)
        is_same = self.n_categories == sizes and len(self.has_missing) == len(sizes)
        need(is_same and not self.has_missing[np.array(sizes) >= 0].any(), "has a design of other columns")
        n_terms = sum(1 if size < 0 else size for size in sizes) + int(self.has_missing.sum())
        need(len(self.centre) == len(self.factor) == n_terms, "has a design of other terms than columns")

    def terms(self, columns: Sequence[NDArray[Any]] | NDArray[Any]) -> NDArray[np.float64]:
        """Return the terms of rows, whose columns are validated arrays or a matrix of floats."""
        arrays = list(columns.T) if isinstance(columns, np.ndarray) else columns
        return self._standardize(_raw_terms(arrays, self.n_categories, self.has_missing))

    def _standardize(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore", invalid="ignore"):  # the difference of vast values may be infinite
            raw -= self.centre
            raw *= self.factor
        np.nan_to_num(raw, copy=False, nan=0.0, posinf=_FARTHEST, neginf=-_FARTHEST)
        return np.clip(raw, -_FARTHEST, _FARTHEST, out=raw)


def _raw_terms(
    arrays: Sequence[NDArray[Any]], sizes: Sequence[int], has_missing: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return numbers, with NaN where they are missing or infinite, and indicators."""
    parts: list[NDArray[Any]] = []
    for values, size, is_double in zip(arrays, sizes, has_missing, strict=True):
        if size >= 0:
            parts.append(values[:, np.newaxis] == np.arange(size))
            continue
        is_known = np.isfinite(values)
        parts.append(np.where(is_known, values, np.nan)[:, np.newaxis])
        if is_double:
            parts.append(~is_known[:, np.newaxis])
    return np.hstack(parts, dtype=np.float64, casting="unsafe")


def known_moments(values: NDArray[Any], weight: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean of the known values, their standard deviation or else a unit, and the former even if 0.

    Examples
    --------
    >>> known_moments(np.array([1.0, 3.0, np.nan]), np.ones(3)), known_moments(np.array([4.0]), np.ones(1))
    ((2.0, 1.0, 1.0), (4.0, 4.0, 0.0))
    """
    is_known = np.isfinite(values)
    known, of_known = values[is_known].astype(np.float64), weight[is_known]
    if not len(known):
        return 0.0, 1.0, 0.0
    size = float(np.abs(known).max()) or 1.0  # so that squares of vast values stay finite
    mean = float(np.average(known / size, weights=of_known))
    spread = float(np.sqrt(np.average((known / size - mean) ** 2, weights=of_known)))
    return mean * size, max((spread or 1.0) * size, _LEAST_SCALE), spread * size
