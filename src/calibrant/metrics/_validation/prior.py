"""The share of each class, as told or as it is in the rows that are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_prior"]

_SUM = 1e-6  # how far the shares may sum from 1


def read_prior(prior: Any, read: Predictions, labels: Any) -> NDArray[np.float64]:
    """Give the share of the class of each column.

    Parameters
    ----------
    prior : sequence of length n_classes, dict of class to share, or None
        Shares that sum to 1, in the order of `labels` or else of the sorted classes; None: those of the rows. A pandas
        Series is read by its index, such as that of ``y.value_counts(normalize=True)``, which is sorted by share.
    read : Predictions
        The rows that count.
    labels : sequence or None
        What the metric was given: the classes in the order of the columns.

    Returns
    -------
    array of shape (n_classes,)
        The shares.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> read = read_predictions(["a", "b", "b", "b"], [0.1, 0.8, 0.6, 0.9])
    >>> read_prior(None, read, None), read_prior({"b": 0.6, "a": 0.4}, read, None)
    (array([0.25, 0.75]), array([0.4, 0.6]))
    """
    weights = read.class_weights()
    if prior is None:
        return np.asarray(weights / weights.sum())
    prior = _by_index(prior, read)
    if isinstance(prior, Mapping):
        return _shares(_by_class(prior, read), prior, read)
    if labels is not None:
        return _shares(prior, prior, read)
    if not weights.all():  # nobody knows the name, and so the place, of the class that does not occur
        raise ParameterError("prior: the rows have one class only, so that its order is not known; pass labels=.")
    return np.asarray(_shares(prior, prior, read)[np.argsort(np.argsort(read.classes))])


def _by_index(prior: Any, read: Predictions) -> Any:
    """Turn a pandas Series into a dict, unless its index is nothing but positions."""
    if type(prior).__name__ != "Series" or not hasattr(prior, "to_dict"):
        return prior
    shares = prior.to_dict()
    is_by_position = [*shares] == [*range(len(prior))] and set(shares) != set(read.classes.tolist())
    return prior if is_by_position else shares


def _by_class(prior: Mapping[Any, Any], read: Predictions) -> list[Any]:
    classes = read.classes.tolist()
    if set(prior) != set(classes):
        raise ParameterError(f"prior must have a share for each class, {classes}; got one for {[*prior]}.")
    return [prior[name] for name in classes]


def _shares(values: Any, prior: Any, read: Predictions) -> NDArray[np.float64]:
    try:
        shares = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.empty(0)
    is_one_a_class = shares.shape == read.classes.shape
    if not is_one_a_class or not (shares >= 0).all() or not abs(shares.sum() - 1.0) <= _SUM:
        raise ParameterError(
            f"prior must be {len(read.classes)} shares, one a class, that sum to 1; got {prior!r}. Divide counts by "
            "their sum."
        )
    return np.asarray(shares / shares.sum())
