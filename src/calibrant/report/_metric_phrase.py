"""A metric within a sentence: in words that everybody knows, with the term of the field."""

from __future__ import annotations

from calibrant.metrics import METRICS
from calibrant.report._predictions.metric_words import metric_words

__all__ = ["metric_heading", "metric_phrase", "metric_term"]


def metric_phrase(name: str) -> str:
    """Return a metric in words, the term of the field beside; a function of the user's by its name.

    Examples
    --------
    >>> metric_phrase("accuracy"), metric_phrase("kappa"), metric_phrase("my_metric")
    ('rows classified correctly (accuracy)', 'kappa', 'my_metric')
    """
    words, term = metric_heading(name)
    return f"{words[0].lower()}{words[1:]} ({term})" if term != words else words


def metric_heading(name: str) -> tuple[str, str]:
    """Return a metric in words, and the term of the field.

    Examples
    --------
    >>> metric_heading("accuracy"), metric_heading("my_metric")
    (('Rows classified correctly', 'accuracy'), ('my_metric', 'my_metric'))
    """
    if name not in METRICS:
        return name, name
    words, term, _ = metric_words(name)
    return words, term or words


def metric_term(name: str) -> str:
    """Return the term of the field, short enough for an axis.

    Examples
    --------
    >>> metric_term("auc"), metric_term("my_metric")
    ('AUC', 'my_metric')
    """
    return metric_heading(name)[1].partition(",")[0]
