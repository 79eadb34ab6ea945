"""The metrics of score cards in words that everybody knows, beside the terms of the field."""

from __future__ import annotations

from calibrant.metrics import METRICS

__all__ = ["MetricWords", "metric_words"]

MetricWords = tuple[str, str, str]  # in words, the term, which value is better

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
    """Return a metric in words, its term and which value is better.

    Examples
    --------
    >>> metric_words("accuracy")
    ('Rows classified correctly', 'accuracy', 'higher')
    >>> metric_words("calibration_slope")[2], metric_words("kappa")
    ('nearer to 1', ('kappa', '', 'higher'))
    """
    known = METRICS[metric]
    better = f"nearer to {known.target:g}" if known.better == "nearer" else known.better
    return *_WORDS.get(metric, (metric.replace("_", " "), "")), better
