"""Rows with their probabilities past the door of the metrics, and the forms in which the core takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Predictions", "TwoClass", "parts", "rank", "threads_for"]

_ROWS_OF_PART = 2**15  # a few columns of them fit the cache


@dataclass(frozen=True, slots=True, eq=False)
class TwoClass:
    """The probability of one class for each row that counts, and whether it came true: what the core takes.

    Parameters
    ----------
    proba : array of shape (n_rows,)
        Probabilities.
    positive : array of bool, of shape (n_rows,)
        Whether each row is of the class.
    weight : array of shape (n_rows,) or None
        How often each row counts, never 0; None where each counts once.
    """

    proba: NDArray[np.float64]
    positive: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows that count, with the probabilities of all classes.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        The class of each column.
    label : array of shape (n_rows,)
        The column of each row's class.
    table : array of shape (n_rows, n_classes) or (n_rows, 1)
        Probabilities of all classes, or of the positive one of two.
    weights : array of shape (n_rows,) or None
        How often each row counts, never 0; None where each counts once.
    positive : int
        The column of the positive class.
    is_told : bool
        Whether the caller named the positive class.
    kept : array of shape (n_rows,) or None
        Where each row stood among all that were given; None where every one counts.
    n_given : int
        Number of rows given.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> read = read_predictions(["a", "b"], [[0.9, 0.1], [0.6, 0.4]])
    >>> read.classes.tolist(), read.positive, read.of_own_class()
    (['a', 'b'], 1, array([0.9, 0.4]))
    """

    classes: NDArray[Any]
    label: NDArray[np.int32]
    table: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    positive: int
    is_told: bool
    kept: NDArray[np.intp] | None
    n_given: int

    @property
    def n_rows(self) -> int:
        """Number of rows that count."""
        return len(self.label)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def is_of_one(self) -> bool:
        """Whether the positive class is judged against all others: of two, or of more where the caller named it."""
        return self.n_classes <= 2 or self.is_told

    @property
    def is_one_column(self) -> bool:
        """Whether one column speaks of two classes."""
        return bool(self.table.shape[1] < self.n_classes)

    @cached_property
    def proba(self) -> NDArray[np.float64]:
        """A column for each class."""
        return _both(self.table, self.positive) if self.is_one_column else self.table

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """How often each row counts, also where it is once."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Where each row stood among all that were given."""
        return np.arange(self.n_given) if self.kept is None else self.kept

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows) if self.weights is None else float(self.weights.sum())

    def column(self, of_class: int) -> NDArray[np.float64]:
        """Give the probability of a class."""
        if self.is_one_column:
            return self.table[:, 0] if of_class == self.positive else 1.0 - self.table[:, 0]
        return self.table[:, of_class]

    def two_class(self, of_class: int | None = None) -> TwoClass:
        """Give one class, by default the positive one, against all others.

        Examples
        --------
        >>> from calibrant.metrics._validation.predictions import read_predictions
        >>> read_predictions(["a", "b", "c"], np.eye(3)).two_class(0).positive
        array([ True, False, False])
        """
        which = self.positive if of_class is None else of_class
        return TwoClass(np.ascontiguousarray(self.column(which)), self.label == which, self.weights)

    def judged(self) -> TwoClass:
        """Give the positive of two classes, or of more the decided one and whether it is right.

        Examples
        --------
        >>> from calibrant.metrics._validation.predictions import read_predictions
        >>> read = read_predictions(["a", "b", "c"], [[0.5, 0.3, 0.2], [0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
        >>> read.judged().proba, read.judged().positive
        (array([0.5, 0.6, 0.7]), array([ True, False,  True]))
        """
        if self.n_classes <= 2:
            return self.two_class()
        return TwoClass(self.table.max(axis=1), self.decided() == self.label, self.weights)

    def ranking(self, of_class: int | None = None) -> _core.Ranking:
        """Sort the rows by the probability of a class, by default the positive one; the first time only."""
        which = self.positive if of_class is None else of_class
        if which not in self._rankings:
            self._rankings[which] = rank(self.two_class(which))
        return self._rankings[which]

    @cached_property
    def judged_ranking(self) -> _core.Ranking:
        """The rows of `judged` sorted by probability."""
        return self.ranking() if self.n_classes <= 2 else rank(self.judged())

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What was found once and is asked for by several metrics."""
        return {}

    @cached_property
    def _rankings(self) -> dict[int, _core.Ranking]:
        return {}

    def of_own_class(self) -> NDArray[np.float64]:
        """Give the probability of each row's class."""
        if self.is_one_column:
            column = self.table[:, 0]
            return np.where(self.label == self.positive, column, 1.0 - column)
        return np.asarray(self.table[np.arange(self.n_rows), self.label])

    def class_weights(self) -> NDArray[np.float64]:
        """Give the weight of the rows of each class."""
        if self.n_classes == 2 and self.weights is None:
            second = np.count_nonzero(self.label)
            return np.array([self.n_rows - second, second], dtype=np.float64)
        return np.bincount(self.label, self.weights, self.n_classes).astype(np.float64)

    def decided(self) -> NDArray[np.intp]:
        """Give the column of each row's largest probability; ties go to the lower class, whatever the columns' order.

        Examples
        --------
        >>> from calibrant.metrics._validation.predictions import read_predictions
        >>> read_predictions(["a", "b"], [[0.9, 0.1], [0.5, 0.5]], labels=["b", "a"]).decided()
        array([0, 1])
        """
        order = np.argsort(self.classes, kind="stable")
        if self.is_one_column:
            column = self.table[:, 0]
            is_positive = column > 0.5 if order[1] == self.positive else column >= 0.5
            return np.where(is_positive, self.positive, 1 - self.positive)
        return np.asarray(order[self.table[:, order].argmax(axis=1)])

    def mean(self, values: NDArray[np.float64]) -> float:
        """Give the weighted mean of a value for each row."""
        return float((values if self.weights is None else values * self.weights).sum() / self.total)


def parts(n_rows: int) -> Iterator[slice]:
    """Give rows in parts, so that what is computed on the way stays in the cache.

    Examples
    --------
    >>> sum(part.stop - part.start for part in parts(100_000))
    100000
    """
    for begin in range(0, n_rows, _ROWS_OF_PART):
        yield slice(begin, min(n_rows, begin + _ROWS_OF_PART))


def threads_for(n_rows: int) -> int:
    """Give the threads worth having for so many rows; the figures are the same for any number.

    Examples
    --------
    >>> threads_for(100)
    1
    """
    return 1 if n_rows <= _ROWS_OF_PART else n_threads(None)


def rank(rows: TwoClass) -> _core.Ranking:
    """Sort rows by probability, the likeliest first.

    Examples
    --------
    >>> rank(TwoClass(np.array([0.2, 0.9]), np.array([False, True]))).auc()
    1.0
    """
    return _core.Ranking(rows.proba, rows.positive, rows.weight, threads_for(len(rows.proba)))


def _both(proba: NDArray[np.float64], positive: int) -> NDArray[np.float64]:
    columns = [1.0 - proba[:, 0], proba[:, 0]]
    return np.stack(columns if positive == 1 else columns[::-1], axis=1)
