"""The parameters of a tree: their types, and the rules that ``fit`` checks first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from calibrant import _core
from calibrant._params import Bool, Choice, InstanceOf, Int, Nothing, Real, Rule, Seed
from calibrant._random import SeedLike
from calibrant._threads import N_JOBS
from calibrant.data._internal import MAX_BINS, Nominal
from calibrant.estimates import Estimate
from calibrant.estimates._internal import ESTIMATE_RULE

__all__ = [
    "CRITERIA",
    "RULES",
    "SINGLE_TREE_RULES",
    "Criterion",
    "CriterionName",
    "Dialect",
    "EmptyLeaf",
    "MissingValues",
    "NominalSplits",
    "Pruning",
    "ReadingParams",
    "TreeParams",
    "WeightKind",
]

CriterionName: TypeAlias = Literal[
    "gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"
]
Pruning: TypeAlias = Literal["pessimistic", "continuity", "reduced_error", "cost_complexity", "mdl", "map"]
Dialect: TypeAlias = Literal["c45", "j48"]
EmptyLeaf: TypeAlias = Literal["majority", "parent"]
MissingValues: TypeAlias = Literal["fractional", "learned"]
NominalSplits: TypeAlias = Literal["multiway", "subset", "binary"]
WeightKind: TypeAlias = Literal["frequency", "probability"]


class Criterion(NamedTuple):
    """A criterion of the core; ``in_bits`` where the MDL penalty is defined, ``prior`` where it is Bayesian."""

    core: _core.Criterion
    is_ratio: bool = False
    in_bits: bool = False
    prior: Literal["flat", "wallace"] | None = None


CRITERIA: dict[str, Criterion] = {
    "gain_ratio": Criterion(_core.Criterion.entropy, is_ratio=True, in_bits=True),
    "entropy": Criterion(_core.Criterion.entropy, in_bits=True),
    "gini": Criterion(_core.Criterion.gini),
    "dkm": Criterion(_core.Criterion.dkm),
    "dkm_ratio": Criterion(_core.Criterion.dkm, is_ratio=True),
    "hellinger": Criterion(_core.Criterion.hellinger),
    "twoing": Criterion(_core.Criterion.twoing),
    "bayes": Criterion(_core.Criterion.bayes, prior="flat"),
    "mml": Criterion(_core.Criterion.mml, prior="wallace"),
}


class ReadingParams(Protocol):
    """The parameters that reading a tree uses."""

    dialect: Dialect
    empty_leaf: EmptyLeaf | None


class TreeParams(ReadingParams, Protocol):
    """The parameters that growing, pruning and reading a tree use, of any estimator made of trees."""

    criterion: CriterionName
    estimate: str | Estimate
    prune: Pruning | None
    confidence: float
    subtree_raising: bool
    ccp_alpha: float | Literal["cv", "cv_1se"]
    collapse: bool
    min_leaf: float
    min_cut: Literal["c45", "min_leaf"]
    max_depth: int | None
    nominal_splits: NominalSplits
    threshold: Literal["observed", "midpoint"]
    mdl_penalty: bool
    accept_zero_gain: bool | None
    missing: MissingValues
    nominal: Nominal
    max_bins: int | None
    tie_break: Literal["first", "random"]
    honest: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    n_jobs: int | None
    random_state: SeedLike


# `nominal` is absent: input validation checks it against the columns of the table.
RULES: dict[str, Rule] = {
    "criterion": Choice(*CRITERIA),
    "estimate": ESTIMATE_RULE,
    "prune": Choice("pessimistic", "continuity", "reduced_error", "cost_complexity", "mdl", "map") | Nothing(),
    "confidence": Real(0, 1, closed="right"),
    "subtree_raising": Bool(),
    "ccp_alpha": Real(0),
    "collapse": Bool(),
    "min_leaf": Real(0, closed="neither"),
    "min_cut": Choice("c45", "min_leaf"),
    "max_depth": Int(1) | Nothing(),
    "nominal_splits": Choice("multiway", "subset", "binary"),
    "threshold": Choice("observed", "midpoint"),
    "mdl_penalty": Bool(),
    "dialect": Choice("c45", "j48"),
    "empty_leaf": Choice("majority", "parent") | Nothing(),
    "accept_zero_gain": Bool() | Nothing(),
    "missing": Choice("fractional", "learned"),
    "max_bins": MAX_BINS,
    "tie_break": Choice("first", "random"),
    "honest": Bool(),
    "weight_kind": Choice("frequency", "probability"),
    "class_weight": Choice("balanced") | InstanceOf(Mapping, words="a dict of class to weight") | Nothing(),
    "n_jobs": N_JOBS,
    "random_state": Seed(),
}
# A single tree may choose its alpha on held-out rows. In an ensemble, copies of one row would be on both sides.
SINGLE_TREE_RULES: dict[str, Rule] = RULES | {"ccp_alpha": Choice("cv", "cv_1se") | Real(0)}
