"""Methods by short names or import paths, with parameters as they are typed."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from typing import Any

from calibrant.cli._app.options import usage_error
from calibrant.exceptions import ParameterError, StudyError, UnknownParameterError, nearest


def make_method(name: str, params: Sequence[str], calibrate: str | None, seed: int) -> Any:
    """Return an estimator with its parameters, calibrated where a calibrator is named.

    Examples
    --------
    >>> make_method("tree", ["max_depth=3"], None, 0)
    ProbabilityTreeClassifier(max_depth=3, random_state=0)
    """
    estimator: Any = _estimator(name, _read_params(params), seed)
    if calibrate is None:
        return estimator
    from calibrant.calibration import CalibratedClassifier

    # These score their own training rows held out: one fit instead of six
    has_own_scores = any(hasattr(type(estimator), each) for each in ("held_out_proba_", "oob_proba_"))
    cv: Any = "oob" if has_own_scores else 5
    return CalibratedClassifier(estimator, calibrate, cv=cv, random_state=seed)


def hold_out_by_time(estimator: Any, plan: Any) -> Any:
    """Return an estimator that holds rows out by a plan by time where it learns from held-out rows; else itself.

    Examples
    --------
    >>> from calibrant.resampling import RollingOrigin
    >>> hold_out_by_time(make_method("tree", [], "platt", 0), RollingOrigin(3)).cv
    RollingOrigin(gap=0, n_splits=3, time=None)
    """
    from sklearn.base import clone

    from calibrant.blending import ProbabilityClassifier
    from calibrant.calibration import CalibratedClassifier
    from calibrant.resampling._internal import splitters

    if plan is None or not splitters.is_by_time(plan):
        return estimator
    made = clone(estimator)
    if isinstance(made, CalibratedClassifier):
        made.set_params(cv=plan, estimator=hold_out_by_time(made.estimator, plan))
    elif isinstance(made, ProbabilityClassifier):
        made.set_params(cv=plan)
    return made


def _estimator(name: str, params: dict[str, Any], seed: int) -> Any:
    cls = _class(name)
    if not hasattr(cls, "fit"):
        raise usage_error(f"{name!r} is no estimator: it has no fit.", "--method")
    known = cls().get_params() if hasattr(cls, "get_params") else {}
    if "random_state" in known and "random_state" not in params:
        params = {**params, "random_state": seed}
    try:
        return cls().set_params(**params) if any("__" in key for key in params) else cls(**params)
    except (UnknownParameterError, TypeError) as error:
        unknown = next((key for key in params if key.partition("__")[0] not in known), None)
        if unknown is None or isinstance(error, UnknownParameterError):
            raise ParameterError(str(error)) from error
        raise ParameterError(f"{name}: there is no parameter {unknown!r}.{nearest(unknown, known)}") from error


def _class(name: str) -> Any:
    from calibrant.studies._internal import resolve_path, short_names

    try:
        found = resolve_path(name)
    except StudyError as error:
        if "." in name:
            raise
        known = short_names()
        raise usage_error(
            f"there is no method {name!r}.{nearest(name, known)} Write one of {', '.join(known)}, or an import path.",
            "--method",
        ) from error
    if not inspect.isclass(found):
        raise usage_error(f"{name!r} is no class.", "--method")
    return found


def _read_params(params: Sequence[str]) -> dict[str, Any]:
    """Return ``name=value`` as a dict; a value is a number, true, false, null, other JSON, or else text."""
    found: dict[str, Any] = {}
    for text in params:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise usage_error(f"must be NAME=VALUE, such as max_depth=3; got {text!r}.", "--param")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    try:
        return json.loads(text)
    except ValueError:
        return text
