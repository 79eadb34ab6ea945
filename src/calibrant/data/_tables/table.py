"""A data set as a table: features, class, weights, split and the kind of each column."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant._sections import Section, sections_html
from calibrant.exceptions import DataError, DataTypeError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._readers.reading import Reading

Kind = Literal["numeric", "nominal"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Features and class of a data set, with the kind of each column.

    Parameters
    ----------
    X : pandas.DataFrame
        The features. Nominal columns are categorical where their values were declared, else strings or booleans.
    y : pandas.Series or None
        The class of each row; categorical where the file declares the classes and their order. None: no class column.
    name : str
        The name of the data set.
    positive : object, optional
        The class of interest, a value of ``y``.
    sample_weight : ndarray of float64, optional
        A weight for each row.
    extra : pandas.DataFrame, optional
        Columns that are not features, such as an amount or a customer number.
    split : pandas.Series, optional
        The part of the official split that each row is in, such as ``"train"`` and ``"test"``.
    kinds : mapping of str to {"numeric", "nominal"}
        The kind of each column of ``X``, read-only; inferred from the types of the columns by default.
    notes : tuple of str
        Decisions of the reader, one sentence each.
    reading : Reading, optional
        How the file was read: separator, decimal mark, encoding and so on; None for a table that is not from a file.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"age": [31, 64]}), pd.Series(["no", "yes"])
    >>> table = Table(X=X, y=y, name="tiny")
    >>> table.n_rows, table.kinds, table.class_counts
    (2, {'age': 'numeric'}, {'no': 1, 'yes': 1})
    """

    X: pd.DataFrame
    y: pd.Series[Any] | None
    name: str
    positive: object = None
    sample_weight: NDArray[np.float64] | None = None
    extra: pd.DataFrame | None = None
    split: pd.Series[Any] | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        if not nw.dependencies.is_pandas_dataframe(self.X):
            raise DataTypeError(f"X must be a pandas DataFrame; got {type(self.X).__name__}.")
        object.__setattr__(self, "kinds", _Kinds(_kinds(self.X, self.kinds)))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> dict[Any, int]:
        """Number of rows of each class that has any: in declared order, else sorted, else in order of appearance."""
        if self.y is None:
            return {}
        counts = self.y.value_counts(sort=False)
        with contextlib.suppress(TypeError):  # labels of several types have no order
            counts = counts.sort_index()
        return {label: int(n) for label, n in counts.items() if n}

    def take(self, rows: ArrayLike) -> Table:
        """Return the table of some rows, with a new row index from 0.

        Parameters
        ----------
        rows : array-like of int or bool
            Positions (negative ones count from the end), or a mask with a boolean for each row.

        Examples
        --------
        >>> from calibrant.data import load
        >>> load("appeal").take([0, 1, -1]).n_rows
        3
        """
        where = _positions(rows, self.n_rows)

        def pick(part: Any) -> Any:
            return None if part is None else part.iloc[where].reset_index(drop=True)

        weight = None if self.sample_weight is None else self.sample_weight[where]
        return replace(
            self,
            X=pick(self.X),
            y=pick(self.y),
            extra=pick(self.extra),
            split=pick(self.split),
            sample_weight=weight,
        )

    def part(self, name: str) -> Table:
        """Return the rows of one part of the official split.

        Examples
        --------
        >>> from calibrant.data import load
        >>> load("appeal").part("test").n_rows
        500
        """
        if self.split is None:
            raise DataError(f"{self.name} has no official split; use all of its rows.")
        parts = list(dict.fromkeys(self.split))
        if name not in parts:
            raise DataError(f"{self.name} has the parts {parts}; got {name!r}.{nearest(name, parts)}")
        return self.take(self.split.isin([name]))

    def __repr__(self) -> str:
        from calibrant.data._tables.display import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the summary of the table as sections, which notebooks, reports and web pages show."""
        from calibrant.data._tables.display import table_sections

        return table_sections(self)


class _Kinds(Mapping[str, Kind]):
    """A read-only dict; unlike a ``mappingproxy`` it can be pickled, and its repr is that of a dict."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = dict(kinds)

    def __getitem__(self, column: str) -> Kind:
        return self._kinds[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __repr__(self) -> str:
        return repr(self._kinds)


def _kinds(X: pd.DataFrame, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    # imported here because `_frames` imports this module
    from calibrant.data._frames.columns import column_kinds, find_duplicates

    columns = list(X.columns)
    if not kinds:
        return dict(zip(columns, column_kinds(X).values(), strict=True)) if columns else {}
    if duplicates := find_duplicates(columns):
        raise SchemaError(f"X has the column {duplicates[0]!r} more than once; rename or drop one.")
    _check_names(kinds, columns)
    return {column: kinds[column] for column in columns}


def _check_names(kinds: Mapping[str, Kind], columns: list[str]) -> None:
    known = set(columns)
    if unknown := [name for name in kinds if name not in known]:
        raise SchemaError(f"kinds contains {unknown[0]!r}, which is not a column of X.{nearest(unknown[0], columns)}")
    if missing := [name for name in columns if name not in kinds]:
        raise SchemaError(f"kinds does not contain {missing[0]!r}, which is a column of X.")


def _positions(rows: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    positions = _one_dimensional(rows)
    if positions.dtype == bool:
        if len(positions) != n_rows:
            raise DataError(f"rows is a mask of length {len(positions):,} for a table of {n_rows:,} rows.")
        return np.flatnonzero(positions)
    if len(positions) and positions.dtype.kind not in "iu":
        raise DataError(f"rows must be integers, or booleans for a mask; got {positions[:4].tolist()!r:.60}.")
    outside = positions[(positions < -n_rows) | (positions >= n_rows)]
    if len(outside):
        raise DataError(f"rows contains {outside[0]}, but the table has {n_rows:,} rows, numbered from 0.")
    return positions.astype(np.intp)


def _one_dimensional(rows: ArrayLike) -> NDArray[Any]:
    try:
        positions = np.asarray(rows)
        # An object array may hold booleans or integers, which only its values show.
        positions = np.asarray(positions.tolist()) if positions.dtype == object else positions
    except ValueError:  # lists of different lengths
        positions = np.empty((0, 0))
    if positions.ndim != 1:
        raise DataError(f"rows must be a list of positions or a mask; got {rows!r:.60}.")
    return positions
