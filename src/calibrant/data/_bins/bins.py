"""The bins of the columns of a table, and the table coded by them in one byte a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._discretize.mdl import mdl_cuts
from calibrant.data._discretize.stopping_rules import CutRule
from calibrant.data._frames.columns import Columns
from calibrant.data._frames.schema import Schema
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_BYTE_VALUES", "Bins"]

MOST_BYTE_VALUES = 255  # the last code of a byte means missing


@dataclass(frozen=True, eq=False)
class Bins:
    """The greatest and the least value of each bin of the numeric columns, in ascending order; None for nominal ones.

    Examples
    --------
    >>> from calibrant.data._bins.bins_of import bins_of
    >>> from calibrant.data._frames.columns import fit_columns
    >>> bins_of(fit_columns([[1.0], [2.0], [3.0], [4.0]]), None, 2).highs
    (array([2., 4.]),)
    """

    schema: Schema
    highs: tuple[NDArray[np.float64] | None, ...]
    lows: tuple[NDArray[np.float64] | None, ...]

    @property
    def n_values(self) -> list[int]:
        """Number of bins or categories of each column."""
        pairs = zip(self.schema.features, self.highs, strict=True)
        return [len(feature.categories) if highs is None else len(highs) for feature, highs in pairs]

    @property
    def fits_bytes(self) -> bool:
        """Whether each code is a byte."""
        return max(self.n_values) <= MOST_BYTE_VALUES

    def check_bytes(self) -> None:
        """Raise if a column has more bins or categories than a byte has codes."""
        for feature, n_values in zip(self.schema.features, self.n_values, strict=True):
            if n_values > MOST_BYTE_VALUES:
                what = "categories" if feature.kind == "nominal" else "bins"
                raise DataError(
                    f"column {feature.name!r} has {n_values:,} {what}; at most {MOST_BYTE_VALUES} are supported here. "
                    "Group its rare categories, or pass a table in memory."
                )

    def code(self, columns: Columns, out: NDArray[np.uint8] | None = None, *, n_jobs: int | None = 1) -> Any:
        """Return the codes of columns that match the schema, a row of bytes for each row, 255 where missing."""
        matrix = np.empty((columns.n_rows, len(columns.arrays)), dtype=np.uint8) if out is None else out
        sources = [
            (array, len(feature.categories)) if highs is None else array
            for feature, highs, array in zip(self.schema.features, self.highs, columns.arrays, strict=True)
        ]
        if columns.n_rows:
            _core.code_bytes(sources, list(self.highs), matrix, n_threads(n_jobs))
        return matrix

    def mdl_cuts(
        self, column: int, class_weights: NDArray[np.float64], rule: CutRule = "fayyad_irani"
    ) -> NDArray[np.float64]:
        """Return the cut points of a column, none of a nominal one, from the class weights of its bins."""
        highs, lows = self.highs[column], self.lows[column]
        if highs is None or not len(highs):
            return np.empty(0)
        # A row for each bin and class that occur stands for all rows of both, with their weight.
        codes, labels = np.nonzero(class_weights[: len(highs)])
        only = Bins(Schema((self.schema.features[column],), self.schema.named), (highs,), (lows,))
        rows = only.table(np.ascontiguousarray(codes.astype(np.uint8)[:, np.newaxis]))
        weights = class_weights[codes, labels]
        return mdl_cuts(rows, labels, class_weights.shape[1], weights, rule)[0] if len(codes) else np.empty(0)

    def table(self, matrix: NDArray[np.uint8], *, n_jobs: int | None = 1) -> CodedTable:
        """Return the table of a matrix of codes, which is not copied."""
        states = [
            (n_values, highs, lows if highs is not lows else None)
            for n_values, highs, lows in zip(self.n_values, self.highs, self.lows, strict=True)
        ]
        return CodedTable(_core.byte_table(matrix, states, n_threads(n_jobs)), self.schema)
