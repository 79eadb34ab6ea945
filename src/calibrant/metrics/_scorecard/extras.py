"""Options and arrays of metrics, such as amounts and costs, that `evaluate` takes as `extras`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant._params import choose
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics._metric import BoundMetric, Metric, options_of
from calibrant.metrics._validation.options import check_options

__all__ = ["needs_text", "read_extras", "same_options"]

_OWN = ("y_true", "y_proba", "sample_weight", "pos_label", "labels", "weight_kind")  # parameters of evaluate itself


def read_extras(extras: Any, known: Mapping[str, Metric], labels: Any = None) -> dict[str, BoundMetric]:
    """Validate the options of metrics, and return the metrics bound to them, by name.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> read_extras({"lift": {"fraction": 0.5}}, METRICS)["lift"].options
    {'fraction': 0.5}
    """
    found = _mapping("extras", extras or {}, "ids of metrics to their options, such as {'cost': {'matrix': ...}}")
    bound = {}
    for name, options in found.items():
        metric = choose("a metric in extras", name, known)
        what = f"options of {name} to their values, such as {_example(metric)}"
        bound[name] = BoundMetric.of(metric, _checked(metric, _mapping(f"extras[{name!r}]", options, what)), labels)
    return bound


def needs_text(metric: Metric) -> str:
    """Return what to pass for a metric that needs more than classes and probabilities.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> needs_text(METRICS["cost"])
    "'cost' needs matrix; pass extras={'cost': {'matrix': ...}}."
    """
    return f"{metric.id!r} needs {' and '.join(metric.needs)}; pass extras={{{metric.id!r}: {_example(metric)}}}."


def same_options(one: Metric, other: Metric) -> bool:
    """Return whether two metrics are bound to the same options.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> wide, narrow = (BoundMetric.of(METRICS["lift"], {"fraction": x}) for x in (0.5, 0.1))
    >>> same_options(wide, wide), same_options(wide, narrow)
    (True, False)
    """
    mine, theirs = options_of(one), options_of(other)
    return mine.keys() == theirs.keys() and all(_is_same(mine[key], theirs[key]) for key in mine)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) or isinstance(other, dict):
        return bool(one == other)
    return np.array_equal(np.asarray(one), np.asarray(other))


def _mapping(what: str, value: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{what} must map {example}; got {type(value).__name__}.")
    return value


def _example(metric: Metric) -> str:
    names = metric.needs or tuple(_takes(metric))[:1]
    return "{" + ", ".join(f"{name!r}: ..." for name in names) + "}"


def _takes(metric: Metric) -> list[str]:
    return [name for name in inspect.signature(metric.function).parameters if name not in _OWN]


def _checked(metric: Metric, options: Mapping[str, Any]) -> Mapping[str, Any]:
    takes = _takes(metric)
    for key in options:
        if key in _OWN:
            raise ParameterError(f"extras[{metric.id!r}]: pass {key} to evaluate itself, for all metrics.")
        if key not in takes:
            listed = f"it has {', '.join(takes)}" if takes else "it has none"
            raise ParameterError(f"extras: {metric.id!r} has no option {key!r}; {listed}.{nearest(key, takes)}")
    missing = [need for need in metric.needs if need not in options]
    if missing:
        needs, are = " and ".join(metric.needs), "is" if len(missing) == 1 else "are"
        raise ParameterError(f"extras: {metric.id!r} needs {needs}; {' and '.join(missing)} {are} missing.")
    check_options(metric.id, **options)
    return options
