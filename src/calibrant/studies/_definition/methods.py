"""Methods of a study: estimators by name, from objects, import paths, descriptions and grids."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError, StudyError
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.grids import Grid
from calibrant.studies._definition.import_paths import resolve_path
from calibrant.studies._definition.names import check_name

__all__ = ["as_estimator", "read_methods_by_name"]


def read_methods_by_name(methods: Any) -> dict[str, Any]:
    """Return the estimators of a study by name, grids expanded.

    Parameters
    ----------
    methods : dict of name to method
        A method is an estimator, a `Grid`, the import path of a class or of a function that returns an estimator,
        ``{"class": path, "params": {...}}``, or a list of grids.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> read_methods_by_name({"nb": "sklearn.naive_bayes.GaussianNB", "grid": Grid(GaussianNB(), var_smoothing=[0.5])})
    {'nb': GaussianNB(), 'grid(var_smoothing=0.5)': GaussianNB(var_smoothing=0.5)}
    """
    if not isinstance(methods, Mapping):
        raise StudyError(
            f"methods must be a dict of name to estimator; got {short_repr(methods)}.{instance_hint(methods)}"
        )
    if not methods:
        raise StudyError("methods is empty; name at least one method.")
    found: dict[str, Any] = {}
    for name, method in methods.items():
        check_name("methods: a name", name)
        _add(found, _expanded(name, method), "rename one")
    return found


def _add(found: dict[str, Any], further: Mapping[str, Any], remedy: str) -> None:
    """Add methods whose names are new; raise if one is not."""
    both = next((name for name in further if name in found), None)
    if both is not None:
        raise StudyError(f"two methods are named {both!r}; {remedy}.")
    found.update(further)


def _expanded(name: str, method: Any) -> dict[str, Any]:
    if isinstance(method, Grid):
        return _configurations(name, method)
    if isinstance(method, list | tuple):
        return _expanded_list(name, method)
    return {name: as_estimator(method, name)}


def _expanded_list(name: str, methods: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for grid in methods:
        if not isinstance(grid, Grid):
            raise StudyError(f"method {name!r}: a list must hold grids; got {short_repr(grid)}.")
        _add(found, _configurations(name, grid), "their grids overlap")
    return found


def _configurations(name: str, grid: Grid) -> dict[str, Any]:
    try:
        return grid.configurations(name)
    except ParameterError as error:
        raise type(error)(f"method {name!r}: {error}") from error


def as_estimator(method: Any, name: str) -> Any:
    """Return the estimator that a method stands for; raise if it is none.

    Examples
    --------
    >>> as_estimator({"class": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 0.5}}, "nb")
    GaussianNB(var_smoothing=0.5)
    """
    try:
        made = _made(method)
    except StudyError as error:
        raise StudyError(f"method {name!r}: {error}") from error
    if isinstance(made, type) or not hasattr(made, "fit") or not hasattr(made, "predict"):
        raise StudyError(
            f"method {name!r} must be an estimator with fit and predict; got {short_repr(made)}.{instance_hint(made)}"
        )
    return made


def _made(method: Any) -> Any:
    if isinstance(method, Mapping):
        return build_value(method)
    if not isinstance(method, str):
        return method
    found = resolve_path(method)
    is_function = inspect.isroutine(found)
    return (
        build_value({"factory" if is_function else "class": method})
        if is_function or isinstance(found, type)
        else found
    )
