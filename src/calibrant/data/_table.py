"""A table that has been understood: features, class, weights, split and the kind of each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.exceptions import DataError, nearest

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
        The kind of each column of ``X``.
    notes : tuple of str
        What the reader decided, a sentence each.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"age": [31, 64]}), pd.Series(["no", "yes"])
    >>> table = Table(X=X, y=y, name="tiny", kinds={"age": "numeric"})
    >>> table.n_rows, table.n_features, table.class_counts
    (2, 1, {'no': 1, 'yes': 1})
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
        """Rows of each class, in the declared order of the classes or sorted; classes without rows are left out."""
        if self.y is None:
            return {}
        counts = self.y.value_counts(sort=False).sort_index()
        return {label: int(n) for label, n in counts.items() if n}

    def take(self, rows: ArrayLike) -> Table:
        """Give the table of some rows (positions or a mask), the row index starting at 0 again.

        Examples
        --------
        >>> from calibrant.data import load
        >>> load("appeal").take([0, 1, 2]).n_rows
        3
        """
        at = np.asarray(rows)
        where = np.flatnonzero(at) if at.dtype == bool else at.astype(np.intp)

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
        return self.take(np.asarray(self.split == name))

    def __repr__(self) -> str:
        from calibrant.data._show import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from calibrant.data._show import as_html

        return as_html(self)
