"""Validation of the scores, classes and weights that a calibrator is fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_unmasked_floats
from calibrant._repr import short_repr
from calibrant.data._internal import (
    WeightKind,
    as_frequencies,
    check_weights,
    classes_of_columns,
    code_labels,
    column_names,
    order_columns,
    read_groups,
)
from calibrant.exceptions import DataError, DataTypeError

_LARGEST = float(np.finfo(np.float64).max)
_SUM = 1e-4  # how far the sum of a row of probabilities may be from 1: models that compute in single precision pass


def are_probabilities(table: NDArray[np.float64]) -> bool:
    """Return whether scores can be probabilities: all in [0, 1], and rows of several columns sum to 1.

    Examples
    --------
    >>> are_probabilities(np.array([[0.2], [1.0]])), are_probabilities(np.array([[0.2, 0.9]]))
    (True, False)
    """
    if table.min() < 0.0 or table.max() > 1.0:
        return False
    return table.ndim == 1 or table.shape[1] == 1 or bool((np.abs(table.sum(axis=1) - 1.0) <= _SUM).all())


def one_column(table: NDArray[np.float64], of_difference: bool | None = None) -> NDArray[np.float64]:
    """Return one score for two classes: the column itself, the second probability, or the difference of two margins.

    `of_difference` determines which of the last two it is, as decided in ``fit``; None decides by these scores.

    Examples
    --------
    >>> one_column(np.array([[0.25, 0.75]])), one_column(np.array([[-1.0, 2.0]]))
    (array([0.75]), array([3.]))
    >>> one_column(np.array([[0.25, 0.75]]), of_difference=True)
    array([0.5])
    """
    if table.shape[1] == 1:
        return np.ascontiguousarray(table[:, 0])
    if not (is_of_difference(table) if of_difference is None else of_difference):
        return np.ascontiguousarray(table[:, 1])
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(table[:, 1] - table[:, 0], -_LARGEST, _LARGEST))


def is_of_difference(table: NDArray[np.float64]) -> bool:
    """Return whether the one score of two classes is the difference of two columns.

    Examples
    --------
    >>> is_of_difference(np.array([[0.25, 0.75]])), is_of_difference(np.array([[-1.0, 2.0]]))
    (False, True)
    """
    return table.shape[1] == 2 and not are_probabilities(table)


_SOME = 1_000  # rows that almost always show that scores differ, before all are compared


@dataclass(frozen=True, slots=True, eq=False)
class BinaryScores:
    """One score for each row of positive weight, and whether the row is of the positive class.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Finite numbers, the greater the more probable the positive class.
    positive : array of bool, of shape (n_rows,)
        Whether each row is of the positive class.
    weight : array of shape (n_rows,) or None
        The weight of each row, never 0; None where all are 1.
    groups : array of shape (n_rows,) or None
        The number of each row's group, from 0; None where each unit of weight is a row of its own.
    """

    scores: NDArray[np.float64]
    positive: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    def totals(self) -> tuple[float, float]:
        """Return the weight of the negative and of the positive rows.

        Examples
        --------
        >>> BinaryScores(np.array([0.1, 0.4, 0.9]), np.array([False, True, True])).totals()
        (1.0, 2.0)
        """
        if self.weight is None:
            positives = float(np.count_nonzero(self.positive))
            return len(self.positive) - positives, positives
        positives = float(self.weight[self.positive].sum())
        return float(self.weight[~self.positive].sum()), positives

    def weights(self) -> NDArray[np.float64]:
        """Return the weight of each row as an array."""
        return np.ones(len(self.scores)) if self.weight is None else self.weight

    def take(self, rows: NDArray[Any]) -> BinaryScores:
        """Return some of the rows, by position or by mask.

        Examples
        --------
        >>> BinaryScores(np.array([0.1, 0.4, 0.9]), np.array([False, True, True])).take(np.array([2])).scores
        array([0.9])
        """
        weight, groups = (None if each is None else each[rows] for each in (self.weight, self.groups))
        return BinaryScores(self.scores[rows], self.positive[rows], weight, groups)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rows of positive weight, with their scores, classes and weights.

    Parameters
    ----------
    scores : array of shape (n_rows, n_columns)
        Finite numbers; one column belongs to the last class.
    codes : array of shape (n_rows,)
        The position of each row's class in `classes`.
    classes : array of shape (n_classes,)
        The classes in the order of the columns: sorted, or in that of `labels`.
    weight : array of shape (n_rows,) or None
        The weight of each row, never 0; None where all are 1.
    groups : array of shape (n_rows,) or None
        The number of each row's group, from 0; None where each unit of weight is a row of its own.
    """

    scores: NDArray[np.float64]
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    def weights(self) -> NDArray[np.float64]:
        """Return the weight of each row as an array."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight

    def take(self, rows: NDArray[Any]) -> ScoredRows:
        """Return some of the rows, by position or by mask."""
        weight, groups = (None if each is None else each[rows] for each in (self.weight, self.groups))
        return ScoredRows(self.scores[rows], self.codes[rows], self.classes, weight, groups)

    def weighted_by(self, kind: WeightKind) -> ScoredRows:
        """Return the rows with weights as frequencies; rows with probability weights are groups of their own.

        Examples
        --------
        >>> rows = read_scored([0.1, 0.7, 0.9], [0, 1, 1], [0.25, 0.25, 0.5]).weighted_by("probability")
        >>> rows.weight.round(3), rows.groups
        (array([0.667, 0.667, 1.333]), array([0, 1, 2]))
        """
        weight, groups = as_frequencies(self.weight, kind), self.groups
        if weight is not None and groups is None and kind == "probability":
            groups = np.empty(len(self.codes), dtype=np.intp)  # by value: nothing may depend on the order of the rows
            groups[np.lexsort([weight, *self.scores.T[::-1], self.codes])] = np.arange(len(groups))
        return replace(self, weight=weight, groups=groups)

    def two_class(self) -> BinaryScores:
        """Return the score of the last of two classes, whether there are one or two columns."""
        return BinaryScores(one_column(self.scores), self.codes == 1, self.weight, self.groups)

    def against_rest(self, column: int) -> BinaryScores:
        """Return one class against all others, by its own column."""
        score = np.ascontiguousarray(self.scores[:, column])
        return BinaryScores(score, self.codes == column, self.weight, self.groups)

    def class_weights(self) -> NDArray[np.float64]:
        """Return the weight of the rows of each class.

        Examples
        --------
        >>> read_scored([0.2, 0.6, 0.7], ["no", "yes", "no"], [1, 2, 4]).class_weights()
        array([5., 2.])
        """
        return np.bincount(self.codes, self.weight, len(self.classes)).astype(np.float64)


def read_scores(scores: Any) -> NDArray[np.float64]:
    """Return validated scores: a table of finite numbers, one column for a flat sequence.

    Parameters
    ----------
    scores : array of shape (n_rows,) or (n_rows, n_columns)
        Margins, votes, probabilities or logits; also a series or a frame.

    Returns
    -------
    array of shape (n_rows, n_columns)
        The scores in double precision.

    Examples
    --------
    >>> read_scores([1, 2]).shape
    (2, 1)
    >>> read_scores([0.5, float("nan")])
    Traceback (most recent call last):
    calibrant.exceptions.DataError: scores has 1 NaN (first at row 1); drop those rows or have the model score them.
    """
    try:
        table = as_unmasked_floats(scores)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"scores must hold numbers; {error}.") from error
    if table.ndim not in (1, 2) or 0 in table.shape:
        raise DataError(
            f"scores must have one score a row, or one column a class, and a row or more; got shape {table.shape}."
        )
    table = table.reshape(len(table), -1)
    _check_finite(table)
    return table


def _check_finite(table: NDArray[np.float64]) -> None:
    if np.isfinite(table.min()) and np.isfinite(table.max()):
        return
    nan, infinite = np.isnan(table), np.isinf(table)
    wrong, what, hint = (
        (nan, "NaN", "drop those rows or have the model score them.")
        if nan.any()
        else (infinite, "infinite value(s)", "clip them to the largest finite score.")
    )
    raise DataError(f"scores has {wrong.sum()} {what} (first at row {np.argwhere(wrong)[0, 0]}); {hint}")


def are_equal(table: NDArray[np.float64]) -> bool:
    """Return whether all rows have the same scores.

    Examples
    --------
    >>> are_equal(np.array([[0.5], [0.5]])), are_equal(np.array([[0.5], [0.6]]))
    (True, False)
    """
    first = table[0]
    return bool((table[:_SOME] == first).all() and (table == first).all())


def read_scored(scores: Any, y: Any, sample_weight: Any = None, labels: Any = None, groups: Any = None) -> ScoredRows:
    """Return the validated rows that a calibrator is fitted to; rows of weight 0 are dropped.

    Parameters
    ----------
    scores : array of shape (n_rows,) or (n_rows, n_classes)
        One column, of the last class, or one for each class in sorted order or that of `labels`. Columns of a frame
        are matched by name.
    y : sequence of length n_rows
        The class of each row.
    sample_weight : sequence of length n_rows, optional
        The weight of each row.
    labels : sequence, optional
        The classes in the order of the columns, where `y` may lack one or they are not sorted.
    groups : sequence of length n_rows, optional
        The group of each row.

    Returns
    -------
    ScoredRows
        The rows of positive weight.

    Examples
    --------
    >>> read = read_scored([0.1, 0.7, 0.9], ["no", "yes", "yes"], [1, 2, 0])
    >>> read.scores.ravel(), read.codes, read.weight
    (array([0.1, 0.7]), array([0, 1], dtype=int32), array([1., 2.]))
    """
    table = read_scores(scores)
    weight = check_weights(sample_weight, len(table))
    rows = None if weight is None or weight.all() else np.flatnonzero(weight)
    coded = code_labels(y, len(table), rows)
    numbers = read_groups(groups, len(table), rows)
    if rows is not None and weight is not None:
        table, weight = table[rows], weight[rows]
    return in_order_of_columns(
        ScoredRows(table, coded.codes, coded.classes, weight, numbers), column_names(scores), labels
    )


def in_order_of_columns(rows: ScoredRows, names: list[Any], labels: Any) -> ScoredRows:
    """Return rows with the classes in the order of `labels` and the columns of scores in that of the classes.

    ``names`` are those of the columns, none for an array; a class that only a column has is added.
    """
    in_order = rows.classes if labels is None else np.asarray(labels)
    if in_order.ndim != 1 or not len(in_order):
        raise DataError(f"labels must be the classes in the order of the columns; got {short_repr(labels)}.")
    known = in_order.tolist()
    named = classes_of_columns("scores", names, known, may_add=labels is None)
    if named is not None and len(named) > len(known):
        labels = np.unique(named)
    ordered = order_classes(rows, labels)
    return replace(ordered, scores=_order_scores(rows.scores, named, ordered.classes.tolist()))


def read_named_scores(scores: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return validated scores of known classes, the columns of a frame in the order of the classes.

    Examples
    --------
    >>> import pandas
    >>> read_named_scores(pandas.DataFrame({"yes": [0.1], "no": [0.9]}), np.array(["no", "yes"]))
    array([[0.9, 0.1]])
    """
    table, known = read_scores(scores), classes.tolist()
    return _order_scores(table, classes_of_columns("scores", column_names(scores), known), known)


def _order_scores(table: NDArray[np.float64], named: list[Any] | None, classes: list[Any]) -> NDArray[np.float64]:
    """Return the columns in the order of the classes; raise if a single one is not that of the last class."""
    if table.shape[1] > 1 or named is None:
        return order_columns(table, named, classes)
    if named[0] != classes[-1]:
        raise DataError(
            f"scores has one column, of the class {named[0]!r}; one column must be that of the last of {classes}. Pass "
            "that column, or labels= with the class of the column last."
        )
    return table


def order_classes(scored: ScoredRows, labels: Any) -> ScoredRows:
    """Return the rows with their classes in the order of the columns, and check the number of columns.

    Parameters
    ----------
    scored : ScoredRows
        Rows with sorted classes, of which some may be without a row.
    labels : sequence or None
        The classes in the order of the columns; None keeps those of `scored`.

    Returns
    -------
    ScoredRows
        The same rows, coded by the new order.

    Examples
    --------
    >>> rows = ScoredRows(np.array([[0.1], [0.7]]), np.array([0, 1]), np.array(["no", "yes"]))
    >>> order_classes(rows, ["yes", "no"]).codes
    array([1, 0], dtype=int32)
    """
    has_rows = np.bincount(scored.codes, minlength=len(scored.classes)) > 0
    with_rows = scored.classes[has_rows].tolist()
    n_columns = scored.scores.shape[1]
    if labels is not None:
        classes = np.asarray(labels)
        index = {value: position for position, value in enumerate(classes.tolist())}
        if len(index) != len(classes):
            raise DataError(f"labels must be distinct; got {classes.tolist()}.")
        unknown = [value for value in with_rows if value not in index]
        if unknown:
            raise DataError(f"y has the class {unknown[0]!r}, which is not in labels: {classes.tolist()}.")
        positions = np.array([index.get(value, -1) for value in scored.classes.tolist()], dtype=np.int32)
        scored = replace(scored, classes=classes, codes=positions[scored.codes])
    if len(with_rows) == 1:
        raise DataError(f"y has one class only ({with_rows[0]!r}); a calibrator needs rows of two classes or more.")
    if len(scored.classes) != max(n_columns, 2):
        raise DataError(
            f"y has {len(scored.classes)} classes and scores has {n_columns} column(s); pass one column for two "
            "classes, or one for each class (and labels= where y lacks a class)."
        )
    return scored


def check_has_inverse(*, is_constant: bool) -> None:
    """Raise if a map is constant.

    Examples
    --------
    >>> check_has_inverse(is_constant=True)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: this map is constant, so it has no inverse: the scores in fit do not predict y.
    """
    if is_constant:
        raise DataError("this map is constant, so it has no inverse: the scores in fit do not predict y.")


def check_every_class_has_rows(scored: ScoredRows, remedy: str = " or a penalty") -> None:
    """Raise if a class has no rows, since nothing would bound its intercept."""
    empty = np.flatnonzero(scored.class_weights() == 0)
    if len(empty):
        name = scored.classes.tolist()[empty[0]]
        raise DataError(
            f"y must have rows of every class; got none of the class {name!r}. Calibrate with rows of every "
            f"class{remedy}."
        )
