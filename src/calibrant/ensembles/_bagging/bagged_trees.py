"""Bagged probability trees as a scikit-learn classifier: one grown forest, many readings."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant import _core
from calibrant._params import Choice, Nothing, check_param, check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.data._internal import Nominal, RowClassifierMixin
from calibrant.ensembles._bagging.bags import Bootstrap
from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._bagging.importances import impurity_importances
from calibrant.ensembles._bagging.params import RULES, MaxFeatures
from calibrant.ensembles._bagging.permutation import oob_permutation_importances
from calibrant.ensembles._readings.read import GrownReading, How, OutOfBag
from calibrant.estimates import Estimate
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import (
    CriterionName,
    Dialect,
    EmptyLeaf,
    Examples,
    NominalSplits,
    Pruning,
    WeightKind,
    read_training,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BaggedTreesClassifier"]

Kind = Literal["b_pets", "eb_pets", "mob_esp"]

_OUT_OF_BAG: dict[str, OutOfBag] = {"b_pets": "ignore", "eb_pets": "count", "mob_esp": "condition"}


class BaggedTreesClassifier(RowClassifierMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Probability trees grown on bootstrap samples, and their probabilities averaged.

    All trees are grown from one coded table: a bootstrap sample is a whole number for each row, never a copy. A grown
    forest can be read in several ways without growing again (`reread`), and each reading has honest out-of-bag
    probabilities, ``oob_proba_``.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    bootstrap : {"uniform", "by_class", "subsample"}, optional
        How rows are drawn: as many as there are, with replacement; so in each class by itself (Nielsen 2004); a share
        of `max_samples`, without replacement; None: every tree has all rows.
    max_samples : float
        The share of the rows in a ``"subsample"``.
    max_features : int, float, "sqrt", "ceil_sqrt" or "log2", optional
        Columns drawn afresh at each node: a number, a share, or by the number of columns; None: all.
    redraw : bool
        Where no column drawn has a test, whether others are drawn.
    combine : {"average", "vote"}
        Whether the trees' probabilities are averaged or their votes counted.
    smooth_votes : bool
        With ``combine="vote"``, whether each class gets one vote more.
    out_of_bag : {"ignore", "count", "only", "condition"}
        What rows out of a tree's bag do at its leaves: nothing; they are counted too (EB-PETs); they alone are; all
        rows are counted, by the class that the forest votes for (MOB-ESP).
    out_of_bag_weight : float, "auto" or "leaf"
        How much a row out of the bag counts there: a number, one chosen by out-of-bag log-loss, or one a leaf.
    in_bag_counts : {"unique", "multiplicity"}
        Where rows out of the bag are counted, whether a row in it counts once or as often as it was drawn.
    vote_trees : float or "out_of_bag"
        With ``"condition"``, the share of the trees that label a new row; ``"out_of_bag"``: as many as label a
        training row, about 37 %.
    warm_start : bool
        Whether another `fit` adds trees to those that are there; the rows must be the same.
    n_jobs : int, optional
        Threads, counted as scikit-learn counts them; the result is the same for any number.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds bags, draws of columns and random ties.
    criterion, estimate, prune, confidence, subtree_raising, ccp_alpha, collapse, min_leaf, min_cut, max_depth, \
    nominal_splits, threshold, mdl_penalty, dialect, empty_leaf, accept_zero_gain, nominal, tie_break, honest, \
    class_weight, weight_kind
        As in `calibrant.trees.ProbabilityTreeClassifier`. Base rates, m and v of the estimate are those of the whole
        training set, not of each bag; what it leaves to cross-validation is chosen once, for a tree of all rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    trees_ : tuple of Tree
        The trees; their counts are those of their bags.
    in_bag_ : array of shape (n_trees, n_rows)
        How often each row (of weight above 0) is in the bag of each tree.
    oob_proba_ : array of shape (n_rows, n_classes)
        The probabilities of each training row by the trees grown without it, its own count taken out of the leaves
        that answer; NaN for a row that is in every bag. Worked out when first asked for. With ``"condition"`` also the
        labels of the rows beside it come from trees without it alone; every pair of rows at a leaf is looked at, up to
        256 rows for each at a leaf, drawn at random where there are more.
    feature_importances_ : array of shape (n_features_in_,)
        The share of each column in the decrease of impurity.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Examples
    --------
    >>> from calibrant.data import load
    >>> donors = load("appeal")
    >>> train, test = donors.part("train"), donors.part("test")
    >>> model = BaggedTreesClassifier(n_trees=50, random_state=0).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(2)
    array([[0.66, 0.34],
           [0.9 , 0.1 ]])
    """

    def __init__(
        self,
        *,
        n_trees: int = 100,
        bootstrap: Bootstrap | None = "uniform",
        max_samples: float = 0.632,
        max_features: MaxFeatures = None,
        redraw: bool = True,
        combine: Literal["average", "vote"] = "average",
        smooth_votes: bool = False,
        out_of_bag: OutOfBag = "ignore",
        out_of_bag_weight: float | Literal["auto", "leaf"] = 1.0,
        in_bag_counts: Literal["unique", "multiplicity"] = "unique",
        vote_trees: float | Literal["out_of_bag"] = 1.0,
        warm_start: bool = False,
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
        tie_break: Literal["first", "random"] = "random",
        honest: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        weight_kind: WeightKind = "frequency",
        n_jobs: int | None = None,
        random_state: SeedLike = None,
    ) -> None:
        self.n_trees = n_trees
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.redraw = redraw
        self.combine = combine
        self.smooth_votes = smooth_votes
        self.out_of_bag = out_of_bag
        self.out_of_bag_weight = out_of_bag_weight
        self.in_bag_counts = in_bag_counts
        self.vote_trees = vote_trees
        self.warm_start = warm_start
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a forest.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table: of pandas, polars or pyarrow, or an array.
        y : sequence of length n_rows
            The class of each row. Where it declares an order (a pandas Categorical), ties follow it.
        sample_weight : sequence of length n_rows, optional
            How often each row counts in every bag that it is in; a row of weight 0 is as if absent.

        Returns
        -------
        BaggedTreesClassifier
            The classifier itself.
        """
        check_params(self, RULES)
        self._how().check()
        training = read_training(X, y, sample_weight, nominal=self.nominal, class_weight=self.class_weight)
        examples = Examples.code(training, n_jobs=self.n_jobs)
        old = self.__dict__.get("_forest") if self.warm_start else None
        if old is None:
            return self._store(Forest.of(examples, self, seed_sequence(self.random_state)))
        return self._store(self._extended(old, examples))

    def _extended(self, old: Forest, examples: Examples) -> Forest:
        if self.n_trees < len(old.trees) or not old.examples.is_like(examples):
            raise ParameterError(
                f"warm_start=True adds trees to the {len(old.trees)} that are there: n_trees must be at least so many "
                f"(it is {self.n_trees}), and the rows those of the first fit. Fit a clone to start anew."
            )
        return old.grown_to(self.n_trees)

    def _store(self, forest: Forest) -> Self:
        self._read(forest)
        self._store_columns(*forest.examples.seen)
        return self

    def _read(self, forest: Forest) -> None:
        """Read a grown forest as the parameters say, or leave all as it was."""
        reading = GrownReading(forest, self._how())
        reading.prepare()
        self._forest, self._reading = forest, reading

    def _how(self) -> How:
        return How(
            estimate=self.estimate,
            out_of_bag=self.out_of_bag,
            out_of_bag_weight=self.out_of_bag_weight,
            in_bag_counts=self.in_bag_counts,
            combine=self.combine,
            smooth_votes=self.smooth_votes,
            vote_trees=self.vote_trees,
        )

    def reread(
        self,
        kind: Kind | None = None,
        *,
        estimate: str | Estimate | None = None,
        out_of_bag_weight: float | Literal["auto", "leaf"] | None = None,
        in_bag_counts: Literal["unique", "multiplicity"] | None = None,
    ) -> Self:
        """Give a fitted classifier that reads the same grown forest in another way; nothing is grown.

        Parameters
        ----------
        kind : {"b_pets", "eb_pets", "mob_esp"}, optional
            What rows out of the bag do; None: as now.
        estimate : str or estimate of `calibrant.estimates`, optional
            How counts become probabilities; None: as now.
        out_of_bag_weight : float, "auto" or "leaf", optional
            How much a row out of the bag counts; None: as now.
        in_bag_counts : {"unique", "multiplicity"}, optional
            Whether a row in the bag counts once beside those out of it; None: as now.

        Returns
        -------
        BaggedTreesClassifier
            Another one; this one stays as it is.

        Examples
        --------
        >>> model = BaggedTreesClassifier(n_trees=5, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.reread("eb_pets", estimate="frequency").trees_ is model.trees_
        True
        """
        self._check_fitted()
        check_param("kind", kind, Choice(*_OUT_OF_BAG) | Nothing())
        other = copy.copy(self)
        told = {"estimate": estimate, "out_of_bag_weight": out_of_bag_weight, "in_bag_counts": in_bag_counts}
        told["out_of_bag"] = None if kind is None else _OUT_OF_BAG[kind]
        for name, value in told.items():
            if value is not None:
                check_param(name, value, RULES[name])
                setattr(other, name, value)
        other._how().check()
        other._read(self._forest)
        return other

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows; columns are found by name where both tables have names, else by position.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        rows = self._rows(X)
        return self._reading.predict_proba(rows)

    def vote(self, X: Any) -> NDArray[Any]:
        """Give the class that most trees vote for; of equals that of greater summed leaf frequency, then the lower.

        It is the label on which MOB-ESP conditions, so that `vote_trees` says there which trees vote.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``.
        """
        rows = self._rows(X)
        return np.asarray(self.classes_[self._reading.tally(rows).labels])

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Give the leaf of each row in each tree; with missing values, the leaf that holds most of the row's weight.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows, n_trees)
            Numbers of nodes.
        """
        n_rows, columns = self._rows(X)
        threads = n_threads(self.n_jobs)
        leaves = [_core.apply_tree(tree.core, n_rows, columns, threads) for tree in self.trees_]
        return np.stack([np.asarray(leaf) for leaf in leaves], axis=1)

    oob_importances = oob_permutation_importances

    @property
    def trees_(self) -> tuple[Any, ...]:
        """The trees."""
        self._check_fitted()
        return self._forest.trees

    @property
    def in_bag_(self) -> NDArray[np.uint16]:
        """How often each row is in the bag of each tree."""
        self._check_fitted()
        return self._forest.in_bag

    @property
    def oob_proba_(self) -> NDArray[np.float64]:
        """Honest out-of-bag probabilities of the training rows."""
        self._check_fitted()
        return self._reading.oob_proba

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the decrease of impurity."""
        return impurity_importances(self.trees_, self.criterion)
