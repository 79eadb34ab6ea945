"""Intervals and differences by the rows of the only test set, from predictions that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.metrics import METRICS, Interval, ScoreCard, evaluate
from calibrant.resampling._internal import NO_INTERVAL
from calibrant.studies._results.predictions import TestPredictions, predictions_from_parquet

if TYPE_CHECKING:
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["kept_predictions", "row_card", "row_interval"]


def kept_predictions(study: StudyValues, dataset: str, method: str) -> TestPredictions | None:
    """Return the predictions of a method for the first split that has some; None where none are kept."""
    found = [] if study.read_predictions is None else study.read_predictions(dataset, method)
    return predictions_from_parquet(min(found)[1]) if found else None


def row_card(study: StudyValues, metric: str, dataset: str, method: str, confidence: float) -> ScoreCard | None:
    """Return the score card of a metric of ours on the rows of the only test set; None where there cannot be one."""
    is_ours = metric in METRICS and metric not in study.own_metrics and not METRICS[metric].needs
    found = kept_predictions(study, dataset, method) if is_ours else None
    if found is None or not found.classes:
        return None
    return evaluate(
        found.y_true,
        found.y_pred,
        metrics=[metric],
        confidence=confidence,
        groups=found.group,
        sample_weight=found.weight,
        labels=list(found.classes),
        pos_label=study.plans[dataset].pos_label,
    )


def row_interval(study: StudyValues, metric: str, dataset: str, method: str, confidence: float) -> Interval:
    """Return the interval of a metric by the rows of the only test set."""
    card = row_card(study, metric, dataset, method, confidence)
    low, high = (None, None) if card is None else (card[metric].low, card[metric].high)
    return NO_INTERVAL if low is None or high is None else Interval(low, high)
