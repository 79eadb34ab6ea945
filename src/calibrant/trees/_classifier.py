"""The tree as a scikit-learn classifier."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._params import Choice, Real, Rule, check_param, check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant._saved import Array, Maybe, Number, Object, saved
from calibrant._source_limits import check_no_client, rows_needed
from calibrant.data._internal import WeightKind, is_source
from calibrant.estimates import Estimate
from calibrant.estimates._internal import ESTIMATE
from calibrant.trees._description_length import DescriptionMixin
from calibrant.trees._export.export_mixin import ExportMixin
from calibrant.trees._growing.cost_complexity import CostComplexityPath
from calibrant.trees._growing.grown_tree import GrownTree, grow_cached, inherit_cache
from calibrant.trees._growing.training_set import TrainingSet, read_training
from calibrant.trees._prediction.tree_reading import TreeReading
from calibrant.trees._sources.source_fit import fit_source, fit_tree_on_cluster
from calibrant.trees._tree import check_table
from calibrant.trees._tree_params import RULES, TREE_PARAMETER_DOCS

_SAMPLE_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    How often each row counts, or how many cases it represents (`weight_kind`); a row of weight 0 is absent."""


_CCP_ALPHA = """\
ccp_alpha : float, "cv" or "cv_1se"
    Of cost-complexity pruning: the cost of a leaf, in errors per row. ``"cv"``: that of the tree with the fewest
    errors on the held-out rows of ten folds, the smallest if tied; ``"cv_1se"``: of the smallest tree whose errors are
    within one standard error of these, which is CART's rule; the rows of a group count as one in it. Trees of the
    folds are pruned at the geometric mean of neighbouring alphas. The folds of an estimate's own ``"cv"`` are pruned at
    the alpha chosen."""


@saved(
    _grown_tree=Object(GrownTree),
    estimate_=ESTIMATE,
    reader=Object("trees.NodeReader") | None,
    table=Maybe(Array("f8", ndim=2, finite=True, low=0, high=1)),
    ccp_alpha_=Number(0),
)
@fill_docstring(**{**TREE_PARAMETER_DOCS, "ccp_alpha": _CCP_ALPHA})
@with_parameters
class ProbabilityTreeClassifier(
    DescriptionMixin,
    ExportMixin,
    ClassifierMixin,  # type: ignore[misc]
    EstimatorMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """A C4.5 tree made for class probabilities: grown in full, its leaves smoothed.

    The default is C4.4 (Provost & Domingos 2003): C4.5's growing, no pruning, no collapsing, Laplace estimates.
    Nominal columns (categorical, string, bool, Enum) are split as they are. A row with a missing value, or with a
    category that was not seen in `fit`, goes down every branch with the branch's share of the training weight, in
    growing and in prediction, unless `missing` says otherwise. Weights are frequencies unless `weight_kind` does: a row
    of weight 2 is the row twice, one of weight 0 is absent.

    Parameters
    ----------
    %(tree_parameters)s
    %(class_weight)s
    %(weight_kind)s
    %(n_jobs)s
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds random ties, the draw of the rows set aside by `honest` and ``"reduced_error"``, and folds.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays: ``feature``, ``threshold``, ``parent``, ``counts`` ...; ``tree_.to_frame()`` shows it.
    estimate_ : Estimate
        The estimate in use, with the numbers that `estimate` left open chosen, fitted or computed.
    ccp_alpha_ : float
        The alpha of cost-complexity pruning, chosen or passed; 0 where the tree is not pruned in this way.
    %(classes_)s
    n_nodes_, n_leaves_, depth_ : int
        Number of nodes and of leaves (those without training weight included), and of tests on the longest path.
    feature_importances_ : array of shape (n_features,)
        The share of each column in the decrease of impurity: the Gini index with that criterion or twoing, else the
        entropy.
    %(features_in_)s

    Notes
    -----
    One grown tree serves any number of estimates. A fitted classifier keeps the coded rows that it was grown from (not
    X itself), so that `with_estimate` and `predict_proba_many` can choose by cross-validation or read kernel densities
    later. Pickles contain them too: 2 bytes for each value of a column with fewer than 65,536 distinct ones, else 4,
    and 8 for each distinct value.

    A search over `estimate` alone, such as scikit-learn's ``GridSearchCV``, grows each tree once: clones of a clone
    share a cache of grown trees, keyed by a digest of the validated rows, the parameters of growing and the seed. At
    most 256 trees of at most 1 GiB are kept, the least recently used are dropped first, and all are freed with the
    search. This works within one process (``n_jobs=None``, or threads); several processes each grow their own. Without
    a seed, trees with random ties or with rows set aside are grown again. A plain `fit` does not use the cache.

    References
    ----------
    J. R. Quinlan, *C4.5: Programs for Machine Learning*, 1993, and "Improved use of continuous attributes in C4.5",
    1996. F. Provost and P. Domingos, "Tree induction for probability-based ranking", 2003.

    Examples
    --------
    %(example_split)s
    >>> model = ProbabilityTreeClassifier(min_leaf=20).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.8  , 0.2  ],
           [0.925, 0.075]])
    """

    _short_name: ClassVar[str] = "tree"
    # A single tree may choose its alpha on held-out rows. In an ensemble, copies of one row would be on both sides.
    _rules: ClassVar[Mapping[str, Rule]] = RULES | {"ccp_alpha": Choice("cv", "cv_1se") | Real(0)}

    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    weight_kind: WeightKind = "frequency"
    n_jobs: int | None = 1
    random_state: SeedLike = None

    @fill_docstring(y=TREE_PARAMETER_DOCS["y"], sample_weight=_SAMPLE_WEIGHT, groups=TREE_PARAMETER_DOCS["groups"])
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, client: Any = None
    ) -> ProbabilityTreeClassifier:
        """Grow a tree.

        %(source_fit_sections)s
        """
        check_params(self)
        if is_source(X):
            return fit_source(self, X, y, sample_weight, groups, client)
        check_no_client(client)
        rows = read_training(self, X, y, sample_weight, groups)
        seed = seed_sequence(self.random_state)
        # Popped, so that a second fit of the same object grows anew and a
        # fitted tree does not keep the search's cache alive.
        return self._store(grow_cached(self.__dict__.pop("_tree_cache", None), rows, self, seed))

    def _grow_coded(self, examples: TrainingSet) -> GrownTree:
        """Grow the tree of coded rows, for `_adopt`."""
        check_params(self)
        return GrownTree.fit(examples, self, seed_sequence(self.random_state))

    def _adopt(self, grown: GrownTree) -> ProbabilityTreeClassifier:
        """Check the parameters and read a tree that another classifier has grown."""
        check_params(self)
        return self._store(grown)

    def _store(self, grown: GrownTree) -> ProbabilityTreeClassifier:
        self._read(grown)
        self.tree_ = tree = grown.tree
        self.n_nodes_, self.n_leaves_, self.depth_ = tree.n_nodes, tree.n_leaves, tree.max_depth
        self.ccp_alpha_ = float(grown.params.ccp_alpha) if grown.params.prune == "cost_complexity" else 0.0
        self._store_columns(*grown.examples.columns_and_classes)
        return self

    _fit_cluster = fit_tree_on_cluster

    def _drop_rows(self) -> None:
        """Drop the training rows, which were those of a source."""
        self._grown_tree = self._grown_tree.without_rows()

    def with_estimate(self, estimate: str | Estimate) -> Self:
        """Return a fitted classifier that reads the same grown tree by another estimate.

        ``tree_`` is shared, nothing is grown again. Where the estimate leaves a number to cross-validation, the trees
        of the folds are grown from the coded rows that a fitted classifier keeps, once for all such estimates.

        Parameters
        ----------
        estimate : str or estimate of `calibrant.estimates`
            How the class counts of the tree become probabilities.

        Returns
        -------
        ProbabilityTreeClassifier
            A new classifier; this one does not change.

        Examples
        --------
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> raw = model.with_estimate("frequency")
        >>> raw.predict_proba([[1]]), raw.tree_ is model.tree_
        (array([[1., 0.]]), True)
        """
        self._check_fitted()
        other = copy.copy(self)
        check_param("estimate", estimate, RULES["estimate"])
        other.estimate = estimate
        with rows_needed(self, f"with_estimate({estimate!r})"):
            other._read(self._grown_tree)
        return other

    def cost_complexity_path(self) -> CostComplexityPath:
        """Return the nested sequence of trees that cost-complexity pruning makes of this one.

        Returns
        -------
        CostComplexityPath
            The values of alpha at which branches are pruned, the leaves and errors of the trees that remain; its
            method ``at(alpha)`` returns the pruned classifier. It uses the counts of the tree: in an honest tree,
            those of the rows set aside.

        Examples
        --------
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.cost_complexity_path().n_leaves
        array([2, 1])
        """
        self._check_fitted()
        return CostComplexityPath.of(self)

    def _saved_values(self, training_rows: bool) -> Mapping[str, Any]:  # noqa: ARG002
        # The table is saved only where it cannot be computed again to the bit, which keeps files small.
        table = self._reading.saved_table(self)
        return {"reader": self._reading.reader} | ({} if table is None else {"table": table})

    def _set_saved(self, values: dict[str, Any]) -> None:
        table, reader, grown = values.pop("table", None), values.pop("reader"), values["_grown_tree"]
        self.__dict__.update(values)
        tree = self.tree_ = grown.tree
        check_table(tree, self._schema, self.classes_)
        self.n_nodes_, self.n_leaves_, self.depth_ = tree.n_nodes, tree.n_leaves, tree.max_depth
        self._reading = TreeReading.from_saved(tree, self.estimate_, self, reader, table)

    def __sklearn_clone__(self) -> ProbabilityTreeClassifier:
        other: ProbabilityTreeClassifier = super().__sklearn_clone__()
        other._tree_cache = inherit_cache(self.__dict__.get("_tree_cache"))
        return other

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_tree_cache"}
