"""The parameters of a tree: their types, the rules that ``fit`` checks first, their documentation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._estimator import with_parameters
from calibrant._params import Bool, Choice, InstanceOf, Int, Nothing, Real, Rule, Seed
from calibrant._random import SeedLike
from calibrant._threads import N_JOBS
from calibrant.data._internal import MAX_BINS, WEIGHT_KIND, Nominal
from calibrant.estimates import Estimate
from calibrant.estimates._internal import ESTIMATE_RULE

CriterionName: TypeAlias = Literal[
    "gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"
]
Pruning: TypeAlias = Literal["pessimistic", "continuity", "reduced_error", "cost_complexity", "mdl", "map"]
Dialect: TypeAlias = Literal["c45", "j48"]
EmptyLeaf: TypeAlias = Literal["majority", "parent"]
MissingValues: TypeAlias = Literal["fractional", "learned"]
NominalSplits: TypeAlias = Literal["multiway", "subset", "binary"]


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


@with_parameters
class TreeParamsMixin:
    """The parameters that growing, pruning and reading a tree use, of any estimator made of trees.

    Parameters
    ----------
    criterion : {"gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"}
        The criterion of a good test. ``"gain_ratio"`` is C4.5's, among tests of at least average gain; ``"entropy"``
        the information gain alone; ``"dkm"`` is Kearns and Mansour's, ``"hellinger"`` Cieslak and Chawla's.
        ``"twoing"``, of Breiman et al., compares two branches: nominal columns are split as with
        ``nominal_splits="binary"``, and ``"subset"`` is an error. With two classes it grows the tree of ``"gini"`` with
        such splits. ``"bayes"`` is Buntine's (1992): the test that makes the classes of the rows most probable, the
        class probabilities of each branch being uniformly distributed; a numeric column counts with the mean over its
        cuts. The best test is taken even where a leaf is more probable. ``"mml"`` adds Wallace and Patrick's (1993)
        prior probability of the branches. Both need ``missing="fractional"``, and no ``"subset"``.
    estimate : str or an estimate of `calibrant.estimates`
        How the class counts of the nodes become probabilities: ``"laplace"``, ``"frequency"``, ``"m"``,
        ``"curtailment"``, ``"smoothed_curtailment"``, ``"m_branch"``, ``"path_average"``, ``"hierarchical_shrinkage"``,
        ``"kernel_density"``, or an object with its own numbers. %(estimate_numbers)s
    prune : {"pessimistic", "continuity", "reduced_error", "cost_complexity", "mdl", "map"}, optional
        How the tree is pruned. ``"pessimistic"``: as in C4.5. ``"continuity"``: as in C4 before it (Quinlan 1987), a
        node becomes a leaf where its errors are fewer than those of the leaves below, half an error added for each, and
        their standard error. ``"reduced_error"`` grows on two thirds of the rows, stratified by class, and prunes on
        the rest. ``"map"``: to the most probable subtree, all equally probable at first with ``criterion="bayes"``,
        else by Wallace and Patrick's (1993) prior.
    confidence : float
        Of pessimistic pruning: smaller values prune more. At most 0.5 with ``dialect="j48"``.
    subtree_raising : bool
        Whether pessimistic pruning may replace a node by one of its branches.
    %(ccp_alpha)s
    collapse : bool
        Whether a subtree that makes no fewer training errors than a leaf becomes one, as C4.5 does before it prunes.
    min_leaf : float
        The minimum weight that at least two branches of every test must have.
    min_cut : {"c45", "min_leaf"}
        The minimum weight on each side of a numeric cut: ``"c45"`` a tenth of the mean class weight, between `min_leaf`
        and 25; ``"min_leaf"`` that alone, as in scikit-learn.
    max_depth : int, optional
        The maximum number of tests on a path.
    nominal_splits : {"multiway", "subset", "binary"}
        A branch for each category, for groups of categories (C4.5's ``-s``, whose groups may depend on the order of the
        categories; more than 256 groups are left as they are), or for one against the rest.
    threshold : {"observed", "midpoint"}
        Whether a cut is at a value of the training rows, as in C4.5, or half-way between two.
    mdl_penalty : bool
        Whether the gain of numeric tests is reduced for the choice among cuts (Quinlan 1996); for ``"gain_ratio"`` and
        ``"entropy"``.
    dialect : {"c45", "j48"}
        Whose rules hold where C4.5 Release 8 and Weka's J48 differ. ``"j48"``: a test must gain more than 1e-6; scores
        within 1e-6 are equal (1e-7 for tests, 1e-9 for cuts in C4.5); a numeric column needs enough rows rather
        than weight; a leaf without training weight predicts as its parent whatever the estimate; pruning uses the exact
        normal deviate.
    empty_leaf : {"majority", "parent"}, optional
        What a leaf without training weight predicts: its parent's majority class with probability 1, or the
        probabilities of its parent. None: ``"majority"`` for C4.5's frequencies, else ``"parent"``.
    accept_zero_gain : bool, optional
        Whether a nominal test that gains nothing may be chosen. None: as C4.5 does, with ``dialect="c45"`` and
        ``"gain_ratio"`` or ``"entropy"``; else not.
    missing : {"fractional", "learned"}
        Where rows with a missing value go. ``"fractional"``: down every branch, with the branch's share of the training
        weight, as in C4.5. ``"learned"``: a numeric test sends them to the side that gains most, each cut tried with
        them on either side, and whether the value is missing is a test too; a nominal test treats them as one more
        category; they count in full. Predicted rows, and those with a category that `fit` did not see, go the same way,
        and down every branch at a test where no training row had a missing value. ``"learned"`` is for fields whose
        absence is itself information; growing then takes about as long as without missing values.
    %(nominal)s
    %(max_bins)s
    tie_break : {"first", "random"}
        Which of equally good tests is chosen: that of the first column, or a random one.
    honest : bool
        Grow on one half of the rows, stratified by class, and count on the other: the counts are then those of rows
        that did not choose the tests. A counted row with a missing value goes where it goes in prediction.
    """

    criterion: CriterionName = "gain_ratio"
    estimate: str | Estimate = "laplace"
    prune: Pruning | None = None
    confidence: float = 0.25
    subtree_raising: bool = True
    ccp_alpha: float | Literal["cv", "cv_1se"] = 0.0
    collapse: bool = False
    min_leaf: float = 2
    min_cut: Literal["c45", "min_leaf"] = "c45"
    max_depth: int | None = None
    nominal_splits: NominalSplits = "multiway"
    threshold: Literal["observed", "midpoint"] = "observed"
    mdl_penalty: bool = True
    dialect: Dialect = "c45"
    empty_leaf: EmptyLeaf | None = None
    accept_zero_gain: bool | None = None
    missing: MissingValues = "fractional"
    nominal: Nominal = "auto"
    max_bins: int | None = None
    tie_break: Literal["first", "random"] = "first"
    honest: bool = False

    if TYPE_CHECKING:  # which come last in a signature, after those that not all estimators of trees have
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
    "weight_kind": WEIGHT_KIND,
    "class_weight": Choice("balanced") | InstanceOf(Mapping, words="a dict of class to weight") | Nothing(),
    "n_jobs": N_JOBS,
    "random_state": Seed(),
}


# Entries of a "Parameters" section for `fill_docstring`. A class that replaces one of those that the documentation of
# `TreeParamsMixin` refers to (`ccp_alpha`, for one) finds it replaced there too.
TREE_PARAMETER_DOCS: Mapping[str, str] = {
    "tree_parameters": inspect.cleandoc(TreeParamsMixin.__doc__ or "").partition("----------\n")[2],
    "estimate_numbers": """\
A number left to ``"cv"`` is the one with the least
log-loss on the held-out rows of five folds (fewer where no class has five rows), each sent down a tree grown on
the others in the same way; ties go to the smoothest. A held-out row of a class that is absent from the other folds is
left out. The units of a weighted row are rows of their own: one of weight 3 may be in three folds, and weights choose
what copies choose. Rows of a group are in one fold, and so is a row with ``weight_kind="probability"``.""",
    "ccp_alpha": """\
ccp_alpha : float
    Of cost-complexity pruning: the cost of a leaf, in errors per row.""",
    "class_weight": """\
class_weight : dict of class to weight or "balanced", optional
    Multiplies the weights of the rows of each class. The probabilities are then those of a population in which
    the classes are that much more frequent: with ``"balanced"``, one with equally many of each. They are no
    longer those of the training rows. To decide with costs, leave this alone and weight the probabilities.""",
    "weight_kind": """\
weight_kind : {"frequency", "probability"}
    What weights mean: how often a row was observed, or how many cases a row represents (survey and case-control
    weights, and those of `class_weight`). With ``"probability"`` a branch that must have `min_leaf` weight must
    have as many rows too: each row with a known value counts once, whatever its weight and whatever share of it
    came down from a missing value above. So does a row of a bag, however often it was drawn. With
    ``dialect="j48"`` cases are rows then. Counts and base rates are weighted either way, and `min_cut` is weight.""",
    "n_jobs": """\
n_jobs : int, optional
    Number of threads, counted as scikit-learn counts them; the result is the same for any number.""",
    "groups": """\
groups : sequence of length n_rows, optional
    The group of each row, such as the patient or the session of several rows. Rows of a group are in the same fold
    where a number is chosen by ``"cv"``, and on the same side where rows are set aside to prune or to count.""",
    "y": """\
y : sequence of length n_rows
    The class of each row. Where it declares an order (a pandas Categorical), ties follow it.""",
}
fill_docstring(**TREE_PARAMETER_DOCS)(TreeParamsMixin)
