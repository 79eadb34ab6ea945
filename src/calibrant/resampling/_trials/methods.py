"""The methods that are tried, by name, and which of them are readings of the same grown trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import DataTypeError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["Family", "Methods", "families", "predict_numbers", "read_methods"]

Methods: TypeAlias = dict[str, Any]

# What has no part in growing: a fitted model can be read anew with another value of these.
_READING = {"estimate", "n_jobs"}
_READING_OF_TREE = _READING | {"empty_leaf"}
_READING_OF_FOREST = _READING | {
    *("combine", "smooth_votes", "out_of_bag", "out_of_bag_weight", "in_bag_counts", "vote_trees")
}


@dataclass(frozen=True)
class Family:
    """Methods that one growth serves: their places among all, and the estimators."""

    places: tuple[int, ...]
    members: tuple[Any, ...]

    @property
    def head(self) -> Any:
        """The member that is fitted for all."""
        return self.members[0]

    @property
    def is_tree(self) -> bool:
        """Whether the members read single trees."""
        return type(self.head) is ProbabilityTreeClassifier


def read_methods(given: Any) -> Methods:
    """Give the methods by name.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(read_methods(GaussianNB())), list(read_methods([GaussianNB(), GaussianNB()]))
    (['GaussianNB'], ['GaussianNB', 'GaussianNB 2'])
    """
    if isinstance(given, Mapping):
        methods = {str(name): estimator for name, estimator in given.items()}
    elif isinstance(given, Sequence) and not isinstance(given, str) and not hasattr(given, "fit"):
        methods = _named(given)
    else:
        methods = _named([given])
    if not methods:
        raise ParameterError("there is no method to estimate the performance of; pass an estimator or some by name.")
    for name, estimator in methods.items():
        if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
            raise DataTypeError(f"{name} must be an estimator with fit and predict; got {estimator!r}.")
    return methods


def _named(estimators: Sequence[Any]) -> Methods:
    methods: Methods = {}
    for estimator in estimators:
        name = type(estimator).__name__
        same = sum(each == name or each.startswith(f"{name} ") for each in methods)
        methods[f"{name} {same + 1}" if same else name] = estimator
    return methods


def predict_numbers(methods: Methods) -> bool:
    """Say whether the methods predict numbers rather than classes; all must do the same.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> predict_numbers({"line": LinearRegression()})
    True
    """
    kinds = {name: is_regressor(each) for name, each in methods.items() if is_regressor(each) or is_classifier(each)}
    odd = [name for name in methods if name not in kinds]
    if odd:
        kind = get_tags(methods[odd[0]]).estimator_type
        raise DataTypeError(f"{odd[0]} must be a classifier or a regressor; its estimator_type is {kind!r}.")
    if len(set(kinds.values())) > 1:
        raise DataTypeError("the methods are classifiers and regressors; estimate their performance apart.")
    return bool(next(iter(kinds.values())))


def families(methods: Methods) -> list[Family]:
    """Group methods that differ only in how grown trees are read.

    Examples
    --------
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "frequency")}
    >>> deeper = {"deeper": ProbabilityTreeClassifier(min_leaf=1)}
    >>> [family.places for family in families(trees | deeper)]
    [(0, 1), (2,)]
    """
    found: list[tuple[list[int], list[Any]]] = []
    for place, estimator in enumerate(methods.values()):
        same = next((each for each in found if _share_growth(each[1][0], estimator)), None)
        if same is None:
            found.append(([place], [estimator]))
        else:
            same[0].append(place)
            same[1].append(estimator)
    return [Family(tuple(places), tuple(members)) for places, members in found]


def _share_growth(one: Any, other: Any) -> bool:
    if type(one) is type(other) is ProbabilityTreeClassifier:
        return _are_alike(one, other, _READING_OF_TREE)
    if isinstance(one, BaggedTreesClassifier) and isinstance(other, BaggedTreesClassifier):
        return not one.warm_start and _are_alike(one, other, _READING_OF_FOREST)
    return False


def _are_alike(one: Any, other: Any, apart_from: set[str]) -> bool:
    mine, theirs = one.get_params(deep=False), other.get_params(deep=False)
    return all(_same(mine[name], theirs[name]) for name in mine if name not in apart_from)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.random.Generator | np.random.RandomState | np.random.SeedSequence):
        return False
    return type(a) is type(b) and bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))
