"""The rows of a part of a source as a calibrator sees them, and what all parts have in common."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._exact_sums import ExactSums, round_weights, weight_step
from calibrant.calibration._score_columns import are_probabilities
from calibrant.calibration._validation import ScoredRows, read_scores
from calibrant.data._internal import code_labels
from calibrant.exceptions import CalibrantWarning, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ScoreSurvey", "ScoresOfParts", "merge_surveys", "survey_scores"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSurvey:
    """What one pass over the parts of a source finds.

    Parameters
    ----------
    n_rows : int
        Number of rows of weight above 0.
    classes : frozenset
        The classes that have rows.
    low, high : arrays of shape (n_columns,)
        The least and the greatest score of each column.
    are_probabilities : bool
        Whether all scores lie in [0, 1], and those of several columns sum to 1.
    largest_weight : float
        The greatest weight.
    are_whole : bool
        Whether all weights are whole numbers.
    weight_sum : ExactSums
        The sum of the weights.
    """

    n_rows: int
    classes: frozenset[Any]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    are_probabilities: bool
    largest_weight: float
    are_whole: bool
    weight_sum: ExactSums

    @property
    def step(self) -> float:
        """What weights are rounded to multiples of, so that their sums are exact."""
        if self.are_whole and self.largest_weight * self.n_rows < 2.0**53:
            return 1.0
        return weight_step(self.largest_weight, self.n_rows)


def survey_scores(part: Any) -> ScoreSurvey:
    """Return what a part shows.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._internal import make_part, ColumnRoles
    >>> frame = pd.DataFrame({"p": [0.2, 0.7], "y": ["no", "yes"]})
    >>> survey = survey_scores(make_part(frame, ColumnRoles(("p",), "y"), 0))
    >>> survey.n_rows, sorted(survey.classes), survey.are_probabilities
    (2, ['no', 'yes'], True)
    """
    n_columns = len(part.roles.features)
    if not part.n_rows:
        none = np.full(n_columns, np.inf)
        return ScoreSurvey(0, frozenset(), none, -none, True, 0.0, True, ExactSums(1))
    table, weights = _table(part), np.ones(part.n_rows) if part.weights is None else part.weights
    return ScoreSurvey(
        part.n_rows,
        frozenset(_labels(part).classes.tolist()),
        table.min(axis=0),
        table.max(axis=0),
        are_probabilities(table),
        float(weights.max()),
        bool((weights == np.rint(weights)).all()),
        ExactSums(1).add(weights.reshape(-1, 1)),
    )


def merge_surveys(first: ScoreSurvey, second: ScoreSurvey) -> ScoreSurvey:
    """Return what both show."""
    return ScoreSurvey(
        first.n_rows + second.n_rows,
        first.classes | second.classes,
        np.minimum(first.low, second.low),
        np.maximum(first.high, second.high),
        first.are_probabilities and second.are_probabilities,
        max(first.largest_weight, second.largest_weight),
        first.are_whole and second.are_whole,
        first.weight_sum + second.weight_sum,
    )


def _table(part: Any) -> NDArray[np.float64]:
    try:
        return read_scores(part.X)
    except DataError as error:
        raise type(error)(f"{part.origin}: {error}") from error


def _labels(part: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # many classes in a part: raised for all rows by fit
        try:
            return code_labels(part.y)
        except DataError as error:
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

    def rows(self, part: Any) -> ScoredRows:
        """Return the rows of a part; those of two classes have one column, of which `full_table` makes two again."""
        if not part.n_rows:
            return ScoredRows(np.empty((0, self.n_columns)), np.empty(0, dtype=np.int32), self.classes, None)
        labels, position = _labels(part), {name: code for code, name in enumerate(self.classes.tolist())}
        codes = np.array([position[name] for name in labels.classes.tolist()], dtype=np.int32)[labels.codes]
        weights = np.ones(part.n_rows) if part.weights is None else round_weights(part.weights, self.step)
        table = _table(part)[:, self.order] / self.size
        if table.shape[1] == 2:
            table = (table[:, 1] - table[:, 0] if self.is_difference else table[:, 1]).reshape(-1, 1)
        return ScoredRows(np.ascontiguousarray(table), codes, self.classes, weights)

    @property
    def n_columns(self) -> int:
        """Number of columns of scores that the rows have: one for two classes."""
        return 1 if len(self.order) <= 2 else len(self.order)

    def chunks(self, part: Any, size: int) -> Iterator[ScoredRows]:
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
