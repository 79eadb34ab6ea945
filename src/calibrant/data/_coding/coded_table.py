"""Tables whose columns are coded as small integers, shared by all trees, folds and bootstrap replicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._memory import check_table_memory, table_too_large
from calibrant._params import Int, Nothing, Rule
from calibrant._repr import short_repr
from calibrant._threads import n_threads
from calibrant.data._frames.columns import Columns, Nominal, fit_columns
from calibrant.data._frames.schema import Schema
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from calibrant.data._bins.bins import Bins


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodedTable:
    """A table as columns of small integers, immutable and shared without copying.

    A numeric column becomes the ranks of its distinct values, which are kept; a nominal one its category codes.
    Codes are uint16 where they fit, else uint32; the largest code of the type means missing. NaN, None and null
    are missing, infinities are ordinary extreme values, and -0.0 equals 0.0. Use `CodedTable.from_frame` to make one.
    A binned table has one byte a value, row by row, and its numeric codes are those of bins of neighbouring values.

    Parameters
    ----------
    core : calibrant._core.CodedTable
        The columns in the native core.
    schema : Schema
        Names, kinds and categories of the columns.

    Examples
    --------
    >>> coded = CodedTable.from_frame([[2.5, "red"], [0.5, "blue"], [None, "red"]])
    >>> coded.codes(0)
    array([    1,     0, 65535], dtype=uint16)
    >>> coded.values(0), coded.categories(1)
    (array([0.5, 2.5]), ('blue', 'red'))
    """

    core: _core.CodedTable
    schema: Schema

    @classmethod
    def from_frame(cls, X: Any, *, nominal: Nominal = "auto", n_jobs: int | None = None) -> CodedTable:
        """Code a frame of pandas, polars or pyarrow, or an array.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table. Categorical, string, boolean and Enum columns are nominal.
        nominal : "auto", "all", or a sequence of names, positions or booleans
            The columns to treat as nominal, in addition to those whose values are not numbers.
        n_jobs : int, optional
            Number of threads, as in scikit-learn; the codes are the same for any number.

        Returns
        -------
        CodedTable
            The coded table.

        Examples
        --------
        >>> CodedTable.from_frame([[3.0], [1.0]], n_jobs=2).codes(0)
        array([1, 0], dtype=uint16)
        """
        return cls.from_columns(fit_columns(X, nominal), n_jobs=n_jobs)

    @classmethod
    def from_columns(cls, columns: Columns, *, n_jobs: int | None = None) -> CodedTable:
        """Code columns that have been validated."""
        sources = [
            array if feature.kind == "numeric" else (array, len(feature.categories))
            for feature, array in zip(columns.schema.features, columns.arrays, strict=True)
        ]
        return cls(_core.code_table(columns.n_rows, sources, n_threads(n_jobs)), columns.schema)

    def take(self, rows: Any, *, n_jobs: int | None = 1) -> CodedTable:
        """Return the table of some rows as if there were no others, without coding their values again.

        Codes, distinct values and collected categories are those of coding the rows alone. Declared categories stay,
        and so does the kind of each column, also of a column of Python objects that are all missing in these rows.

        Parameters
        ----------
        rows : sequence of int
            Positions of rows, in any order; a row may be repeated.
        n_jobs : int, optional
            Number of threads, as in scikit-learn; the codes are the same for any number.

        Returns
        -------
        CodedTable
            The coded table of these rows.

        Examples
        --------
        >>> coded = CodedTable.from_frame([[2.5, "red"], [0.5, "blue"], [7.5, "red"]])
        >>> taken = coded.take([2, 0, 2])
        >>> taken.codes(0), taken.values(0), taken.categories(1)
        (array([1, 0, 1], dtype=uint16), array([2.5, 7.5]), ('red',))
        """
        features = self.schema.features
        collected = [feature.kind == "nominal" and not feature.declared for feature in features]
        core, kept = _core.take_table(self.core, _positions(rows, self.n_rows), collected, n_threads(n_jobs))
        if not any(collected):
            return CodedTable(core, self.schema)
        taken = tuple(
            replace(feature, categories=tuple(feature.categories[code] for code in codes)) if is_collected else feature
            for feature, is_collected, codes in zip(features, collected, kept, strict=True)
        )
        return CodedTable(core, self.schema if taken == features else replace(self.schema, features=taken))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.core.n_rows

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.core.n_columns

    @property
    def n_bytes(self) -> int:
        """Number of bytes of the codes and values."""
        return self.core.n_bytes

    def codes(self, column: int) -> NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]:
        """Return the codes of a column as a read-only view."""
        return cast("NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]", self.core.codes(self._index(column)))

    def values(self, column: int) -> NDArray[np.float64] | None:
        """Return the distinct values of a numeric column in ascending order, or None for a nominal one.

        Of a binned column they are the greatest values of the bins.
        """
        return cast("NDArray[np.float64] | None", self.core.values(self._index(column)))

    def lows(self, column: int) -> NDArray[np.float64] | None:
        """Return the least value of each bin of a numeric column, or None where each bin has one value."""
        return cast("NDArray[np.float64] | None", self.core.lows(self._index(column)))

    def known_values(self, column: int) -> NDArray[np.float64] | None:
        """Return values of a numeric column in ascending order: the distinct ones, or the ends of its bins."""
        values, lows = self.values(column), self.lows(column)
        return values if values is None or lows is None else np.unique(np.concatenate([lows, values]))

    def categories(self, column: int) -> tuple[Any, ...]:
        """Return the categories of a nominal column in the order of their codes."""
        return self.schema.features[column].categories

    def missing_code(self, column: int) -> int:
        """Return the code that means missing in a column."""
        return int(np.iinfo(self.codes(column).dtype).max)

    def n_missing(self, column: int) -> int:
        """Count the missing values of a column."""
        return self.core.n_missing(self._index(column))

    def _index(self, column: int) -> int:
        return column + self.n_columns if -self.n_columns <= column < 0 else column

    def __reduce__(self) -> tuple[Any, ...]:
        if self.core.byte_matrix is not None:
            bins = [(self.core.n_values(j), self.values(j), self.lows(j)) for j in range(self.n_columns)]
            return _restore_bytes, (self.core.byte_matrix, bins, self.schema)
        columns = [(self.codes(j), self.core.n_values(j), self.values(j)) for j in range(self.n_columns)]
        return _restore, (self.n_rows, columns, self.schema, [self.lows(j) for j in range(self.n_columns)])

    def __repr__(self) -> str:
        nominal = sum(feature.kind == "nominal" for feature in self.schema.features)
        return (
            f"<CodedTable: {self.n_rows:,} rows, {self.n_columns - nominal} numeric and {nominal} nominal columns, "
            f"{self.n_bytes / 2**20:.1f} MiB>"
        )


def _positions(rows: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the positions of rows; raise if they are not positions of rows, or there are none."""
    positions = np.asarray(rows)
    is_right = positions.ndim == 1 and positions.size > 0 and positions.dtype.kind in "iu"
    if not is_right or positions.min() < 0 or positions.max() >= n_rows:
        raise ParameterError(
            f"rows must hold positions of rows, 0 to {n_rows - 1}, at least one; got {short_repr(rows)}."
        )
    return positions.astype(np.int64, copy=False)


def _restore(n_rows: int, columns: list[Any], schema: Schema, lows: Sequence[Any] = ()) -> CodedTable:
    return CodedTable(_core.restore_table(n_rows, columns, list(lows)), schema)


def _restore_bytes(matrix: NDArray[np.uint8], bins: list[Any], schema: Schema) -> CodedTable:
    return CodedTable(_core.byte_table(matrix, bins), schema)


def with_lows(table: CodedTable, lows: Sequence[NDArray[np.float64] | None]) -> CodedTable:
    """Return a table with the least value of each bin of the columns whose values are the greatest ones.

    Examples
    --------
    >>> with_lows(CodedTable.from_frame([[2.5], [7.5]]), [np.array([1.0, 4.0])]).lows(0)
    array([1., 4.])
    """
    columns = [(table.codes(j), table.core.n_values(j), table.values(j)) for j in range(table.n_columns)]
    return _restore(table.n_rows, columns, table.schema, lows)


MAX_BINS: Rule = Int(2) | Nothing()


def code_columns(
    columns: Columns,
    weights: NDArray[np.float64] | None,
    max_bins: int | None,
    *,
    n_drawn: int = 0,
    n_jobs: int | None = None,
) -> CodedTable:
    """Code columns that have been validated: exactly, or with the numeric ones in at most ``max_bins`` bins.

    Where a column does not fit a byte, all are coded exactly, with each number replaced by the greatest of its bin.
    The exact columns of a wide matrix are coded when they are first used where each node draws so few as ``n_drawn``.

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
        return _code_exactly(columns, n_jobs, n_drawn)
    from calibrant.data._bins.bins import bins_of  # bins are made of coded tables

    bins = bins_of(columns, weights, max_bins, n_jobs=n_jobs)
    if bins.fits_bytes:
        return bins.table(bins.code(columns, n_jobs=n_jobs), n_jobs=n_jobs)
    coarse = _code_exactly(replace(columns, arrays=_coarse(columns, bins)), n_jobs)
    # Without them a cut halfway between the greatest values of two bins would divide the second
    return with_lows(
        coarse, [None if lows is highs else lows for highs, lows in zip(bins.highs, bins.lows, strict=True)]
    )


def _code_exactly(columns: Columns, n_jobs: int | None, n_drawn: int = 0) -> CodedTable:
    shape = columns.n_rows, len(columns.arrays)
    check_table_memory(*shape)
    try:
        if columns.matrix is not None and _core.draws_too_few_to_code(*shape, n_drawn):
            values = np.array(columns.matrix.T, dtype=np.float64, order="C")  # the caller may change the matrix
            return CodedTable(_core.code_when_asked(values, n_threads(n_jobs)), columns.schema)
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
