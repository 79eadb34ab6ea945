"""The rankings that a metric uses: that of the positive class, or those of all classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._validation.predictions import Predictions

__all__ = ["check_two_classes", "mean_over_classes", "one_or_all_classes", "positive_ranking"]


def check_two_classes(predictions: Predictions, who: str, hint: str = "") -> None:
    """Raise a ParameterError for more than two classes without a `pos_label`; `hint` is another way out."""
    if not predictions.is_binary:
        raise ParameterError(
            f"{who} evaluates one class against all others, and there are {predictions.n_classes}; pass pos_label=, "
            f"one of {predictions.classes.tolist()}{hint}."
        )


def positive_ranking(predictions: Predictions, who: str) -> _core.Ranking:
    """Return the rows ranked by the probability of the positive class.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> positive_ranking(read_predictions([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1]), "auc").auc()
    0.875
    """
    check_two_classes(predictions, who)
    return predictions.ranking()


def one_or_all_classes(predictions: Predictions, measure: Callable[[_core.Ranking], float]) -> float:
    """Return a measure of the positive class's ranking, or its mean over classes without a positive class."""
    return measure(predictions.ranking()) if predictions.is_binary else mean_over_classes(predictions, measure)


def mean_over_classes(predictions: Predictions, measure: Callable[[_core.Ranking], float]) -> float:
    """Return the mean of a measure over the classes that have rows, each against all others, weighted by their rows.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> proba = [[0.8, 0.1, 0.1], [0.1, 0.5, 0.4], [0, 0.6, 0.4], [0, 0.1, 0.9]]
    >>> predictions = read_predictions(["a", "b", "c", "c"], proba)
    >>> round(mean_over_classes(predictions, lambda ranking: ranking.auc()), 4)  # 1, 2/3 and twice 7/8
    0.8542
    """
    weights = predictions.class_weights()
    found = np.flatnonzero(weights)
    return float(np.average([measure(predictions.ranking(k)) for k in found.tolist()], weights=weights[found]))
