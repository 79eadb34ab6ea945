"""The validated arguments of a wrapper's `fit`: rows of any kind, of which some can be taken, and their classes."""

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

__all__ = ["FitData", "is_pairwise", "take_rows", "take_square"]


@dataclass(frozen=True, slots=True, eq=False)
class FitData:
    """Rows, their classes and weights, and the further arguments of the base estimator's `fit`.

    Parameters
    ----------
    X : frame, array, sparse matrix or list
        The rows as they were passed; the base estimator validates them.
    classes : array of shape (n_classes,)
        The classes of these rows, sorted.
    codes : array of shape (n_rows,)
        The position of each row's class in `classes`. Labels are coded here once; all that follows uses the codes.
    weight : array of shape (n_rows,) or None
        The weight of each row in the map.
    to_fit, to_split : mapping
        Arguments of the base estimator's `fit` and of the splitter's `split`, those with a value a row among them.
    groups : array of shape (n_rows,) or None
        The number of each row's group.
    pieces_of : array of shape (n_rows,) or None
        Where these are pieces of other rows, the row of each.
    target : str or None
        The column of classes where `X` is a source, which the estimator reads by itself.
    """

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64] | None = None
    to_fit: Mapping[str, Any] = field(default_factory=dict)
    to_split: Mapping[str, Any] = field(default_factory=dict)
    groups: NDArray[np.intp] | None = None
    pieces_of: NDArray[np.intp] | None = None
    target: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def y(self) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes[self.codes])

    def subset(self, rows: NDArray[np.intp]) -> FitData:
        """Return some of the rows, with the same classes.

        Examples
        --------
        >>> arguments = {"sample_weight": [1, 2, 3], "k": 5}
        >>> data = FitData([[1], [2], [3]], np.array(["a", "b"]), np.array([0, 1, 0]), to_fit=arguments)
        >>> part = data.subset(np.array([0, 2]))
        >>> part.X, part.y.tolist(), part.to_fit
        ([[1], [3]], ['a', 'a'], {'sample_weight': [1, 3], 'k': 5})
        """
        return replace(
            self,
            X=take_rows(self.X, rows),
            codes=self.codes[rows],
            weight=None if self.weight is None else self.weight[rows],
            to_fit=self._take_arguments(self.to_fit, rows),
            to_split=self._take_arguments(self.to_split, rows),
            groups=None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1],
        )

    def pieces(self, rows: NDArray[np.intp], weight: NDArray[np.float64]) -> FitData:
        """Return pieces of rows as rows with weights of their own, in the map and in the estimator."""
        taken = self.subset(rows)
        return replace(taken, weight=weight, to_fit={**taken.to_fit, "sample_weight": weight}, pieces_of=rows)

    def fit_clone(self, estimator: Any, rows: NDArray[np.intp] | None = None) -> Any:
        """Return a clone of an estimator fitted to all rows, or to some."""
        if rows is None:
            return clone(estimator).fit(self.X, self.y, **self.to_fit)
        X = self.test_rows(estimator, rows, rows)
        return clone(estimator).fit(X, self.classes[self.codes[rows]], **self._take_arguments(self.to_fit, rows))

    def test_rows(self, estimator: Any, rows: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Return some rows in the form that an estimator fitted to the rows `train` predicts."""
        return take_square(self.X, rows, train) if is_pairwise(estimator) else take_rows(self.X, rows)

    def _take_arguments(self, arguments: Mapping[str, Any], rows: NDArray[np.intp]) -> dict[str, Any]:
        return {name: take_rows(value, rows) if self._is_by_row(value) else value for name, value in arguments.items()}

    def _is_by_row(self, value: Any) -> bool:
        is_sequence = hasattr(value, "__len__") or hasattr(value, "shape")
        return is_sequence and not isinstance(value, str | Mapping) and np.ndim(value) > 0 and len(value) == self.n_rows


def is_pairwise(estimator: Any) -> bool:
    """Return whether an estimator takes similarities between rows in place of the rows."""
    return bool(get_tags(estimator).input_tags.pairwise)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of anything that scikit-learn can index, or of an Arrow table, in the same type.

    Examples
    --------
    >>> take_rows([[1, "a"], [2, "b"], [3, "c"]], np.array([2, 0]))
    [[3, 'c'], [1, 'a']]
    """
    if type(X) is np.ndarray:  # scikit-learn takes 100 µs to find that out
        return X[rows]
    return X.take(rows) if type(X).__module__.startswith("pyarrow") else safe_indexing(X, rows)


def take_square(X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """Return the similarities of some rows to others."""
    if np.ndim(X) != 2 or num_samples(X) != np.shape(X)[1]:
        raise DataError(f"X must be square for an estimator of similarities; got shape {np.shape(X)}.")
    return np.asarray(X)[np.ix_(rows, columns)]
