"""The metrics of score cards in words that everybody knows, beside the terms of the field."""

from __future__ import annotations

from calibrant.metrics import METRICS

__all__ = ["MetricWords", "metric_words", "short_term"]

MetricWords = tuple[str, str]  # in words, and the term with which value is better

_WORDS = {
    "log_loss": ("Surprise at what happens", "log-loss"),
    "mse": ("Squared error of the probabilities", "MSE, summed over the classes"),
    "auc": ("Ranking: pairs of rows in the right order", "AUC, area under the ROC curve"),
    "average_precision": ("Share of hits, averaged over the ranking", "average precision"),
    "ks": ("Largest gap between the classes", "Kolmogorov-Smirnov"),
    "lift": ("Hits in the top tenth, against random", "lift at 10 %"),
    "accuracy": ("Rows classified correctly", "accuracy"),
    "f1": ("Hits against misses and false alarms", "F1"),
    "mcc": ("Agreement of predicted and actual classes", "Matthews correlation"),
    "ece": ("Mean distance of probabilities from frequencies", "ECE, expected calibration error"),
    "calibration_slope": ("Spread: below 1 too extreme, above 1 too timid", "calibration slope"),
    "calibration_intercept": ("Level: below 0 too high, above 0 too low", "calibration intercept"),
}


def metric_words(metric: str) -> MetricWords:
    """Return a metric in words, and its term with which value is better.

    Examples
    --------
    >>> metric_words("accuracy")
    ('Rows classified correctly', 'accuracy: higher is better')
    >>> metric_words("calibration_slope")[1], metric_words("kappa")[0]
    ('calibration slope: nearer to 1 is better', 'kappa')
    """
    known = METRICS[metric]
    better = f"nearer to {known.target:g}" if known.better == "nearer" else known.better
    words, term = _WORDS.get(metric, (metric.replace("_", " "), metric.replace("_", " ")))
    return words, f"{term}: {better} is better"


def short_term(metric: str) -> str:
    """Return the short term of a metric.

    Examples
    --------
    >>> short_term("auc"), short_term("kappa")
    ('AUC', 'kappa')
    """
    return metric_words(metric)[1].partition(":")[0].partition(",")[0]
