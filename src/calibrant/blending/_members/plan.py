"""Which members a table gets, and how large they are: the whole set up to 20,000 rows, less beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from calibrant._params import Choice
from calibrant.blending._members.bayes import BayesLearner
from calibrant.blending._members.boosted import BoostedLearner
from calibrant.blending._members.estimator import EstimatorLearner
from calibrant.blending._members.forest import ForestLearner
from calibrant.blending._members.gradient import GradientLearner
from calibrant.blending._members.kernel import KernelLearner
from calibrant.blending._members.logistic import LogisticLearner
from calibrant.blending._members.member import MemberLearner, NotedLearner
from calibrant.blending._members.members_rule import MemberName, MembersRule, name_and_estimator

if TYPE_CHECKING:
    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["MEMBERS", "MEMBERS_RULE", "MemberName", "MemberPlan", "plan_members"]

# The fastest first: with a time limit the first useful model is there after a second
MEMBERS = ("bayes", "logistic", "forest", "gradient", "kernel", "boosted", "bagged")

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

    def of_source(self, forest: MemberLearner, note: str) -> MemberPlan:
        """Return the plan for a source: its forest of all rows, a note on the others, no forest of all columns."""
        kept = [learner for learner in self.learners if learner.family != "bagged"]
        is_bagged = len(kept) < len(self.learners)
        reason = {"bagged": "a source, of which the forest learns all rows"} if is_bagged else {}
        learners = (forest if learner.family == "forest" else NotedLearner(learner, note) for learner in kept)
        return MemberPlan(tuple(learners), self.left_out | reason)


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
    return MemberPlan(tuple(learners), left_out)


def _learner(name: str, table: BlendTable) -> tuple[MemberLearner | None, str]:
    n_columns = len(table.columns.arrays)
    n_sampled = table.sample.n_pieces
    if name == "bayes":
        return BayesLearner(), ""
    if name == "logistic":
        cells = n_sampled * _design_columns(table)
        return (LogisticLearner(), "") if cells <= _MAX_LOGISTIC_CELLS else (None, f"a design of {cells:,} numbers")
    if name == "kernel":
        cells = n_sampled * _design_columns(table)
        return (KernelLearner(), "") if cells <= _MAX_KERNEL_CELLS else (None, f"a design of {cells:,} numbers")
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
    return BoostedLearner(stream=4), ""


def _design_columns(table: BlendTable) -> int:
    return sum(len(each.categories) or 1 for each in table.columns.schema.features)


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
