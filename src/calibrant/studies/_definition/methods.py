"""Methods of a study: estimators by name, from objects, import paths, descriptions or grids."""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from calibrant._params import check_params
from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError, StudyError, nearest
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.describe import describe_value
from calibrant.studies._definition.documents import document_text
from calibrant.studies._definition.names import check_name, resolve_path

_MAX_CONFIGURATIONS = 100_000  # a grid of more is most often a mistake, and would take long to list


class Grid:
    """Configurations of an estimator: every combination of the values of some parameters.

    Parameters
    ----------
    estimator : estimator or str
        The estimator, or its import path.
    params : dict of str to list, optional
        The values of each parameter; ``estimator__min_leaf`` is a parameter of a nested estimator.
    **lists : list
        The same by keyword.

    Notes
    -----
    Configurations are in the order of the lists, the last parameter varying fastest. In a study that of ``min_leaf=2``
    among the method ``"tree"`` is named ``"tree(min_leaf=2)"``.

    Examples
    --------
    >>> from calibrant.studies import Grid
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> grid = Grid(ProbabilityTreeClassifier(), min_leaf=[1, 2], estimate=["laplace", "m"])
    >>> len(grid)
    4
    >>> list(grid.configurations("tree"))[1]
    "tree(min_leaf=1, estimate='m')"
    """

    def __init__(self, estimator: Any, params: Mapping[str, Iterable[Any]] | None = None, /, **lists: Any) -> None:
        if params is not None and not isinstance(params, Mapping):
            raise ParameterError(f"Grid: params must be a dict of parameter to list; got {short_repr(params)}.")
        both = set(params or {}) & set(lists)
        if both:
            raise ParameterError(f"Grid: {min(both)!r} is passed twice, in the dict and by keyword.")
        self.estimator = estimator
        self.params = {name: _values(name, each) for name, each in {**(params or {}), **lists}.items()}
        if not self.params:
            raise ParameterError("Grid: pass at least one parameter with a list of values.")
        if len(self) > _MAX_CONFIGURATIONS:
            raise ParameterError(f"Grid has {len(self):,} configurations; at most {_MAX_CONFIGURATIONS:,} are allowed.")

    def __len__(self) -> int:
        return math.prod(len(values) for values in self.params.values())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in itertools.product(*self.params.values()):
            yield dict(zip(self.params, values, strict=True))

    def __repr__(self) -> str:
        lists = ", ".join(f"{name}={short_repr(values)}" for name, values in self.params.items())
        return f"Grid({short_repr(self.estimator)}, {lists})"

    def configurations(self, name: str) -> dict[str, Any]:
        """Return the estimators by name.

        Parameters
        ----------
        name : str
            The name of the method.

        Returns
        -------
        dict of str to estimator
            A clone of the estimator for each configuration.

        Raises
        ------
        ParameterError
            If the estimator has no such parameter, or two configurations have the same name.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> Grid(GaussianNB(), var_smoothing=[0.1, 0.2]).configurations("nb")
        {'nb(var_smoothing=0.1)': GaussianNB(var_smoothing=0.1), 'nb(var_smoothing=0.2)': GaussianNB(var_smoothing=0.2)}
        """
        estimator, found = as_estimator(self.estimator, name), dict[str, Any]()
        for configuration in self:
            values = ", ".join(f"{key}={document_text(describe_value(value))}" for key, value in configuration.items())
            if f"{name}({values})" in found:
                raise ParameterError(f"Grid: two configurations are {name}({values}); make them methods of their own.")
            found[f"{name}({values})"] = _configured(estimator, configuration)
        return found


def _values(name: str, values: Any) -> list[Any]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ParameterError(f"Grid: {name} must be a list of values; got {short_repr(values)}. Write {name}=[...].")
    taken = list(itertools.islice(values, _MAX_CONFIGURATIONS + 1))
    if not taken:
        raise ParameterError(f"Grid: {name} has no values; pass at least one.")
    return taken


def _configured(estimator: Any, configuration: Mapping[str, Any]) -> Any:
    """Return a clone with parameters set, those of outer estimators first: an inner one may be among them."""
    from sklearn.base import clone

    made = clone(estimator)
    for name in sorted(configuration, key=lambda each: each.count("__")):
        known = made.get_params(deep=True)
        if name not in known:
            hint = nearest(name, known) or f" There are {', '.join(known)}."
            raise ParameterError(f"Grid: {type(made).__name__} has no parameter {name!r}.{hint}")
        made.set_params(**{name: clone(configuration[name], safe=False)})
    return made


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
        is_list, own = isinstance(method, list | tuple), dict[str, Any]()
        for each in method if is_list else [method]:
            if is_list and not isinstance(each, Grid):
                raise StudyError(f"method {name!r}: a list must hold grids; got {short_repr(each)}.")
            try:
                made = each.configurations(name) if isinstance(each, Grid) else {name: as_estimator(each, name)}
            except ParameterError as error:
                raise type(error)(f"method {name!r}: {error}") from error
            _add(own, made, "their grids overlap")
        _add(found, own, "rename one")
    return found


def _add(found: dict[str, Any], further: Mapping[str, Any], remedy: str) -> None:
    """Add methods whose names are new; raise if one is not."""
    both = next((name for name in further if name in found), None)
    if both is not None:
        raise StudyError(f"two methods are named {both!r}; {remedy}.")
    found.update(further)


def as_estimator(method: Any, name: str) -> Any:
    """Return the estimator that a method stands for; raise if it is none.

    Examples
    --------
    >>> as_estimator({"class": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 0.5}}, "nb")
    GaussianNB(var_smoothing=0.5)
    """
    try:
        made = build_value(method) if isinstance(method, Mapping) else method
        if isinstance(method, str):
            made = resolve_path(method)
            is_function = inspect.isroutine(made)
            if is_function or isinstance(made, type):
                made = build_value({"factory" if is_function else "class": method})
    except StudyError as error:
        raise StudyError(f"method {name!r}: {error}") from error
    if isinstance(made, type) or not hasattr(made, "fit") or not hasattr(made, "predict"):
        raise StudyError(
            f"method {name!r} must be an estimator with fit and predict; got {short_repr(made)}.{instance_hint(made)}"
        )
    return made


def check_parameter_values(estimator: Any) -> None:
    """Raise a ParameterError if a parameter of an estimator, or of one inside it, has an invalid value.

    Estimators of calibrant and of scikit-learn declare rules; others are not checked before they are fitted.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> check_parameter_values(ProbabilityTreeClassifier(min_leaf=0))
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: ProbabilityTreeClassifier: min_leaf must be a finite number > 0; got 0.
    """
    from sklearn.utils._param_validation import InvalidParameterError

    params = estimator.get_params(deep=True).values()
    inner = [each for each in params if hasattr(each, "get_params") and hasattr(each, "fit")]
    for each in (estimator, *(one for one in inner if not isinstance(one, type))):
        package = type(each).__module__.partition(".")[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if package == "calibrant":
                    check_params(each)
                elif package == "sklearn" and hasattr(each, "_validate_params"):
                    each._validate_params()
        except (ParameterError, InvalidParameterError) as error:
            raise ParameterError(f"{type(each).__name__}: {error}") from error
