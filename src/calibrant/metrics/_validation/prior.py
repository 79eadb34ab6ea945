"""The prior: the frequency of each class, as passed or as observed in the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant.exceptions import ParameterError
from calibrant.metrics._validation.predictions import Predictions

_SUM = 1e-6  # how far rounding may take the sum of the frequencies from 1


def read_prior(prior: Any, predictions: Predictions, labels: Any) -> NDArray[np.float64]:
    """Return the frequency of the class of each column.

    Parameters
    ----------
    prior : sequence of length n_classes, dict of class to frequency, or None
        Frequencies that sum to 1, in the order of `labels` or else of the sorted classes; None: those of the rows. A
        pandas Series is read by its index: ``y.value_counts(normalize=True)`` is sorted by frequency.
    read : Predictions
        The rows.
    labels : sequence or None
        The classes in the order of the columns, as passed to the metric.

    Returns
    -------
    array of shape (n_classes,)
        The frequencies.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> predictions = read_predictions(["a", "b", "b", "b"], [0.1, 0.8, 0.6, 0.9])
    >>> read_prior(None, predictions, None), read_prior({"b": 0.6, "a": 0.4}, predictions, None)
    (array([0.25, 0.75]), array([0.4, 0.6]))
    """
    weights = predictions.class_weights()
    if prior is None:
        return np.asarray(weights / weights.sum())
    prior = _by_index(prior, predictions)
    if isinstance(prior, Mapping):
        return _frequencies(_by_class(prior, predictions), prior, predictions)
    if labels is not None:
        return _frequencies(prior, prior, predictions)
    if not weights.all():  # the class that does not occur has no known position
        raise ParameterError(
            "prior: the rows have one class only, so the order of the classes is unknown; pass labels=."
        )
    return np.asarray(_frequencies(prior, prior, predictions)[np.argsort(np.argsort(predictions.classes))])


def _by_index(prior: Any, predictions: Predictions) -> Any:
    """Convert a pandas Series to a dict, unless its index is the default one."""
    if type(prior).__name__ != "Series" or not hasattr(prior, "to_dict"):
        return prior
    by_index = prior.to_dict()
    is_by_position = [*by_index] == [*range(len(prior))] and set(by_index) != set(predictions.classes.tolist())
    return prior if is_by_position else by_index


def _by_class(prior: Mapping[Any, Any], predictions: Predictions) -> list[Any]:
    classes = predictions.classes.tolist()
    if set(prior) != set(classes):
        raise ParameterError(f"prior must have a frequency for each class, {classes}; got one for {[*prior]}.")
    return [prior[name] for name in classes]


def _frequencies(values: Any, prior: Any, predictions: Predictions) -> NDArray[np.float64]:
    try:
        frequencies = as_floats(values)
    except (TypeError, ValueError):
        frequencies = np.empty(0)
    has_one_per_class = frequencies.shape == predictions.classes.shape
    if not has_one_per_class or not (frequencies >= 0).all() or not abs(frequencies.sum() - 1.0) <= _SUM:
        raise ParameterError(
            f"prior must be {len(predictions.classes)} frequencies, one for each class, that sum to 1; got {prior!r}. "
            "Divide counts by their sum."
        )
    return np.asarray(frequencies / frequencies.sum())
