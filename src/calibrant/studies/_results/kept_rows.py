"""The statistics of `estimate_performance` for the methods of a study, from the test rows of kept predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._internal import Labels
from calibrant.metrics import METRICS, Interval, numeric
from calibrant.resampling._internal import (
    MethodTrial,
    RowStatistics,
    Scorer,
    TestedRows,
    TrainingSummary,
    TrialData,
    row_contributions,
)
from calibrant.studies._results.predictions import TestPredictions, predictions_from_parquet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies._results.study_values import StudyValues

__all__ = ["KeptTrials", "kept_predictions", "read_kept_rows"]


def kept_predictions(study: StudyValues, dataset: str, method: str) -> dict[int, TestPredictions]:
    """Return the predictions of a method by split; empty where none are kept."""
    found = [] if study.read_predictions is None else study.read_predictions(dataset, method)
    return {split: predictions_from_parquet(data) for split, data in sorted(found) if split >= 0}


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
    trials: dict[str, list[MethodTrial]]

    @property
    def n_splits(self) -> int:
        """Number of splits that all methods have."""
        return len(next(iter(self.trials.values())))

    def statistics(self, metrics: Sequence[str]) -> RowStatistics:
        """Return the statistics of the means of metrics over these splits."""
        tested = TestedRows.of(self.scorer.data, next(iter(self.trials.values())))
        found = {}
        for method, trials in self.trials.items():
            for metric in metrics:
                values = np.array([self.scorer.score(metric, *_arguments(trial)) for trial in trials])
                found[method, metric] = row_contributions(self.scorer, metric, trials, values, tested)
        return RowStatistics(tested, found)

    def interval(self, method: str, metric: str, mean: float, confidence: float) -> Interval:
        """Return the interval of the mean of a metric over the splits."""
        trials = self.trials[method]
        row, first = np.unique(np.concatenate([trial.test for trial in trials]), return_index=True)
        predictions = np.concatenate([np.asarray(trial.predictions) for trial in trials])[first]
        counted = self.scorer.n_counted(metric, predictions, row)
        limits = self.scorer.range_of(metric)
        return self.statistics([metric]).interval(method, metric, mean, confidence, limits, counted)


def _arguments(trial: MethodTrial) -> tuple[NDArray[np.float64], NDArray[np.intp], TrainingSummary]:
    return np.asarray(trial.predictions), trial.test, trial.training


def read_kept_rows(
    study: StudyValues, dataset: str, methods: Sequence[str], metrics: Sequence[str]
) -> KeptTrials | str:
    """Return the kept predictions of methods on the splits that all of them have, or why they are not enough."""
    for metric in metrics:
        needs_more = metric in METRICS and METRICS[metric].needs
        if needs_more or metric in study.own_metrics or metric in study.keyed_metrics:
            return f"{metric} cannot be computed from kept predictions alone"
    kept = {method: kept_predictions(study, dataset, method) for method in methods}
    shared = set.intersection(*(set(parts) for parts in kept.values()))
    if not shared:
        return "the predictions were not kept"
    splits = sorted(shared)
    first = [kept[methods[0]][split] for split in splits]
    if metrics and not first[0].classes and not all(metric in numeric.__all__ for metric in metrics):
        return "the metric is not of predicted numbers"
    data = _data(first)
    pos_label = study.plans[dataset].pos_label
    classes = [] if data.classes is None else data.classes.tolist()
    positive = classes.index(pos_label) if pos_label is not None and pos_label in classes else len(classes) - 1
    scorer = Scorer(data, dict.fromkeys(metrics), {}, max(positive, 0), pos_label is not None)
    training = scorer.summarize(np.unique(np.concatenate([part.row for part in first])))
    n_train = study.plans[dataset].n_train
    least = int(n_train[n_train > 0].min())  # 0: the split was not run
    trials = {
        method: [
            MethodTrial(split, 0, parts[split].row, least, training, True, predictions=parts[split].y_pred)
            for split in splits
        ]
        for method, parts in kept.items()
    }
    return KeptTrials(scorer, trials)


def _data(parts: Sequence[TestPredictions]) -> TrialData:
    """Return the tested rows at their positions in the data set; other rows take no part in anything."""
    row = np.concatenate([part.row for part in parts])
    n_rows = int(row.max()) + 1
    classes = parts[0].classes
    outcome = _joined(parts, "y_true")
    labels = None
    if classes:
        number = {label: code for code, label in enumerate(classes)}
        outcome = np.array([number[label] for label in outcome.tolist()], dtype=np.int32)
        labels = Labels(_array(parts[0]), outcome, tuple(range(len(classes))), len(classes))
    by_row: dict[str, Any] = {
        name: None if getattr(parts[0], name) is None else _scattered(_joined(parts, name), row, n_rows)
        for name in ("weight", "group")
    }
    return TrialData(
        X=None,
        y=None,
        outcome=_scattered(outcome, row, n_rows),
        labels=labels,
        weight=by_row["weight"],
        groups=by_row["group"],
        rows=np.arange(n_rows),
        n_passed=n_rows,
    )


def _array(part: TestPredictions) -> NDArray[Any]:
    return np.array(list(part.classes), dtype=None if part.y_true.dtype.kind == "U" else part.y_true.dtype)


def _joined(parts: Sequence[TestPredictions], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _scattered(values: NDArray[Any], row: NDArray[np.intp], n_rows: int) -> NDArray[Any]:
    found = np.full(n_rows, values[0], dtype=values.dtype)
    found[row] = values
    return found
