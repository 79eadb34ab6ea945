"""The members of a blend: planned by the size of the table, then fitted until all are done or time is up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeGuard, cast

import numpy as np

from calibrant._params import Choice, Rule
from calibrant._progress import progress
from calibrant._repr import instance_hint
from calibrant._stop import StopRequest
from calibrant.blending._learners import (
    BayesLearner,
    BoostedLearner,
    EstimatorLearner,
    ForestLearner,
    GradientLearner,
    LogisticLearner,
)
from calibrant.blending._member import FittedMember, MemberLearner
from calibrant.blending._parts import PartsLearner
from calibrant.blending._table import BlendTable
from calibrant.exceptions import nearest

MemberName: TypeAlias = str | tuple[str, Any]

# The fastest first: with a time limit the first useful model is there after a second
MEMBERS = ("bayes", "logistic", "forest", "gradient", "kernel", "boosted", "bagged")

_PARTS_FAMILIES = ("bayes", "logistic", "boosted")  # which take dates and free text too, as members of their own
_FIRST_STREAM = 100  # key of the random streams of other estimators
_ALL_ROWS = 20_000  # up to here every tree of a forest has all rows
_MAX_BAG, _MIN_TREES = 100_000, 60
_BAG_OF_ALL_COLUMNS, _CELLS_OF_100 = 20_000, 400_000  # up to so many cells, trees of all columns are 100
_MAX_BOOSTED_CELLS = 1_000_000  # rows x columns x classes of the sample; about half a minute on two cores
_MAX_BAGGED_CELLS = 4_000_000  # rows x columns
_MAX_LOGISTIC_CELLS, _MAX_KERNEL_CELLS = 50_000_000, 5_000_000  # numbers in the design


@dataclass(frozen=True)
class MemberPlan:
    """The learners in the order in which they are fitted, and why others are left out."""

    learners: tuple[MemberLearner, ...]
    left_out: dict[str, str] = field(default_factory=dict)

    def of_source(self, forest: MemberLearner) -> MemberPlan:
        """Return the plan for a source: its forest learns all rows, and there is no forest of all columns."""
        kept = [learner for learner in self.learners if learner.family != "bagged"]
        is_bagged = len(kept) < len(self.learners)
        reason = {"bagged": "a source, of which the forest learns all rows"} if is_bagged else {}
        learners = (forest if learner.family == "forest" else learner for learner in kept)
        return MemberPlan(tuple(learners), self.left_out | reason)


@dataclass(frozen=True)
class MembersRule(Rule):
    """Names of members, and pairs of a new name and a classifier; names differ.

    Examples
    --------
    >>> rule = MembersRule(("bayes", "forest"))
    >>> ["bayes", "forest"] in rule, ["bayes", "bayes"] in rule, "bayes" in rule
    (True, False, False)
    """

    names: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return _is_list(value) and bool(value) and not self._hint(value)

    def _words(self) -> tuple[str, ...]:
        names = ", ".join(map(repr, self.names))
        return (f"a list of different names among {names} and pairs of a new name and a classifier",)

    def _hint(self, value: object, /) -> str:
        if not _is_list(value):
            is_classifier = not _reason_against(value) or isinstance(value, type)
            return f" Pass a list of pairs: [('other', {_call(value)})]." if is_classifier else ""
        if len(value) == 2 and isinstance(value[0], str) and hasattr(value[1], "fit"):
            return f" Pass a list of pairs: [({value[0]!r}, {_call(value[1])})]."
        found = next(filter(None, map(self._hint_of_one, value)), "")
        names = [name_and_estimator(each)[0] for each in value]
        twice = next((name for name in names if names.count(name) > 1), None)
        return found or ("" if twice is None else f" {twice!r} is there twice.")

    def _hint_of_one(self, member: Any) -> str:
        if isinstance(member, str):
            return "" if member in self.names else f" {member!r} is no name of a member.{nearest(member, self.names)}"
        if not _is_list(member) or len(member) != 2 or not isinstance(member[0], str):
            return f" {_call(member)} is no pair of a name and a classifier."
        if member[0] in self.names:
            return f" {member[0]!r} is the name of a member of this package: choose another."
        return _reason_against(member[1])


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _call(value: object) -> str:
    """Return the call that makes a classifier, without its parameters."""
    kind = value if isinstance(value, type) else type(value)
    return f"{kind.__name__}()" if hasattr(value, "fit") else repr(value)


def _reason_against(estimator: object) -> str:
    """Return the reason why an object is no classifier with probabilities or margins, empty if it is."""
    if isinstance(estimator, type):
        return instance_hint(estimator) or " Pass an instance."
    if hasattr(estimator, "fit") and any(hasattr(estimator, each) for each in ("predict_proba", "decision_function")):
        return ""
    return f" {_call(estimator)} is no classifier with predict_proba or decision_function."


def name_and_estimator(member: Any) -> tuple[Any, Any]:
    """Return the name of a member, and the estimator of a pair, None of a name.

    Examples
    --------
    >>> name_and_estimator("bayes")
    ('bayes', None)
    """
    return (member[0], member[1]) if _is_list(member) and len(member) == 2 else (member, None)


MEMBERS_RULE = Choice("auto") | MembersRule(MEMBERS)


def plan_members(members: str | Sequence[MemberName], table: BlendTable) -> MemberPlan:
    """Return the learners for a table; none for a single class, whose probability is 1."""
    learners: list[MemberLearner] = []
    left_out: dict[str, str] = {}
    if table.n_classes == 1:
        return MemberPlan((), {})
    for number, (name, estimator) in enumerate(
        map(name_and_estimator, MEMBERS if isinstance(members, str) else members)
    ):
        if estimator is not None:
            learners.append(EstimatorLearner(name, estimator, _FIRST_STREAM + number))
            continue
        learner, reason = _learner(name, table)
        if learner is None:
            left_out[name] = reason
        else:
            learners.append(learner)
            learners.extend(_of_parts(learner, table))
    return MemberPlan(tuple(learners), left_out)


def _of_parts(learner: MemberLearner, table: BlendTable) -> list[MemberLearner]:
    """Return the learner of dates and free text as numbers, where there are any and it learns by folds."""
    measures = {feature.measure for feature in table.columns.schema.features}
    if learner.family not in _PARTS_FAMILIES or not measures & {"dates", "text"}:
        return []
    if "text" in measures and table.X is None:  # training rows that are kept have no strings
        return []
    return [PartsLearner(cast("Any", learner))]


def _learner(name: str, table: BlendTable) -> tuple[MemberLearner | None, str]:
    n_columns = len(table.columns.arrays)
    n_sampled = table.sample.n_pieces
    if name == "bayes":
        return BayesLearner(), ""
    if name in ("logistic", "kernel"):
        cells = n_sampled * sum(len(each.categories) or 1 for each in table.columns.schema.features)
        if cells > (_MAX_LOGISTIC_CELLS if name == "logistic" else _MAX_KERNEL_CELLS):
            return None, f"a design of {cells:,} numbers"
        return LogisticLearner() if name == "logistic" else LogisticLearner.radial(), ""
    if name == "forest":
        return _forest(table), ""
    if name == "bagged":
        cells = min(table.n_rows, _BAG_OF_ALL_COLUMNS) * n_columns
        if cells > _MAX_BAGGED_CELLS:
            return None, f"{n_columns:,} columns"
        return _bagged(table), ""
    if name == "gradient":
        return GradientLearner(), ""
    cells = n_sampled * n_columns * table.n_classes
    if cells > _MAX_BOOSTED_CELLS:
        return None, f"{n_sampled:,} rows x {n_columns:,} columns x {table.n_classes} classes"
    return BoostedLearner(), ""


def _forest(table: BlendTable) -> ForestLearner:
    if table.n_rows <= _ALL_ROWS:
        return ForestLearner("forest", 2)
    bag = min(table.n_rows, _MAX_BAG)
    share = None if bag == table.n_rows else bag / table.n_rows
    return ForestLearner("forest", 2, n_trees=max(_MIN_TREES, 300 * _ALL_ROWS // bag), max_samples=share)


def _bagged(table: BlendTable) -> ForestLearner:
    share = None if table.n_rows <= _ALL_ROWS else _BAG_OF_ALL_COLUMNS / table.n_rows
    cells = min(table.n_rows, _BAG_OF_ALL_COLUMNS) * len(table.columns.arrays)
    n_trees = int(np.clip(100 * _CELLS_OF_100 / cells, _MIN_TREES, 100))
    return ForestLearner("bagged", 3, n_trees=n_trees, max_features=None, max_samples=share, readings=("frequency",))


_POLL_SECONDS = 0.05
_SHARE_OF_MEMBERS = 0.9  # of a time limit: pooling and calibration take the rest


@dataclass
class FittedPlan:
    """The members that were fitted, and why others were not; ``is_cut_short`` where time or Ctrl-C ended it."""

    members: list[FittedMember] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    is_cut_short: bool = False

    def cut_short(self, learners: tuple[MemberLearner, ...], reason: str) -> FittedPlan:
        """Leave out further learners."""
        self.left_out |= {learner.family: reason for learner in learners}
        self.is_cut_short = True
        return self

    def add_note(self, note: str, other_than: str) -> None:
        """Add a note to the members of all families but one."""
        for i, member in enumerate(self.members):
            if member.family != other_than:
                self.members[i] = replace(member, note="; ".join(filter(None, (member.note, note))))


def fit_members(plan: MemberPlan, table: BlendTable, start: float, time_limit: float | None) -> FittedPlan:
    """Fit the members of a plan; the first is always fitted, and Ctrl-C before its end is an error.

    Parameters
    ----------
    plan : MemberPlan
        The learners.
    table : BlendTable
        The training rows.
    start : float
        When `fit` was called, by `time.perf_counter`.
    time_limit : float or None
        Seconds from the start.
    """
    done = FittedPlan(left_out=dict(plan.left_out))
    deadline = None if time_limit is None else start + _SHARE_OF_MEMBERS * time_limit
    with progress(total=len(plan.learners), description="Fitting members") as bar:
        for number, learner in enumerate(plan.learners):
            try:
                begun, own = time.perf_counter(), replace(table, stop=StopRequest())
                limit = deadline if done.members else None  # the first member has none
                member = learner.fit(own) if limit is None else _fit_until(learner, own, limit)
            except KeyboardInterrupt:
                if not done.members:
                    raise
                return done.cut_short(plan.learners[number:], "interrupted")
            if member is None:
                return done.cut_short(plan.learners[number:], f"the time limit of {time_limit:g} s")
            done.members.append(replace(member, seconds=time.perf_counter() - begun))
            bar.advance()
    return done


def _fit_until(learner: MemberLearner, table: BlendTable, deadline: float) -> FittedMember | None:
    """Fit a member in another thread, which is stopped at the deadline."""
    # Another thread, as the main one must stay free to look at the clock and to receive Ctrl-C
    if time.perf_counter() >= deadline:
        return None
    with ThreadPoolExecutor(1, initializer=table.stop.watch) as pool:
        running = pool.submit(learner.fit, table)
        try:
            while wait([running], _POLL_SECONDS).not_done:
                if time.perf_counter() >= deadline:
                    return None
            return running.result()
        finally:
            table.stop.request()
