"""A table that has been understood: features, class, weights, split and the kind of each column."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np

from calibrant.exceptions import DataError, DataTypeError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Kind", "Table"]

Kind = Literal["numeric", "nominal"]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Features and class of one data set, with what was decided about each column.

    Parameters
    ----------
    X : pandas.DataFrame
        The features. Nominal columns are categorical where their values were declared, else strings or truth values.
    y : pandas.Series or None
        The class of each row; categorical where the file declares the classes and their order. None: no class column.
    name : str
        The name of the data set.
    positive : object, optional
        The class of interest, as it stands in ``y``.
    sample_weight : ndarray of float64, optional
        A weight for each row.
    extra : pandas.DataFrame, optional
        Columns that are not features, such as the amount given or a customer's number.
    split : pandas.Series, optional
        The official part of each row, such as ``"train"`` and ``"test"``.
    kinds : mapping of str to {"numeric", "nominal"}
        The kind of each column of ``X``; told from their types where it is not given. It cannot be changed.
    notes : tuple of str
        What the reader decided, a sentence each.

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
        """Rows of each class that has any: in the declared order, else sorted, else as they come."""
        if self.y is None:
            return {}
        counts = self.y.value_counts(sort=False)
        with contextlib.suppress(TypeError):  # labels of several types have no order
            counts = counts.sort_index()
        return {label: int(n) for label, n in counts.items() if n}

    def take(self, rows: ArrayLike) -> Table:
        """Give the table of some rows, the row index starting at 0 again.

        Parameters
        ----------
        rows : array-like of int or bool
            Positions, negative ones from the end, or a mask with a truth value for each row.

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
        """Give the rows of one part of the official split.

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
        from calibrant.data._tables.display import as_html

        return as_html(self)


class _Kinds(Mapping[str, Kind]):
    """A dict that can only be read; unlike a ``mappingproxy`` it can be pickled, and it shows itself as a dict."""

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


def _kinds(X: pd.DataFrame, given: Mapping[str, Kind]) -> dict[str, Kind]:
    # `_frames` needs the kinds that this file names.
    from calibrant.data._frames.columns import kinds_of, repeated

    columns = list(X.columns)
    if not given:
        return dict(zip(columns, kinds_of(X).values(), strict=True)) if columns else {}
    if twice := repeated(columns):
        raise SchemaError(f"X has the column {twice[0]!r} more than once; rename or drop one.")
    _check_names(given, columns)
    return {column: given[column] for column in columns}


def _check_names(given: Mapping[str, Kind], columns: list[str]) -> None:
    there = set(columns)
    if unknown := [name for name in given if name not in there]:
        raise SchemaError(f"kinds names {unknown[0]!r}, which is not a column of X.{nearest(unknown[0], columns)}")
    if missing := [name for name in columns if name not in given]:
        raise SchemaError(f"kinds does not name {missing[0]!r}, which is a column of X.")


def _positions(rows: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    at = _one_dimensional(rows)
    if at.dtype == bool:
        if len(at) != n_rows:
            raise DataError(f"rows is a mask of {len(at):,} for a table of {n_rows:,} rows.")
        return np.flatnonzero(at)
    if len(at) and at.dtype.kind not in "iu":
        raise DataError(f"rows must be whole numbers, or truth values for a mask; got {at[:4].tolist()!r:.60}.")
    outside = at[(at < -n_rows) | (at >= n_rows)]
    if len(outside):
        raise DataError(f"rows names row {outside[0]} of a table of {n_rows:,} rows; the first is 0.")
    return at.astype(np.intp)


def _one_dimensional(rows: ArrayLike) -> NDArray[Any]:
    try:
        at = np.asarray(rows)
        # A mask of pandas or of plain objects says only in its values that it is one.
        at = np.asarray(at.tolist()) if at.dtype == object else at
    except ValueError:  # lists of different lengths
        at = np.empty((0, 0))
    if at.ndim != 1:
        raise DataError(f"rows must be a list of positions or a mask; got {rows!r:.60}.")
    return at
