"""The tree as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._params import check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant.data._internal import Nominal
from calibrant.estimates import Estimate
from calibrant.trees._description.describing import _Describing
from calibrant.trees._growing.growth import Growth
from calibrant.trees._growing.shared_growths import grow_once, inherited
from calibrant.trees._growing.training_data import read_training
from calibrant.trees._pruning.cost_complexity import CostComplexityPath
from calibrant.trees._reading.predicting import _Predicting
from calibrant.trees._showing.showing import _Showing
from calibrant.trees._tree_params import RULES, CriterionName, Dialect, EmptyLeaf, NominalSplits, Pruning, WeightKind

__all__ = ["ProbabilityTreeClassifier"]


class ProbabilityTreeClassifier(_Predicting, _Describing, _Showing, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A C4.5 tree made for class probabilities: grown in full, its leaves smoothed.

    The default is C4.4 (Provost & Domingos 2003): C4.5's growing, no pruning, no collapsing, Laplace estimates.
    Nominal columns (categorical, string, bool, Enum) are split as they are. A row with a missing value, or with a
    category that was not seen, goes down every branch with its share of the training weight, in growing and in
    prediction. Weights are frequencies unless `weight_kind` says otherwise: a row of weight 2 is the row twice, one of
    weight 0 is absent.

    Parameters
    ----------
    criterion : {"gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger"}
        What makes a good test. ``"gain_ratio"`` is C4.5's, among tests of at least average gain; ``"entropy"`` the
        information gain alone; ``"dkm"`` is Kearns and Mansour's, ``"hellinger"`` Cieslak and Chawla's.
    estimate : str or an estimate of `calibrant.estimates`
        How the counts of the nodes become probabilities: ``"laplace"``, ``"frequency"``, ``"m"``, ``"curtailment"``,
        ``"smoothed_curtailment"``, ``"m_branch"``, ``"path_average"``, ``"hierarchical_shrinkage"``,
        ``"kernel_density"``, or an object with numbers of its own. A number left to ``"cv"`` is the one with the
        least log-loss on the held-out rows of five folds (fewer where no class has five rows), each sent down a tree
        grown on the others in the same way; of equals the smoothest. A held-out row of a class that its fold does not
        know is left out, and a row of weight 2 stays in one fold.
    prune : {"pessimistic", "reduced_error", "cost_complexity", "mdl"}, optional
        How the tree is cut back. ``"reduced_error"`` grows on two thirds of the rows, each class in proportion, and
        prunes on the rest.
    confidence : float
        Of pessimistic pruning: smaller prunes more. At most 0.5 with ``dialect="j48"``.
    subtree_raising : bool
        Whether pessimistic pruning may put a branch in the place of its parent.
    ccp_alpha : float
        Of cost-complexity pruning: the price of a leaf, in errors per row.
    collapse : bool
        Whether a subtree that makes no fewer training errors than a leaf becomes one, as C4.5 does before it prunes.
    min_leaf : float
        At least two branches of every test hold this much weight.
    min_cut : {"c45", "min_leaf"}
        The least weight on each side of a numeric cut: ``"c45"`` a tenth of the mean class weight, between `min_leaf`
        and 25; ``"min_leaf"`` that alone, as in scikit-learn.
    max_depth : int, optional
        Most tests on a path.
    nominal_splits : {"multiway", "subset", "binary"}
        A branch for each category, for groups of categories (C4.5's ``-s``, whose groups may depend on the order of the
        categories; more than 256 groups are left as they are), or for one against the rest.
    threshold : {"observed", "midpoint"}
        Whether a cut stands at a value of the training rows, as in C4.5, or half-way between two.
    mdl_penalty : bool
        Whether numeric tests pay for their choice among cuts (Quinlan 1996); for ``"gain_ratio"`` and ``"entropy"``.
    dialect : {"c45", "j48"}
        Whose rules hold where C4.5 Release 8 and Weka's J48 differ. ``"j48"``: a test must gain more than 1e-6; scores
        within 1e-6 are equal (1e-7 for tests, 1e-9 for cuts in C4.5); a numeric column needs enough rows rather
        than weight; empty leaves answer as their parent whatever the estimate; pruning uses the exact normal deviate.
    empty_leaf : {"majority", "parent"}, optional
        What a leaf without training weight answers: 1 for its parent's majority class, or what its parent answers.
        None: ``"majority"`` for C4.5's frequencies, else ``"parent"``.
    accept_zero_gain : bool, optional
        Whether a nominal test that gains nothing may be chosen. None: as C4.5 does, with ``dialect="c45"`` and
        ``"gain_ratio"`` or ``"entropy"``; else not.
    nominal : "auto", "all", or a sequence of names, positions or truth values
        Which other columns to take as nominal.
    tie_break : {"first", "random"}
        Which of equally good tests is taken: that of the first column, or a random one.
    honest : bool
        Grow on one half of the rows, each class in proportion, and count on the other: the counts are then those of
        rows that had no say in the tests. At a missing value such a row is shared out as in prediction.
    class_weight : dict of class to weight or "balanced", optional
        Multiplies the weights of the rows of each class. The probabilities are then those of a population in which
        the classes are that much more frequent: with ``"balanced"``, one with equally many of each. They are no
        longer the chances of the rows at hand. To decide with costs, leave this alone and weigh the probabilities.
    weight_kind : {"frequency", "probability"}
        What weights say: how often a row was seen, or how many cases a row stands for (survey and case-control
        weights, and those of `class_weight`). With ``"probability"`` a branch that must hold `min_leaf` weight must
        hold as many rows too: each row with a known value counts once, whatever it weighs and whatever share of it
        came down from an unknown value above. So does a row of a bag, however often it was drawn. With
        ``dialect="j48"`` cases are rows then. Counts and base rates are weighted either way, and `min_cut` is weight.
    n_jobs : int, optional
        Threads, counted as scikit-learn counts them; the result is the same for any number.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds random ties, the choice of the rows set aside by `honest` and ``"reduced_error"``, and folds.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays: ``feature``, ``threshold``, ``parent``, ``counts`` ...; ``tree_.to_frame()`` shows it.
    estimate_ : Estimate
        The estimate that answers, its numbers chosen, fitted or worked out: `estimate` may leave them open.
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    n_nodes_, n_leaves_, depth_ : int
        Its size (empty leaves counted), its leaves, and the tests on its longest path.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Notes
    -----
    One growth serves any number of estimates. A fitted tree keeps the coded rows it was grown from (not X itself), so
    that `with_estimate` and `predict_proba_many` can choose by cross-validation or read kernel densities later. Pickles
    hold them too: 2 bytes for a value of a column with less than 65,536 different ones, else 4, and 8 for each
    different value.

    A search over `estimate` alone, such as scikit-learn's ``GridSearchCV``, grows each tree once: clones of a clone
    share what they grow, by a digest of the rows past the door, the parameters of growing and the seed. At most 256
    trees of at most 1 GiB are held, those longest unused go first, and all go with the search. This works within one
    process (``n_jobs=None``, or threads); several processes each grow their own. Without a seed, trees with random
    ties or with rows set aside are grown anew. A plain `fit` has no part in this.

    References
    ----------
    J. R. Quinlan, *C4.5: Programs for Machine Learning*, 1993, and "Improved use of continuous attributes in C4.5",
    1996. F. Provost and P. Domingos, "Tree induction for probability-based ranking", 2003.

    Examples
    --------
    >>> from calibrant.data import load
    >>> donors = load("appeal")
    >>> train, test = donors.part("train"), donors.part("test")
    >>> model = ProbabilityTreeClassifier(min_leaf=20).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.8  , 0.2  ],
           [0.925, 0.075]])
    """

    def __init__(
        self,
        *,
        criterion: CriterionName = "gain_ratio",
        estimate: str | Estimate = "laplace",
        prune: Pruning | None = None,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        ccp_alpha: float = 0.0,
        collapse: bool = False,
        min_leaf: float = 2,
        min_cut: Literal["c45", "min_leaf"] = "c45",
        max_depth: int | None = None,
        nominal_splits: NominalSplits = "multiway",
        threshold: Literal["observed", "midpoint"] = "observed",
        mdl_penalty: bool = True,
        dialect: Dialect = "c45",
        empty_leaf: EmptyLeaf | None = None,
        accept_zero_gain: bool | None = None,
        nominal: Nominal = "auto",
        tie_break: Literal["first", "random"] = "first",
        honest: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        weight_kind: WeightKind = "frequency",
        n_jobs: int | None = 1,
        random_state: SeedLike = None,
    ) -> None:
        self.criterion = criterion
        self.estimate = estimate
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.ccp_alpha = ccp_alpha
        self.collapse = collapse
        self.min_leaf = min_leaf
        self.min_cut = min_cut
        self.max_depth = max_depth
        self.nominal_splits = nominal_splits
        self.threshold = threshold
        self.mdl_penalty = mdl_penalty
        self.dialect = dialect
        self.empty_leaf = empty_leaf
        self.accept_zero_gain = accept_zero_gain
        self.nominal = nominal
        self.tie_break = tie_break
        self.honest = honest
        self.class_weight = class_weight
        self.weight_kind = weight_kind
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ProbabilityTreeClassifier:
        """Grow a tree.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table: of pandas, polars or pyarrow, or an array.
        y : sequence of length n_rows
            The class of each row. Where it declares an order (a pandas Categorical), ties follow it.
        sample_weight : sequence of length n_rows, optional
            How often each row counts, or how many cases it stands for (`weight_kind`); one of weight 0 is as if absent.

        Returns
        -------
        ProbabilityTreeClassifier
            The classifier itself.
        """
        check_params(self, RULES)
        training = read_training(X, y, sample_weight, nominal=self.nominal, class_weight=self.class_weight)
        seed = seed_sequence(self.random_state)
        return self._store(grow_once(self.__dict__.pop("_growths", None), training, self, seed))

    def _store(self, growth: Growth) -> ProbabilityTreeClassifier:
        self._read(growth)
        self.tree_ = tree = growth.tree
        self.n_nodes_, self.n_leaves_, self.depth_ = tree.n_nodes, tree.n_leaves, tree.max_depth
        self._store_columns(*growth.examples.seen)
        return self

    def cost_complexity_path(self) -> CostComplexityPath:
        """Give the nested sequence of trees that cost-complexity pruning makes of this one.

        Returns
        -------
        CostComplexityPath
            The prices of a leaf at which branches fall, the leaves and errors of the trees that remain; its method
            ``at(alpha)`` gives the classifier that is left. It goes by the counts that the tree has: in an honest
            tree, by those of the rows set aside.

        Examples
        --------
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.cost_complexity_path().n_leaves
        array([2, 1])
        """
        self._check_fitted()
        return CostComplexityPath.of(self)

    def __sklearn_clone__(self) -> ProbabilityTreeClassifier:
        copy: ProbabilityTreeClassifier = super().__sklearn_clone__()
        copy._growths = inherited(self.__dict__.get("_growths"))
        return copy

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_growths"}
