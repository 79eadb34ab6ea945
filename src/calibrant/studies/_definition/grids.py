"""Grids: named configurations of an estimator, one for each combination of parameter values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError, nearest
from calibrant.studies._definition.describe import describe_value
from calibrant.studies._definition.document_text import document_text

__all__ = ["Grid"]

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
        from calibrant.studies._definition.methods import as_estimator

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
