"""The metrics of a study and their keywords."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import StudyError, nearest
from calibrant.metrics import METRICS, numeric
from calibrant.studies._definition.names import check_name

MetricFunctions = dict[str, Callable[..., Any] | None]

_CLASS_METRICS = ("error", "mse", "log_loss", "auc")
_NUMBER_METRICS = ("mean_absolute_error", "root_mean_squared_error", "relative_root_mean_squared_error", "correlation")
_FROM_TRAINING = {"prior"}  # needs of metrics that the training rows meet


def read_study_metrics(metrics: Any, *, is_regression: bool) -> MetricFunctions:
    """Return the metrics by name: a function, or None for one of calibrant's.

    Examples
    --------
    >>> read_study_metrics(["auc", "mse"], is_regression=False)
    {'auc': None, 'mse': None}
    >>> read_study_metrics(["acu"], is_regression=False)
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: metrics: there is no metric 'acu'. Did you mean 'auc'?
    """
    if metrics is None:
        return dict.fromkeys(_NUMBER_METRICS if is_regression else _CLASS_METRICS)
    if isinstance(metrics, str):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        raise StudyError(f"metrics must be a list of ids, or a dict of name to function; got {short_repr(metrics)}.")
    if not isinstance(metrics, Mapping):
        pairs: Iterable[tuple[Any, Any]] = ((getattr(each, "__name__", each), each) for each in metrics)
    else:
        pairs = metrics.items()
    found: MetricFunctions = {}
    known = numeric.__all__ if is_regression else list(METRICS)
    for name, each in pairs:
        check_name("metrics: a name", name)
        if each is not None and not callable(each) and each != name:
            raise StudyError(
                f"metrics: {name!r} must be a function, or None for a metric of calibrant; got {short_repr(each)}."
            )
        if name in found:
            raise StudyError(f"metrics: {name!r} is there twice.")
        # A function of ours is the metric itself, whose direction and range are known
        found[name] = each if callable(each) and not (name in METRICS and METRICS[name].function is each) else None
        if found[name] is None and name not in known:
            kind = "metric of numbers" if is_regression else "metric"
            raise StudyError(f"metrics: there is no {kind} {name!r}.{nearest(name, known)}")
    if not found:
        raise StudyError("metrics is empty; name at least one, or pass None for the default ones.")
    return found


def check_metric_params(metrics: MetricFunctions, params: Any, by_dataset: Mapping[str, Any]) -> None:
    """Raise if keywords are of no metric of the study or unknown to theirs, or one that a metric needs is missing.

    Parameters
    ----------
    metrics : dict of str to function or None
        The metrics.
    params : dict of metric to dict, or None
        Keywords for all data sets.
    by_dataset : dict of str to dict
        Those of each data set, in addition.
    """
    _check_keywords("metric_params", params or {}, metrics)
    for name, own in by_dataset.items():
        _check_keywords(f"data set {name!r}: metric_params", own or {}, metrics)
    for metric, function in metrics.items():
        needs = () if function is not None or metric not in METRICS else METRICS[metric].needs
        for need in [each for each in needs if each not in {*_FROM_TRAINING, *(params or {}).get(metric, {})}]:
            lacking = [name for name, own in by_dataset.items() if need not in (own or {}).get(metric, {})]
            if lacking:
                raise StudyError(
                    f"metrics: {metric!r} needs {need}, which data set {lacking[0]!r} lacks; pass metric_params="
                    f"{{{metric!r}: {{{need!r}: ...}}}}, a value or {{'column': name}}."
                )


def _check_keywords(where: str, params: Any, metrics: MetricFunctions) -> None:
    if not isinstance(params, Mapping) or not all(isinstance(each, Mapping) for each in params.values()):
        raise StudyError(f"{where} must be a dict of metric to dict; got {short_repr(params)}.")
    for metric, keywords in params.items():
        if metric not in metrics:
            raise StudyError(f"{where} names {metric!r}, which is not in metrics: {', '.join(metrics)}.")
        function = metrics[metric] or (METRICS[metric].function if metric in METRICS else getattr(numeric, metric))
        known = _keywords(function)
        for key in keywords:
            if known and key not in known:
                raise StudyError(f"{where}: {metric!r} has no keyword {key!r}.{nearest(key, known)}")


def _keywords(function: Callable[..., Any]) -> list[str]:
    """Return the keywords of a function; none where it takes any, or has no signature."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    return [] if is_open else list(parameters)
