"""Validated predictions, in the forms in which metrics take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._numbers import as_floats
from calibrant._repr import listed
from calibrant._threads import n_threads
from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest

_CHUNK_ROWS = 2**15  # a few columns of them, 256 kB each, fit the second-level cache


@dataclass(frozen=True, slots=True, eq=False)
class BinaryRows:
    """The probability of one class for each row, and whether the row is of that class, as the core takes them.

    Parameters
    ----------
    proba : array of shape (n_rows,)
        Probabilities.
    positive : array of bool, of shape (n_rows,)
        Whether each row is of the class.
    weight : array of shape (n_rows,) or None
        The weight of each row, above 0; None where all are 1.
    """

    proba: NDArray[np.float64]
    positive: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Predictions:
    """Validated rows of weight above 0, with the probabilities of all classes.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        The class of each column.
    label : array of shape (n_rows,)
        The column of each row's class.
    table : array of shape (n_rows, n_classes) or (n_rows, 1)
        Probabilities of all classes, or of the positive one of two.
    weights : array of shape (n_rows,) or None
        The weight of each row, above 0; None where all are 1.
    positive : int
        The column of the positive class.
    has_pos_label : bool
        Whether the caller passed `pos_label`.
    kept : array of shape (n_rows,) or None
        The index of each row among all that were passed; None where none has weight 0.
    n_input_rows : int
        Number of rows passed, including those of weight 0.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> predictions = read_predictions(["a", "b"], [[0.9, 0.1], [0.6, 0.4]])
    >>> predictions.classes.tolist(), predictions.positive, predictions.true_class_proba()
    (['a', 'b'], 1, array([0.9, 0.4]))
    """

    classes: NDArray[Any]
    label: NDArray[np.int32]
    table: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    positive: int
    has_pos_label: bool
    kept: NDArray[np.intp] | None
    n_input_rows: int

    @property
    def n_rows(self) -> int:
        """Number of rows of weight above 0."""
        return len(self.label)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def is_binary(self) -> bool:
        """Whether one class is evaluated against all others: there are two, or `pos_label` was passed."""
        return self.n_classes <= 2 or self.has_pos_label

    @property
    def is_one_column(self) -> bool:
        """Whether one column holds the probabilities of two classes."""
        return bool(self.table.shape[1] < self.n_classes)

    @cached_property
    def proba(self) -> NDArray[np.float64]:
        """The probabilities with a column for each class."""
        return _both_columns(self.table, self.positive) if self.is_one_column else self.table

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The weight of each row, also where all are 1."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The index of each row among all that were passed."""
        return np.arange(self.n_input_rows) if self.kept is None else self.kept

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows) if self.weights is None else float(self.weights.sum())

    def column(self, of_class: int) -> NDArray[np.float64]:
        """Return the probability of a class."""
        if self.is_one_column:
            return self.table[:, 0] if of_class == self.positive else 1.0 - self.table[:, 0]
        return self.table[:, of_class]

    def binary_rows(self, of_class: int | None = None) -> BinaryRows:
        """Return one class, by default the positive one, against all others.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> read_predictions(["a", "b", "c"], np.eye(3)).binary_rows(0).positive
        array([ True, False, False])
        """
        which = self.positive if of_class is None else of_class
        return BinaryRows(np.ascontiguousarray(self.column(which)), self.label == which, self.weights)

    def calibration_rows(self) -> BinaryRows:
        """Return the rows that calibration errors compare: the positive of two classes, or the predicted of more.

        With more than two classes, `positive` is whether the predicted class is correct.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> predictions = read_predictions(["a", "b", "c"], [[0.5, 0.3, 0.2], [0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
        >>> predictions.calibration_rows().proba, predictions.calibration_rows().positive
        (array([0.5, 0.6, 0.7]), array([ True, False,  True]))
        """
        if self.n_classes <= 2:
            return self.binary_rows()
        return BinaryRows(self.table.max(axis=1), self.predicted_class() == self.label, self.weights)

    def ranking(self, of_class: int | None = None) -> _core.Ranking:
        """Return the rows sorted by the probability of a class, by default the positive one; sorted once."""
        which = self.positive if of_class is None else of_class
        if which not in self._rankings:
            self._rankings[which] = rank(self.binary_rows(which))
        return self._rankings[which]

    @cached_property
    def rank_order(self) -> NDArray[np.intp]:
        """The rows from the most to the least likely to be positive.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> read_predictions([0, 1, 1], [0.5, 0.2, 0.7]).rank_order
        array([2, 0, 1])
        """
        return np.argsort(-self.column(self.positive), kind="stable")

    @cached_property
    def calibration_ranking(self) -> _core.Ranking:
        """The rows of `calibration_rows` sorted by probability."""
        return self.ranking() if self.n_classes <= 2 else rank(self.calibration_rows())

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """Results that several metrics share, such as the confusion matrix."""
        return {}

    @cached_property
    def _rankings(self) -> dict[int, _core.Ranking]:
        return {}

    def true_class_proba(self) -> NDArray[np.float64]:
        """Return the predicted probability of each row's actual class."""
        if self.is_one_column:
            column = self.table[:, 0]
            return np.where(self.label == self.positive, column, 1.0 - column)
        return np.asarray(self.table[np.arange(self.n_rows), self.label])

    def take(self, rows: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> Predictions:
        """Return some of the rows, with their own weights or with others."""
        own = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            label=self.label[rows],
            table=np.ascontiguousarray(self.table[rows]),
            weights=own if weights is None else weights,
            kept=self.rows[rows],
        )

    def with_rows(
        self, proba: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
    ) -> Predictions:
        """Return other rows of the same two classes, with the probability of the positive class."""
        table = np.ascontiguousarray(proba[:, None])
        return replace(
            self,
            label=np.where(positive, self.positive, 1 - self.positive).astype(self.label.dtype),
            table=table if self.is_one_column else _both_columns(table, self.positive),
            weights=weights,
            kept=None,
            n_input_rows=len(table),
        )

    def zero_probability_rows(self) -> NDArray[np.intp]:
        """Return the index, among all rows passed, of those whose actual class has probability 0."""
        return np.asarray(self.rows[self.true_class_proba() == 0.0])

    def class_weights(self) -> NDArray[np.float64]:
        """Return the weight of the rows of each class."""
        if self.n_classes == 2 and self.weights is None:
            second = np.count_nonzero(self.label)
            return np.array([self.n_rows - second, second], dtype=np.float64)
        return np.bincount(self.label, self.weights, self.n_classes).astype(np.float64)

    def predicted_class(self) -> NDArray[np.intp]:
        """Return the column of each row's largest probability; ties are broken in favor of the lower class.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> read_predictions(["a", "b"], [[0.9, 0.1], [0.5, 0.5]], labels=["b", "a"]).predicted_class()
        array([0, 1])
        """
        order = np.argsort(self.classes, kind="stable")
        if self.is_one_column:
            column = self.table[:, 0]
            is_positive = column > 0.5 if order[1] == self.positive else column >= 0.5
            return np.where(is_positive, self.positive, 1 - self.positive)
        return np.asarray(order[self.table[:, order].argmax(axis=1)])

    def mean(self, values: NDArray[np.float64]) -> float:
        """Return the weighted mean of a value for each row."""
        return float((values if self.weights is None else values * self.weights).sum() / self.total)

    def check_two_classes(self, who: str, hint: str = "") -> None:
        """Raise a ParameterError for more than two classes without a `pos_label`; `hint` is another way out."""
        if not self.is_binary:
            raise ParameterError(
                f"{who} evaluates one class against all others, and there are {self.n_classes}; pass pos_label=, "
                f"one of {self.classes.tolist()}{hint}."
            )

    def positive_ranking(self, who: str) -> _core.Ranking:
        """Return the rows ranked by the probability of the positive class, of two or named by `pos_label`."""
        self.check_two_classes(who)
        return self.ranking()

    def read_codes(self, name: str, values: Any) -> tuple[NDArray[np.intp], list[Any]]:
        """Validate a name for each row, such as its cluster; return codes of the rows of weight above 0, and the names.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> read_predictions([0, 1, 1], [0.2, 0.7, 0.6]).read_codes("groups", ["x", "y", "x"])
        (array([0, 1, 0]), ['x', 'y'])
        """
        if str(getattr(values, "dtype", "")).startswith("period["):  # periods of time are named by their text
            values = [str(period) if period == period else None for period in values]  # NaT is not equal to itself
        try:
            coded = factorize(values)
        except (DataError, DataTypeError) as error:
            expected, got = "a sequence as long as y_true", repr(values)
            if np.ndim(values) == 1:
                expected = "a string, a whole number, a date or a period"
            if np.ndim(values):
                got = f"{type(values).__name__} of shape {np.shape(values)}"
            raise DataError(f"{name} must name the group of each row: {expected}; got {got}.") from error
        if len(coded.codes) != self.n_input_rows:
            raise DataError(f"{name} has {len(coded.codes)} rows, y_proba {self.n_input_rows}; pass one for each row.")
        codes = coded.codes[self.rows]
        if (codes < 0).any():
            first = self.rows[np.flatnonzero(codes < 0)[0]]
            raise DataError(f"{name} has {(codes < 0).sum()} missing value(s) (first at row {first}); drop those rows.")
        found, numbers = np.unique(codes, return_inverse=True)
        names = np.asarray(coded.categories).tolist()
        return numbers, [names[code] for code in found.tolist()]

    def read_labels(self, name: str, labels: Any) -> NDArray[np.int32]:
        """Validate another class for each row, such as a vote, and return the column of each row of weight above 0.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> predictions = read_predictions(["a", "b", "b"], [0.1, 0.6, 0.2], sample_weight=[1, 1, 0])
        >>> predictions.read_labels("vote", ["a", "a", None])
        array([0, 0], dtype=int32)
        """
        codes, categories, _ = read_label_codes(name, labels, self.n_input_rows)
        codes = codes if self.kept is None else codes[self.kept]
        return columns_of(name, codes, categories, self.classes.tolist(), self.kept)

    def read_amounts(self, name: str, values: Any, needed: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return a finite number for each row of weight above 0; rows that are not `needed` may have none."""
        n_input_rows = self.n_input_rows
        try:
            numbers = as_floats(values)
        except (TypeError, ValueError) as error:
            raise DataTypeError(f"{name} must hold numbers: one, or one for each row.") from error
        if numbers.shape not in ((), (n_input_rows,)):
            raise DataError(
                f"{name} has shape {numbers.shape}; pass one number, or one for each of {n_input_rows} rows."
            )
        numbers = np.broadcast_to(numbers, (n_input_rows,))
        numbers = numbers if self.kept is None else numbers[self.kept]
        wrong = ~np.isfinite(numbers) if needed is None else ~np.isfinite(numbers) & needed
        if wrong.any():
            first = self.rows[np.flatnonzero(wrong)[0]]
            raise DataError(f"{name} has {wrong.sum()} NaN or infinite value(s) (first at row {first}).")
        return numbers


def row_chunks(n_rows: int) -> Iterator[slice]:
    """Yield slices of rows that are small enough for temporary arrays to stay in the cache.

    Examples
    --------
    >>> sum(chunk.stop - chunk.start for chunk in row_chunks(100_000))
    100000
    """
    for begin in range(0, n_rows, _CHUNK_ROWS):
        yield slice(begin, min(n_rows, begin + _CHUNK_ROWS))


def threads_for(n_rows: int) -> int:
    """Return the number of threads that pays off for so many rows; results are the same for any number.

    Examples
    --------
    >>> threads_for(100)
    1
    """
    return 1 if n_rows <= _CHUNK_ROWS else n_threads(None)


def rank(rows: BinaryRows) -> _core.Ranking:
    """Return the rows sorted by probability, the highest first.

    Examples
    --------
    >>> rank(BinaryRows(np.array([0.2, 0.9]), np.array([False, True]))).auc()
    1.0
    """
    return _core.Ranking(rows.proba, rows.positive, rows.weight, threads_for(len(rows.proba)))


def _both_columns(proba: NDArray[np.float64], positive: int) -> NDArray[np.float64]:
    columns = [1.0 - proba[:, 0], proba[:, 0]]
    return np.stack(columns if positive == 1 else columns[::-1], axis=1)


def read_label_codes(name: str, labels: Any, n_rows: int) -> tuple[NDArray[np.int32], list[Any], bool]:
    """Return the code of each row, the class of each code, and whether every code is known to occur."""
    if labels is None:
        raise DataTypeError(f"{name} is None; pass the class of each row.")
    coded = factorize(labels)
    if len(coded.codes) != n_rows:
        raise DataError(
            f"{name} has {len(coded.codes)} rows, y_proba {n_rows}; pass one row of probabilities for each label."
        )
    return coded.codes, np.asarray(coded.categories).tolist(), not coded.declared


def columns_of(
    what: str, codes: NDArray[np.int32], categories: list[Any], classes: list[Any], kept: NDArray[np.intp] | None
) -> NDArray[np.int32]:
    """Return the column of each row's class."""
    column = {name: index for index, name in enumerate(classes)}
    column_of_code = np.array([*(column.get(name, -1) for name in categories), -2], dtype=np.int32)
    if codes.min() >= 0 and (column_of_code[:-1] == np.arange(len(categories))).all():
        return codes
    columns = column_of_code[codes]
    if (columns >= 0).all():
        return columns
    wrong = np.flatnonzero(columns == columns.min())
    where = f"(first at row {row_index(wrong[0], kept)})"
    if columns.min() == -2:
        raise DataError(f"{what} has {len(wrong)} missing label(s) {where}; drop those rows or set their weight to 0.")
    name = categories[codes[wrong[0]]]
    raise DataError(
        f"{what} has {len(wrong)} row(s) {where} of classes without a column, such as {name!r}; there are "
        f"{listed(map(repr, classes), 5)}.{nearest(name, classes)} Pass labels= with every class, in the order of the "
        "columns."
    )


def row_index(index: Any, kept: NDArray[np.intp] | None) -> int:
    """Return the index of a row among all that were passed."""
    return int(index if kept is None else kept[index])
