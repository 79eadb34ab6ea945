"""The metrics of score cards in words that everybody knows, beside the terms of the field."""

from __future__ import annotations

from collections.abc import Iterable

from calibrant.metrics import METRICS

__all__ = ["MetricWords", "metric_words", "term_words"]

MetricWords = tuple[str, str, str]  # in words, the term, which value is better

_WORDS = {
    "log_loss": ("Surprise at what happens", "log-loss"),
    "brier": ("Squared error of the probabilities", "Brier score"),
    "auc": ("Pairs of rows ranked in the right order", "AUC"),
    "average_precision": ("Share of hits, averaged over the ranking", "average precision"),
    "ks": ("Largest gap between the classes", "KS"),
    "lift": ("Hits in the top tenth, against random", "lift at 10 %"),
    "accuracy": ("Rows classified correctly", "accuracy"),
    "f1": ("Hits against misses and false alarms", "F1"),
    "mcc": ("Agreement of predicted and actual classes", "MCC"),
    "ece": ("Mean distance of probabilities from frequencies", "ECE"),
    "calibration_slope": ("Spread: below 1 too extreme, above 1 too timid", "calibration slope"),
    "calibration_intercept": ("Level: below 0 too high, above 0 too low", "calibration intercept"),
}
_LONG = {
    "auc": "AUC the area under the ROC curve",
    "ks": "KS the statistic of Kolmogorov and Smirnov",
    "mcc": "MCC the correlation of Matthews",
    "ece": "ECE the expected calibration error",
}


def metric_words(metric: str) -> MetricWords:
    """Return a metric in words, its term and which value is better.

    Examples
    --------
    >>> metric_words("accuracy")
    ('Rows classified correctly', 'accuracy', 'higher')
    >>> metric_words("calibration_slope")[2], metric_words("kappa")
    ('nearer to 1', ('kappa', 'kappa', 'higher'))
    """
    known = METRICS[metric]
    better = f"nearer to {known.target:g}" if known.better == "nearer" else known.better
    return *_WORDS.get(metric, (metric.replace("_", " "),) * 2), better


def term_words(metrics: Iterable[str]) -> str:
    """Return what the abbreviations of some metrics mean.

    Examples
    --------
    >>> term_words(["log_loss", "auc", "ece"])
    'AUC the area under the ROC curve; ECE the expected calibration error.'
    """
    return "; ".join(_LONG[metric] for metric in metrics if metric in _LONG) + "."
