"""Which ranking a metric of two classes looks at."""

from __future__ import annotations

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._rows import Predictions

__all__ = ["check_two_classes", "positive_ranking"]


def check_two_classes(read: Predictions, who: str) -> None:
    """Refuse more than two classes, unless one of them was told to be the positive one."""
    if read.n_classes > 2 and not read.is_told:
        raise ParameterError(
            f"{who} judges one class against all others, and there are {read.n_classes}; pass pos_label=, one of "
            f"{read.classes.tolist()}."
        )


def positive_ranking(read: Predictions, who: str) -> _core.Ranking:
    """Rank the rows by the probability of the positive class.

    Examples
    --------
    >>> from calibrant.metrics._predictions import read_predictions
    >>> positive_ranking(read_predictions([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1]), "auc").auc()
    0.875
    """
    check_two_classes(read, who)
    return read.ranking()
