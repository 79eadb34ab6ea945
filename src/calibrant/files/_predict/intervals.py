"""Intervals of predicted probabilities, for the models that claim their coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.estimates import Frequency, Laplace
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["check_has_intervals", "predict_intervals"]

_CLAIMED = "intervals are claimed to cover only for an honest tree with the estimate 'laplace' or 'frequency'"


def check_has_intervals(model: Any) -> None:
    """Raise, with the reason, if the coverage of a model's intervals is not claimed.

    Examples
    --------
    >>> from calibrant.bayes import NaiveBayesClassifier
    >>> check_has_intervals(NaiveBayesClassifier())
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: interval: NaiveBayesClassifier has no intervals; intervals are claimed ...
    """
    name = type(model).__name__
    advice = "fit one with --method tree --param honest=true, or leave the intervals out."
    if not isinstance(model, ProbabilityTreeClassifier):
        raise ParameterError(f"interval: {name} has no intervals; {_CLAIMED}: {advice}")
    if not model.honest:
        why = "the rows that chose this tree's tests are counted in its leaves, so its intervals are too narrow"
        raise ParameterError(f"interval: {why}; {_CLAIMED}: {advice}")
    if not (model.estimate in ("laplace", "frequency") or isinstance(model.estimate, Laplace | Frequency)):
        raise ParameterError(f"interval: this tree has the estimate {model.estimate!r}; {_CLAIMED}: {advice}")


def predict_intervals(model: Any, X: Any, confidence: float) -> NDArray[np.float64]:
    """Return the lower and upper end of each class for each row."""
    found: NDArray[np.float64] = model.predict_interval(X, confidence)
    return found
