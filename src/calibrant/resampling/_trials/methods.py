"""The methods that are tried, by name, and whether two of them are equal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import DataTypeError, ParameterError

__all__ = [
    "Methods",
    "are_equal",
    "are_regressors",
    "open_seeds",
    "read_methods",
    "same_value",
    "seeded_clone",
]


Methods: TypeAlias = dict[str, Any]


def read_methods(estimator: Any) -> Methods:
    """Validate estimators and return them by name.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(read_methods(GaussianNB())), list(read_methods([GaussianNB(), GaussianNB()]))
    (['GaussianNB'], ['GaussianNB', 'GaussianNB 2'])
    """
    if isinstance(estimator, Mapping):
        methods = {str(name): each for name, each in estimator.items()}
    elif isinstance(estimator, Sequence) and not isinstance(estimator, str) and not hasattr(estimator, "fit"):
        methods = _named(estimator)
    else:
        methods = _named([estimator])
    if not methods:
        raise ParameterError("estimator must hold at least one method; pass an estimator, or a dict of several.")
    for name, each in methods.items():
        if isinstance(each, type) or not hasattr(each, "fit") or not hasattr(each, "predict"):
            raise DataTypeError(
                f"{name} must be an estimator with fit and predict; got {short_repr(each)}.{instance_hint(each)}"
            )
    return methods


def _named(estimators: Sequence[Any]) -> Methods:
    methods: Methods = {}
    for estimator in estimators:
        name = type(estimator).__name__
        n_same = sum(each == name or each.startswith(f"{name} ") for each in methods)
        methods[f"{name} {n_same + 1}" if n_same else name] = estimator
    return methods


def are_regressors(methods: Methods) -> bool:
    """Return whether the methods are regressors rather than classifiers; raise if they are of both kinds or neither.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> are_regressors({"line": LinearRegression()})
    True
    """
    kinds = {name: is_regressor(each) for name, each in methods.items() if is_regressor(each) or is_classifier(each)}
    others = [name for name in methods if name not in kinds]
    if others:
        kind = get_tags(methods[others[0]]).estimator_type
        raise DataTypeError(f"{others[0]} must be a classifier or a regressor; its estimator_type is {kind!r}.")
    if len(set(kinds.values())) > 1:
        raise DataTypeError("the methods are classifiers and regressors; estimate their performance separately.")
    return bool(next(iter(kinds.values())))


def are_equal(one: Any, other: Any, apart_from: Collection[str] = ()) -> bool:
    """Return whether two estimators have the same parameters, apart from some.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> are_equal(LogisticRegression(C=2.0), LogisticRegression(), ["C"])
    True
    """
    mine, theirs = one.get_params(deep=False), other.get_params(deep=False)
    return all(same_value(mine[name], theirs[name]) for name in mine if name not in apart_from)


def same_value(a: Any, b: Any) -> bool:
    """Return whether two values of a parameter are the same; estimators are, where their parameters are.

    Examples
    --------
    >>> same_value(["a"], ["a"]), same_value(1, 1.0)
    (True, False)
    """
    if a is b:
        return True
    # Two generators draw different numbers even where they are equal now
    if type(a) is not type(b) or isinstance(a, np.random.Generator | np.random.RandomState | np.random.SeedSequence):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    if hasattr(a, "get_params") and not isinstance(a, type):
        return are_equal(a, b)
    return bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def open_seeds(estimator: Any) -> tuple[str, ...]:
    """Return the names of the parameters `random_state`, at any depth, that are None.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> open_seeds(BaggingClassifier(DecisionTreeClassifier(), random_state=0))
    ('estimator__random_state',)
    """
    if not hasattr(estimator, "get_params"):
        return ()
    params = estimator.get_params(deep=True)
    return tuple(name for name in params if name.split("__")[-1] == "random_state" and params[name] is None)


def seeded_clone(estimator: Any, seed: int | None, names: tuple[str, ...] | None = None) -> Any:
    """Return a clone whose open seeds, those of some names or all, are set.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded_clone(DecisionTreeClassifier(), 7)
    DecisionTreeClassifier(random_state=7)
    """
    model, names = clone(estimator), open_seeds(estimator) if names is None else names
    return model if seed is None or not names else model.set_params(**dict.fromkeys(names, seed))
