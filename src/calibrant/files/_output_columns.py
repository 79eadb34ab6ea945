"""The columns that predictions are written as: kept ones or row numbers, probabilities, classes, actions, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data._internal import Chunk
from calibrant.estimates import Frequency, Laplace
from calibrant.exceptions import DataError, ParameterError
from calibrant.files._description import is_calibrants
from calibrant.trees import ProbabilityTreeClassifier

if TYPE_CHECKING:
    from calibrant.decisions import CostMatrix

_CLAIMED = "intervals are claimed to cover only for an honest tree with the estimate 'laplace' or 'frequency'"


def check_has_intervals(model: Any) -> None:
    """Raise, with the reason, if the coverage of a model's intervals is not claimed.

    Examples
    --------
    >>> from calibrant.bayes import NaiveBayesClassifier
    >>> check_has_intervals(NaiveBayesClassifier())
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: interval: NaiveBayesClassifier has no intervals; intervals are claimed ...
    """
    name = type(model).__name__
    advice = "fit one with --method tree --param honest=true, or leave the intervals out."
    if not isinstance(model, ProbabilityTreeClassifier):
        raise ParameterError(f"interval: {name} has no intervals; {_CLAIMED}: {advice}")
    if not model.honest:
        why = "the rows that chose this tree's tests are counted in its leaves, so its intervals are too narrow"
        raise ParameterError(f"interval: {why}; {_CLAIMED}: {advice}")
    if not (model.estimate in ("laplace", "frequency") or isinstance(model.estimate, Laplace | Frequency)):
        raise ParameterError(f"interval: this tree has the estimate {model.estimate!r}; {_CLAIMED}: {advice}")


def predict_intervals(model: Any, X: Any, confidence: float) -> NDArray[np.float64]:
    """Return the lower and upper end of each class for each row."""
    found: NDArray[np.float64] = model.predict_interval(X, confidence)
    return found


ROW = "row"


@dataclass
class OutputColumns:
    """Predicts the rows of chunks, and adds up what the result reports.

    Parameters
    ----------
    model : classifier
        The fitted model.
    costs : CostMatrix or None
        Costs of actions for the classes of the model, in their order.
    confidence : float or None
        Confidence of the intervals; None: no intervals.
    proba_only : bool
        Whether predicted classes are left out.
    """

    model: Any
    costs: CostMatrix | None
    confidence: float | None
    proba_only: bool
    n_rows: int = 0
    total_cost: float = 0.0
    proba_sums: NDArray[np.float64] = field(init=False)
    counts: NDArray[np.intp] = field(init=False)
    action_counts: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        self.classes: list[Any] = np.asarray(self.model.classes_).tolist()
        self.proba_sums = np.zeros(len(self.classes))
        self.counts = np.zeros(len(self.classes), dtype=np.intp)
        self.action_counts = np.zeros(0 if self.costs is None else self.costs.n_actions, dtype=np.intp)
        # The predicted class of a model that decides by costs, or of another library, may not be the most probable one.
        is_decider = type(self.model).__module__.startswith("calibrant.decisions")
        self._predicts = is_decider or not is_calibrants(self.model)

    def names(self, kept: Sequence[str]) -> list[str]:
        """Return the names of the columns; raise if one of the kept columns has a name of another."""
        own = [f"probability_{label}" for label in self.classes]
        own += [] if self.proba_only else ["prediction"]
        own += [] if self.costs is None else ["action", "expected_cost"]
        own += (
            [] if self.confidence is None else [f"{end}_{label}" for label in self.classes for end in ("low", "high")]
        )
        taken = [name for name in kept if name in own]
        if taken:
            raise ParameterError(f"keep: {taken[0]!r} is a column of the predictions too; rename it or leave it out.")
        return [*(kept or [ROW]), *own]

    def table(self, chunk: Chunk) -> Any:
        """Return the predictions of a chunk as an Arrow table."""
        import pyarrow as pa

        proba = self._probabilities(chunk)
        columns: list[Any] = [] if chunk.kept is None else list(chunk.kept.columns)
        first = self.n_rows + 1
        columns = columns or [pa.array(np.arange(first, first + len(proba)))]
        columns += [pa.array(column) for column in proba.T]
        columns += [] if self.proba_only else [self._labels(chunk, proba)]
        columns += [] if self.costs is None else self._actions(proba, self.costs)
        columns += self._intervals(chunk)
        self.n_rows += len(proba)
        self.proba_sums += proba.sum(axis=0)
        return pa.Table.from_arrays(columns, names=self.names(chunk.kept.column_names if chunk.kept else []))

    def _probabilities(self, chunk: Chunk) -> NDArray[np.float64]:
        proba = np.asarray(self.model.predict_proba(chunk.X), dtype=np.float64)
        if proba.shape != (len(chunk.X), len(self.classes)):
            raise DataError(f"{type(self.model).__name__} returned shape {proba.shape} for {len(chunk.X)} rows.")
        return proba

    def _labels(self, chunk: Chunk, proba: NDArray[np.float64]) -> Any:
        import pyarrow as pa

        if self._predicts:
            labels = np.asarray(self.model.predict(chunk.X))
            code_of = {label: code for code, label in enumerate(self.classes)}
            codes = np.array([code_of[label] for label in labels.tolist()], dtype=np.intp)
        else:
            codes = proba.argmax(axis=1)
        self.counts += np.bincount(codes, minlength=len(self.classes))
        return pa.array(self.classes).take(pa.array(codes))

    def _actions(self, proba: NDArray[np.float64], costs: CostMatrix) -> list[Any]:
        import pyarrow as pa

        expected = costs.expected(proba)
        best = expected.argmin(axis=1)
        least = expected[np.arange(len(best)), best]
        self.action_counts += np.bincount(best, minlength=costs.n_actions)
        self.total_cost += float(least.sum())
        return [pa.array([str(name) for name in costs.actions or ()]).take(pa.array(best)), pa.array(least)]

    def _intervals(self, chunk: Chunk) -> list[Any]:
        import pyarrow as pa

        if self.confidence is None:
            return []
        found = predict_intervals(self.model, chunk.X, self.confidence)
        return [pa.array(np.ascontiguousarray(found[:, j, end])) for j in range(found.shape[1]) for end in (0, 1)]
