"""What a calibrated classifier was given to learn from: rows of any kind, untouched but for taking some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from calibrant._sklearn import num_samples, safe_indexing
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Given", "take_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Rows, their classes and weights, and what else the base estimator's `fit` is to get.

    Parameters
    ----------
    X : frame, array, sparse matrix or list
        The rows as they were given.
    y : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,) or None
        How often each row counts in the map.
    to_fit, to_split : mapping
        Parameters of the base estimator's `fit` and of the splitter's `split`, rows and all.
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    to_fit: Mapping[str, Any] = field(default_factory=dict)
    to_split: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    def only(self, rows: NDArray[np.intp]) -> Given:
        """Give some rows as if there were no others.

        Examples
        --------
        >>> given = Given([[1], [2], [3]], np.array(["a", "b", "a"]), to_fit={"sample_weight": [1, 2, 3], "k": 5})
        >>> part = given.only(np.array([0, 2]))
        >>> part.X, part.y.tolist(), part.to_fit
        ([[1], [3]], ['a', 'a'], {'sample_weight': [1, 3], 'k': 5})
        """
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=self.y[rows],
            weight=None if self.weight is None else self.weight[rows],
            to_fit=self._params_of(self.to_fit, rows),
            to_split=self._params_of(self.to_split, rows),
        )

    def fitted(self, estimator: Any, rows: NDArray[np.intp] | None = None) -> Any:
        """Give a clone of an estimator fitted to all rows, or to some."""
        if rows is None:
            return clone(estimator).fit(self.X, self.y, **self.to_fit)
        X = take_square(self.X, rows, rows) if is_pairwise(estimator) else take_rows(self.X, rows)
        return clone(estimator).fit(X, self.y[rows], **self._params_of(self.to_fit, rows))

    def asked_of(self, estimator: Any, rows: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Give the rows that an estimator fitted to `train` is asked about."""
        return take_square(self.X, rows, train) if is_pairwise(estimator) else take_rows(self.X, rows)

    def _params_of(self, params: Mapping[str, Any], rows: NDArray[np.intp]) -> dict[str, Any]:
        return {name: take_rows(value, rows) if self._is_by_row(value) else value for name, value in params.items()}

    def _is_by_row(self, value: Any) -> bool:
        is_sequence = hasattr(value, "__len__") or hasattr(value, "shape")
        return is_sequence and not isinstance(value, str | Mapping) and np.ndim(value) > 0 and len(value) == self.n_rows


def is_pairwise(estimator: Any) -> bool:
    """Tell whether an estimator takes similarities between rows in place of the rows."""
    return bool(get_tags(estimator).input_tags.pairwise)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Give some rows of what scikit-learn takes, or of an Arrow table, each as it is.

    Examples
    --------
    >>> take_rows([[1, "a"], [2, "b"], [3, "c"]], np.array([2, 0]))
    [[3, 'c'], [1, 'a']]
    """
    return X.take(rows) if type(X).__module__.startswith("pyarrow") else safe_indexing(X, rows)


def take_square(X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """Give the similarities of some rows to others."""
    if np.ndim(X) != 2 or num_samples(X) != np.shape(X)[1]:
        raise DataError(f"X must be square for an estimator of similarities; got shape {np.shape(X)}.")
    return np.asarray(X)[np.ix_(rows, columns)]
