"""The rows of a part of a source as a calibrator sees them, and what all parts have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._exact_sums import ExactSums, round_weights
from calibrant.calibration._score_columns import are_probabilities
from calibrant.calibration._validation import ScoredRows, read_scores
from calibrant.data._internal import SourcePart, class_codes
from calibrant.exceptions import DataError, DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ScoreRange", "ScoresOfParts", "find_range", "merge_ranges"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRange:
    """What one pass over the parts of a source finds.

    Parameters
    ----------
    low, high : arrays of shape (n_columns,)
        The least and the greatest score of each column.
    are_probabilities : bool
        Whether all scores lie in [0, 1], and those of several columns sum to 1.
    weight : ExactSums
        The sum of the weights.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    are_probabilities: bool
    weight: ExactSums


def find_range(part: SourcePart) -> ScoreRange:
    """Return what a part shows.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._sources.column_roles import ColumnRoles
    >>> from calibrant.data._sources.source_part import make_part
    >>> found = find_range(make_part(pd.DataFrame({"p": [0.2, 0.7], "y": ["no", "yes"]}), ColumnRoles(("p",), "y"), 0))
    >>> found.low, found.high, found.are_probabilities
    (array([0.2]), array([0.7]), True)
    """
    if not part.n_rows:
        none = np.full(len(part.roles.features), np.inf)
        return ScoreRange(none, -none, True, ExactSums(1))
    table, weights = _table(part), np.ones(part.n_rows) if part.weights is None else part.weights
    weight = ExactSums(1).add(weights.reshape(-1, 1))
    return ScoreRange(table.min(axis=0), table.max(axis=0), are_probabilities(table), weight)


def merge_ranges(first: ScoreRange, second: ScoreRange) -> ScoreRange:
    """Return what both show."""
    return ScoreRange(
        np.minimum(first.low, second.low),
        np.maximum(first.high, second.high),
        first.are_probabilities and second.are_probabilities,
        first.weight + second.weight,
    )


def _table(part: SourcePart) -> NDArray[np.float64]:
    try:
        return read_scores(part.X)
    except (DataError, DataTypeError) as error:
        raise type(error)(f"{part.origin}: {error}") from error


@dataclass(frozen=True, slots=True, eq=False)
class ScoresOfParts:
    """How the rows of any part are read: columns in the order of the classes, codes, rounded weights.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        The classes in the order of the columns.
    order : list of int
        The position of each class's column among the features.
    step : float
        What weights are rounded to multiples of.
    is_difference : bool
        Whether the one score of two classes is the difference of two columns.
    are_probabilities : bool
        Whether the scores are probabilities.
    size : float
        What scores are divided by.
    """

    classes: NDArray[Any]
    order: list[int]
    step: float
    is_difference: bool
    are_probabilities: bool
    size: float = 1.0

    def rows(self, part: SourcePart) -> ScoredRows:
        """Return the rows of a part; those of two classes have one column, of which `full_table` makes two again."""
        if not part.n_rows:
            return ScoredRows(np.empty((0, self.n_columns)), np.empty(0, dtype=np.int32), self.classes, None)
        weights = np.ones(part.n_rows) if part.weights is None else round_weights(part.weights, self.step)
        table = _table(part)[:, self.order] / self.size
        if table.shape[1] == 2:
            table = (table[:, 1] - table[:, 0] if self.is_difference else table[:, 1]).reshape(-1, 1)
        codes = class_codes(part, self.classes)
        return ScoredRows(np.ascontiguousarray(table), codes, self.classes, weights)

    @property
    def n_columns(self) -> int:
        """Number of columns of scores that the rows have: one for two classes."""
        return 1 if len(self.order) <= 2 else len(self.order)

    def chunks(self, part: SourcePart, size: int) -> Iterator[ScoredRows]:
        """Yield the rows of a part, at most so many at a time."""
        rows = self.rows(part)
        for start in range(0, len(rows.codes), size):
            yield rows.take(np.arange(start, min(start + size, len(rows.codes))))

    def full_table(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return as many columns as the source has, of which the one score of two classes follows."""
        if len(self.order) != 2:
            return scores
        if self.is_difference:
            return np.hstack([-scores / 2, scores / 2])
        return np.hstack([1.0 - scores, scores])
