"""What the study of Zadrozny & Elkan (2001) measures beside MSE and log-loss, as functions that it can import."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics import lift, profit

__all__ = ["highest_score", "lift_at", "lowest_score", "n_scores", "profit_per_person"]


def profit_per_person(
    y_true: Any, y_proba: Any, *, amount: Any, estimated_amount: Any, cost: float = 0.68, sample_weight: Any = None
) -> float:
    """Return the profit of mailing where p y(x) > cost, divided by the number of people that the rows represent.

    Examples
    --------
    >>> round(profit_per_person([1, 0], [0.1, 0.2], amount=[20, 0], estimated_amount=[10, 1], sample_weight=[1, 3]), 2)
    4.83
    """
    amounts = {"amount": amount, "estimated_amount": estimated_amount, "cost": cost}
    total = profit(y_true, y_proba, sample_weight=sample_weight, **amounts)
    return total / float(len(y_true) if sample_weight is None else np.sum(sample_weight))


def lift_at(y_true: Any, y_proba: Any, *, fraction: float, sample_weight: Any = None) -> float:
    """Return the lift of the most likely fraction of the rows.

    Examples
    --------
    >>> lift_at([1, 0, 1, 0], [0.9, 0.8, 0.2, 0.1], fraction=0.25)
    2.0
    """
    return float(lift(y_true, y_proba, fraction=fraction, sample_weight=sample_weight))


def lowest_score(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001 - the signature of a metric
    """Return the least probability of the positive class."""
    return float(np.asarray(y_proba)[:, -1].min())


def highest_score(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001
    """Return the greatest probability of the positive class."""
    return float(np.asarray(y_proba)[:, -1].max())


def n_scores(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001
    """Return the number of different probabilities: 1 for a tree that is a single leaf."""
    return float(len(np.unique(np.asarray(y_proba)[:, -1])))
