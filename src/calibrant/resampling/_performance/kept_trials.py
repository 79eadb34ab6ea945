"""Trials whose predictions were kept: their rows are judged as those of `estimate_performance` are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data._internal import Labels
from calibrant.metrics import numeric
from calibrant.resampling._performance.row_statistics import RowStatistics
from calibrant.resampling._trials.scoring import Scorer
from calibrant.resampling._trials.trial_data import MethodTrial, TrialData


@dataclass(frozen=True, eq=False)
class TestPredictions:
    """The predictions of one trial.

    Parameters
    ----------
    row : array of shape (n_rows,)
        The position of each test row in the data set.
    y_true : array of shape (n_rows,)
        Its class or number.
    y_pred : array of shape (n_rows, n_classes) or (n_rows,)
        The probabilities of the classes, or the predicted number.
    classes : tuple
        The classes in the order of the columns; empty for regression.
    weight, group : array of shape (n_rows,) or None
        The weight and the group of each row.
    """

    __test__ = False  # not a class of tests

    row: NDArray[np.intp]
    y_true: NDArray[Any]
    y_pred: NDArray[np.float64]
    classes: tuple[Any, ...] = ()
    weight: NDArray[np.float64] | None = None
    group: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class KeptTrials:
    """The kept predictions of some methods on the splits that all of them have, as trials.

    Parameters
    ----------
    scorer : Scorer
        Computes the metrics.
    trials : dict of method to list of MethodTrial
        A trial for each split.
    """

    scorer: Scorer
    trials: Mapping[str, list[MethodTrial]]

    @classmethod
    def of(
        cls, kept: Mapping[str, Mapping[int, TestPredictions]], metrics: Sequence[str], pos_label: Any, n_train: int
    ) -> KeptTrials | str:
        """Return the trials of predictions by method and split, or why there are none."""
        splits = sorted(set.intersection(*(set(parts) for parts in kept.values())))
        if not splits:
            return "the predictions were not kept"
        first = [next(iter(kept.values()))[split] for split in splits]
        if metrics and not first[0].classes and not all(metric in numeric.__all__ for metric in metrics):
            return "the metric is not of predicted numbers"
        data = _tested_data(first)
        classes = [] if data.classes is None else data.classes.tolist()
        positive = classes.index(pos_label) if pos_label in classes else max(len(classes) - 1, 0)
        scorer = Scorer(data, dict.fromkeys(metrics), {}, positive, pos_label is not None)
        # Training rows are not kept: over all splits of a plan they are the tested rows
        training = scorer.summarize(np.unique(np.concatenate([part.row for part in first])))

        def trial(split: int, part: TestPredictions) -> MethodTrial:
            values = np.array(scorer.scores(part.y_pred, part.row, training)) if metrics else None
            return MethodTrial(split, 0, part.row, n_train, training, True, values, predictions=part.y_pred)

        return cls(scorer, {name: [trial(split, parts[split]) for split in splits] for name, parts in kept.items()})

    @property
    def n_splits(self) -> int:
        """Number of splits that all methods have."""
        return len(next(iter(self.trials.values())))

    @cached_property
    def statistics(self) -> RowStatistics:
        """The statistics of the means of the metrics over these splits."""
        return RowStatistics.of(self.scorer, self.trials)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The test rows of all splits, one after the other."""
        return np.concatenate([trial.test for trial in next(iter(self.trials.values()))])

    def predictions(self, method: str) -> NDArray[np.float64]:
        """Return the predictions of a method for the test rows of all splits, one after the other."""
        return np.concatenate([np.asarray(trial.predictions) for trial in self.trials[method]])

    def split_counts(self, metric: str) -> NDArray[np.float64] | None:
        """Return the test rows of each split that a proportion or an area counts; None for other metrics."""
        return self.scorer.split_counts(metric, next(iter(self.trials.values())))


def _tested_data(parts: Sequence[TestPredictions]) -> TrialData:
    """Return the tested rows at their positions in the data set; other rows take no part in anything."""
    first, joined = parts[0], dict[str, Any]()
    for name in ("row", "y_true", "weight", "group"):
        is_there = getattr(first, name) is not None
        joined[name] = np.concatenate([getattr(part, name) for part in parts]) if is_there else None
    row, outcome, labels = joined["row"], joined["y_true"], None
    n_rows = int(row.max()) + 1
    if first.classes:
        number = {label: code for code, label in enumerate(first.classes)}
        outcome = np.array([number[label] for label in outcome.tolist()], dtype=np.int32)
        dtype = None if first.y_true.dtype.kind == "U" else first.y_true.dtype
        order = tuple(range(len(number)))
        labels = Labels(np.array(list(first.classes), dtype=dtype), outcome, order, len(number))

    def scattered(values: NDArray[Any] | None) -> Any:
        if values is None:
            return None
        found = np.full(n_rows, values[0], dtype=values.dtype)
        found[row] = values
        return found

    weight, groups = scattered(joined["weight"]), scattered(joined["group"])
    return TrialData(None, None, scattered(outcome), labels, weight, groups, np.arange(n_rows), n_rows)
