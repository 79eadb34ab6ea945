"""Methods in families: those that share a fit, on all training rows and on the folds of their calibrators.

Trees and forests are grown once and read by every estimate. Any other estimator is fitted once for itself and for all
`CalibratedClassifier` around it, in each of their folds too.

A class whose fits can be read in several ways, such as boosting after fewer rounds, defines three names, and methods
that differ in nothing else are one family.

``_READING : frozenset of str``
    The parameters that determine how a fit is read, such as ``{"n_trees"}``. It stands in the class itself: a subclass
    may predict otherwise.
``_family_head(members)``, a classmethod
    Validates the parameters of the members and returns the one to fit, which every member can be read from.
``_predict_readings(self, X, members)``
    Returns a list with the `predict_proba` of each member, equal to the bit to that of the member fitted by itself to
    the same rows. These are the scores that a calibrator is fitted to as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property
from operator import add
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from calibrant._params import Int
from calibrant._repr import instance_hint, short_repr
from calibrant.calibration import CalibratedClassifier
from calibrant.calibration._internal import is_pairwise
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import DataTypeError, ParameterError
from calibrant.resampling._trials.coded_rows import CodedRows, fits_coded_rows
from calibrant.trees import ProbabilityTreeClassifier

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


# Parameters that do not affect growing: fitted trees can be read again with another value of these.
_GROWTH_READING = frozenset({"estimate", "n_jobs"})
_TREE_READING = _GROWTH_READING | {"empty_leaf"}
_FOREST_READING = _GROWTH_READING | {
    *("combine", "smooth_votes", "out_of_bag", "out_of_bag_weight", "in_bag_counts", "vote_trees")
}


@dataclass(frozen=True)
class Family:
    """Methods that share a fit: their positions among all methods, and the estimators.

    ``rows`` is the coded table that the head takes its training rows from, if it can.
    """

    positions: tuple[int, ...]
    members: tuple[Any, ...]
    rows: CodedRows | None = None

    @cached_property
    def bases(self) -> tuple[Any, ...]:
        """The estimator that each member fits: the one that it calibrates, or itself."""
        return tuple(base_of(member) for member in self.members)

    @property
    def first(self) -> Any:
        """An estimator with the parameters of the head, apart from those of its reading."""
        return self.members[0] if len(self.members) == 1 or self.is_grown else self.bases[0]

    @cached_property
    def head(self) -> Any:
        """The estimator that is fitted for all members, often one of them; raise if a member's reading is none."""
        return type(self.first)._family_head(self.bases) if self.readings else self.first

    @property
    def readings(self) -> tuple[Any, ...]:
        """The readings of a fit of the head, one for each member; empty where all read it alike, or adopt it."""
        return self.bases if len(self.members) > 1 and _reading(self.bases[0]) else ()

    @property
    def is_tree(self) -> bool:
        """Whether the members are single trees."""
        return _is_tree(self.members[0])

    @property
    def is_grown(self) -> bool:
        """Whether the members are trees or forests, which read what the head grows."""
        return _is_grown(self.members[0])

    @property
    def n_fits(self) -> int:
        """Number of fits on a split, with those of the folds of calibrators where their number is known."""
        folds = {_folds_of(member) for member, base in zip(self.members, self.bases, strict=True) if member is not base}
        return 1 + sum(n_folds for n_folds, *_ in folds)

    @cached_property
    def open_seeds(self) -> tuple[str, ...]:
        """The parameters of the head that take the seed of the split."""
        return open_seeds(self.first)

    def subset(self, numbers: Sequence[int]) -> Family:
        """Return a family of some of the members, by their numbers in this one."""
        return Family(tuple(self.positions[i] for i in numbers), tuple(self.members[i] for i in numbers), self.rows)


@dataclass
class _FamilyDraft:
    """A family in the making, and what its members fit."""

    base: Any
    positions: list[int] = field(default_factory=list)
    members: list[Any] = field(default_factory=list)
    has_plain: bool = False  # whether the base itself is a member

    def admits(self, base: Any, is_plain: bool) -> bool:
        """Return whether a method with this base shares the fit; two equal methods are fitted twice."""
        if is_plain and self.has_plain and not (_reading(base) or _is_grown(base)):
            return False
        return base is self.base or _shares_fit(self.base, base, is_plain)


def _shares_fit(one: Any, other: Any, is_plain: bool) -> bool:
    if is_plain and _is_grown(one):
        is_alike = type(one) is type(other) or not (_is_tree(one) or _is_tree(other))
        return is_alike and not getattr(one, "warm_start", False) and are_equal(one, other, _growth_reading(one))
    return type(one) is type(other) and are_equal(one, other, _reading(one))


def group_families(methods: Methods) -> list[Family]:
    """Group methods that differ only in how a fit is read, and estimators with those that calibrate them.

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
    groups: list[_FamilyDraft] = []
    similar: dict[Any, list[_FamilyDraft]] = {}
    for position, estimator in enumerate(methods.values()):
        base = base_of(estimator)
        is_plain = base is estimator
        candidates = similar.setdefault(_key(base, is_plain), [])
        same = next((each for each in candidates if each.admits(base, is_plain)), None)
        if same is None:
            same = _FamilyDraft(base)
            groups.append(same)
            candidates.append(same)
        same.positions.append(position)
        same.members.append(estimator)
        same.has_plain |= is_plain
    return [Family(tuple(group.positions), tuple(group.members)) for group in groups]


def base_of(estimator: Any) -> Any:
    """Return the estimator that another fits to all rows and to folds, so that others can share the fits, or itself.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> base_of(CalibratedClassifier(GaussianNB())), base_of(CalibratedClassifier(GaussianNB(), ensemble=True))
    (GaussianNB(), CalibratedClassifier(ensemble=True, estimator=GaussianNB()))
    """
    if type(estimator) is not CalibratedClassifier or not estimator.refit or estimator.ensemble:
        return estimator
    base, cv = estimator.estimator, estimator.cv
    is_split = cv in Int() or (hasattr(cv, "split") and not isinstance(cv, str))
    has_own_scores = any(hasattr(type(base), name) for name in ("held_out_proba_", "oob_proba_"))
    if not is_split and not (isinstance(cv, str) and cv == "oob" and has_own_scores):
        return estimator
    is_read = not _reading(base) or estimator.method != "decision_function"  # which `_predict_readings` does not return
    return base if is_read and hasattr(base, "get_params") and not is_pairwise(base) else estimator


def _folds_of(calibrated: CalibratedClassifier) -> tuple[int, str, str, str]:
    """Return the number of folds of a calibrated classifier, and what else equal folds have in common."""
    cv: Any = calibrated.cv
    n_folds = int(cv) if cv in Int() else 0  # that of a splitter may depend on the rows, and is not counted
    return n_folds, repr(calibrated.random_state), calibrated.weight_kind, calibrated.method


def _is_tree(estimator: Any) -> bool:
    return type(estimator) is ProbabilityTreeClassifier


def _is_grown(estimator: Any) -> bool:
    """Return whether an estimator is a tree or a forest, whose growth others can read."""
    return _is_tree(estimator) or isinstance(estimator, BaggedTreesClassifier)


def _growth_reading(estimator: Any) -> frozenset[str]:
    return _TREE_READING if _is_tree(estimator) else _FOREST_READING


def _reading(estimator: Any) -> frozenset[str]:
    """Return the parameters that determine how a fit of an estimator is read."""
    return frozenset(vars(type(estimator)).get("_READING", ()))


def _key(base: Any, is_plain: bool) -> tuple[Any, ...]:
    """Return the parameters of a fit that are numbers or strings, and the class: those of a family are the same.

    Thousands of methods are compared with those of the same key alone.
    """
    if not hasattr(base, "get_params"):  # its clone raises, which is for its own trial
        return (False, type(base), id(base))
    is_grown = is_plain and _is_grown(base)
    reading, kind = (_growth_reading(base), None) if is_grown else (_reading(base), type(base))
    plain = [
        (name, type(value), value)
        for name, value in base.get_params(deep=False).items()
        if isinstance(value, str | int | float) and name not in reading
    ]
    return (is_grown, kind, *plain)


@dataclass(frozen=True)
class Sharing:
    """The work of some trials.

    Parameters
    ----------
    n_trials : int
        Number of trials.
    n_fits, n_fits_without : int
        Number of fits, growing and the folds of calibrators among them, and what it would be if every method were
        fitted alone.
    n_codings, n_codings_without : int
        Number of times that a table is coded, and what it would be if every fit coded its own rows; folds of
        calibrators code their own.
    grows_all : bool
        Whether all fits are of trees and forests that are grown.
    """

    n_trials: int
    n_fits: int
    n_fits_without: int
    n_codings: int
    n_codings_without: int
    grows_all: bool = False

    def __add__(self, other: Sharing) -> Sharing:
        """Return the work of both."""
        sums = dict(zip((each.name for each in fields(self)), map(add, astuple(self), astuple(other)), strict=True))
        return Sharing(**sums | {"grows_all": self.grows_all and other.grows_all})

    @property
    def text(self) -> str:
        """The figures in a sentence.

        Examples
        --------
        >>> Sharing(800, 100, 800, 1, 100, grows_all=True).text
        '800 trials: 100 growths instead of 800, 1 coding instead of 100.'
        """
        parts = [
            _saving(self.n_fits, self.n_fits_without, "growth" if self.grows_all else "fit"),
            _saving(self.n_codings, self.n_codings_without, "coding"),
        ]
        return f"{_number(self.n_trials, 'trial')}: {', '.join(filter(None, parts)) or 'nothing is shared'}."


def count_sharing(families: Sequence[Family], n_splits: int, n_inner: int | None = None) -> Sharing:
    """Count the work that trials share; with a nested plan each split has `n_inner` ones within.

    Examples
    --------
    >>> from calibrant.resampling._trials.families import group_families
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "m")}
    >>> count_sharing(group_families(trees), 10).text
    '20 trials: 10 growths instead of 20, 1 coding instead of 10.'
    """
    n_methods = sum(len(family.members) for family in families)
    coding = [family.first for family in families if fits_coded_rows(family.first)]
    n_codings = _n_codings(coding)
    grows_all = all(hasattr(family.first, "_grow_coded") for family in families)
    together = sum(family.n_fits for family in families)
    alone = sum(family.subset([number]).n_fits for family in families for number in range(len(family.members)))
    if n_inner is None:
        n_fits, n_fits_without, n_trials = together * n_splits, alone * n_splits, n_methods * n_splits
    else:  # the chosen method is fitted once more, to the training rows of the split
        n_fits, n_fits_without = (n_splits * (n_inner * each + 1) for each in (together, alone))
        n_trials = n_splits
    is_chosen_coded = n_inner is not None and len(coding) == len(families)
    n_coded_fits = n_splits * ((n_inner or 1) * len(coding) + is_chosen_coded)
    return Sharing(n_trials, n_fits, n_fits_without, n_codings, n_coded_fits, grows_all)


def _n_codings(methods: Sequence[Any]) -> int:
    """Return the number of different sets of nominal columns."""
    nominal: list[Any] = []
    for method in methods:
        if not any(same_value(method.nominal, each) for each in nominal):
            nominal.append(method.nominal)
    return len(nominal)


def _saving(n: int, n_without: int, what: str) -> str:
    return "" if n_without <= n else f"{_number(n, what)} instead of {n_without:,}"


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
