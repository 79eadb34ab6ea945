"""Which rankings a metric looks at: that of the positive class, or those of all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._validation.prediction_rows import Predictions

__all__ = ["check_two_classes", "of_one_or_all", "over_classes", "positive_ranking"]


def check_two_classes(read: Predictions, who: str) -> None:
    """Refuse more than two classes, unless one of them was told to be the positive one."""
    if not read.is_of_one:
        raise ParameterError(
            f"{who} judges one class against all others, and there are {read.n_classes}; pass pos_label=, one of "
            f"{read.classes.tolist()}."
        )


def positive_ranking(read: Predictions, who: str) -> _core.Ranking:
    """Rank the rows by the probability of the positive class.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> positive_ranking(read_predictions([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1]), "auc").auc()
    0.875
    """
    check_two_classes(read, who)
    return read.ranking()


def of_one_or_all(read: Predictions, measure: Callable[[_core.Ranking], float]) -> float:
    """Measure the ranking of the positive class, or of all where there are more than two and none was named."""
    return measure(read.ranking()) if read.is_of_one else over_classes(read, measure)


def over_classes(read: Predictions, measure: Callable[[_core.Ranking], float]) -> float:
    """Average a measure of each class that has rows, against all others, by the weights of the classes.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> read = read_predictions(["a", "b", "c", "c"], [[0.8, 0.1, 0.1], [0.1, 0.5, 0.4], [0, 0.6, 0.4], [0, 0.1, 0.9]])
    >>> over_classes(read, lambda ranking: ranking.auc())  # 1, 2/3 and twice 7/8
    0.8541666666666666
    """
    weights = read.class_weights()
    found = np.flatnonzero(weights)
    return float(np.average([measure(read.ranking(k)) for k in found.tolist()], weights=weights[found]))
