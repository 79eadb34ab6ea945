"""Metrics in words that everybody knows, with the term of the field."""

from __future__ import annotations

__all__ = ["metric_words"]

_WORDS = {
    "log_loss": "surprise at the actual classes (log-loss)",
    "mse": "squared error of the probabilities (MSE, Brier score)",
    "auc": "how well rows are ranked (area under the ROC curve, AUC)",
    "ece": "mean distance from the observed frequencies (ECE)",
    "error": "share of wrong classes (error rate)",
    "accuracy": "share of right classes (accuracy)",
    "profit": "profit",
}


def metric_words(name: str) -> str:
    """Return a metric in words, the term of the field beside; its id where it has none here.

    Examples
    --------
    >>> metric_words("error"), metric_words("kappa")
    ('share of wrong classes (error rate)', 'kappa')
    """
    return _WORDS.get(name, name)
