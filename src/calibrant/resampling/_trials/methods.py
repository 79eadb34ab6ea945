"""The methods that are tried, by name, grouped into families that share grown trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from calibrant._params import Int
from calibrant._repr import instance_hint, short_repr
from calibrant.calibration import CalibratedClassifier
from calibrant.calibration._internal import is_pairwise
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import DataTypeError, ParameterError
from calibrant.resampling._trials.coded_rows import CodedRows
from calibrant.resampling._trials.seeds import open_seeds
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["Family", "Methods", "are_regressors", "group_families", "is_calibrated_by", "read_methods", "same_value"]

Methods: TypeAlias = dict[str, Any]

# Parameters that do not affect growing: fitted trees can be read again with another value of these.
_READING = {"estimate", "n_jobs"}
_TREE_READING = _READING | {"empty_leaf"}
_FOREST_READING = _READING | {
    *("combine", "smooth_votes", "out_of_bag", "out_of_bag_weight", "in_bag_counts", "vote_trees")
}


@dataclass(frozen=True)
class Family:
    """Methods that read the same grown trees: their positions among all methods, and the estimators.

    ``rows`` is the coded table that the head takes its training rows from, if it can.
    """

    positions: tuple[int, ...]
    members: tuple[Any, ...]
    rows: CodedRows | None = None

    @property
    def head(self) -> Any:
        """The member that is fitted for all."""
        return self.members[0]

    @property
    def is_tree(self) -> bool:
        """Whether the members are single trees."""
        return type(self.head) is ProbabilityTreeClassifier

    @cached_property
    def open_seeds(self) -> tuple[str, ...]:
        """The parameters of the head that take the seed of the split."""
        return open_seeds(self.head)

    @property
    def is_calibrated(self) -> bool:
        """Whether the members after the head calibrate what it is, or was before a subset was taken."""
        return len(self.members) > 1 and type(self.members[1]) is CalibratedClassifier

    def subset(self, numbers: Sequence[int]) -> Family:
        """Return a family of some of the members, by their numbers in this one."""
        return Family(tuple(self.positions[i] for i in numbers), tuple(self.members[i] for i in numbers), self.rows)


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


def group_families(methods: Methods) -> list[Family]:
    """Group methods that differ only in how grown trees are read, and estimators with those that calibrate them.

    Examples
    --------
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "frequency")}
    >>> deeper = {"deeper": ProbabilityTreeClassifier(min_leaf=1)}
    >>> [family.positions for family in group_families(trees | deeper)]
    [(0, 1), (2,)]
    >>> from sklearn.naive_bayes import GaussianNB
    >>> calibrated = {"bayes": GaussianNB(), "calibrated": CalibratedClassifier(GaussianNB())}
    >>> [family.positions for family in group_families(calibrated)]
    [(0, 1)]
    """
    families: list[tuple[list[int], list[Any]]] = []
    similar: dict[Any, list[tuple[list[int], list[Any]]]] = {}
    for position, estimator in enumerate(methods.values()):
        candidates = similar.setdefault(_plain_params(estimator), []) if _is_shared(estimator) else []
        same = next((each for each in candidates if _share_growth(each[1][0], estimator)), None)
        if _adopts_fit(estimator):
            same = next((each for each in families if is_calibrated_by(each[1][0], estimator)), None)
        if same is None:
            same = ([], [])
            families.append(same)
            candidates.append(same)
        same[0].append(position)
        same[1].append(estimator)
    return [Family(tuple(positions), tuple(members)) for positions, members in families]


def _is_shared(estimator: Any) -> bool:
    """Return whether what an estimator grows can be read by others."""
    return type(estimator) is ProbabilityTreeClassifier or isinstance(estimator, BaggedTreesClassifier)


def _plain_params(estimator: Any) -> tuple[Any, ...]:
    """Return the parameters of growing that are numbers or strings: those of a family are the same.

    Thousands of methods are compared with those of the same key alone.
    """
    params = estimator.get_params(deep=False)
    not_growing = _TREE_READING if type(estimator) is ProbabilityTreeClassifier else _FOREST_READING
    plain = [(name, type(value), value) for name, value in params.items() if isinstance(value, str | int | float)]
    return tuple(each for each in plain if each[0] not in not_growing)


def _share_growth(one: Any, other: Any) -> bool:
    if type(one) is type(other) is ProbabilityTreeClassifier:
        return _are_equal(one, other, _TREE_READING)
    if isinstance(one, BaggedTreesClassifier) and isinstance(other, BaggedTreesClassifier):
        return not one.warm_start and _are_equal(one, other, _FOREST_READING)
    return False


def _adopts_fit(estimator: Any) -> bool:
    """Return whether an estimator calibrates another one that it fits to all rows."""
    return type(estimator) is CalibratedClassifier and estimator.refit and not estimator.ensemble


def is_calibrated_by(one: Any, calibrated: CalibratedClassifier) -> bool:
    """Return whether one estimator, fitted for itself, is what another one fits to all rows."""
    other = calibrated.estimator
    if calibrated.cv not in Int() and not (calibrated.cv == "oob" and hasattr(type(one), "held_out_proba_")):
        return False  # splitters and pairs may be consumed; forests are quick, and their trees are shared
    is_same = one is other or (type(one) is type(other) and _are_equal(one, other, set()))
    return is_same and not _is_shared(one) and not is_pairwise(one)


def _are_equal(one: Any, other: Any, apart_from: set[str]) -> bool:
    """Return whether two estimators have the same parameters, apart from some."""
    mine, theirs = one.get_params(deep=False), other.get_params(deep=False)
    return all(same_value(mine[name], theirs[name]) for name in mine if name not in apart_from)


def same_value(a: Any, b: Any) -> bool:
    """Return whether two values of a parameter are the same.

    Examples
    --------
    >>> same_value(["a"], ["a"]), same_value(1, 1.0)
    (True, False)
    """
    if a is b:
        return True
    # Two generators draw different numbers even where they are equal now
    if isinstance(a, np.random.Generator | np.random.RandomState | np.random.SeedSequence):
        return False
    return type(a) is type(b) and bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))
