"""Bagged probability trees as a scikit-learn classifier: one grown forest, many readings."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._estimator_html import SectionsReprMixin, model_section
from calibrant._params import Choice, Nothing, check_param, check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant._saved import Object, WithRows, need, saved
from calibrant._sections import Section
from calibrant._source_limits import check_no_client, rows_needed
from calibrant._threads import n_threads
from calibrant.data._internal import RowClassifierMixin, WeightKind, is_source
from calibrant.ensembles._bagging.bags import BAG_GROUPS, BAG_SAMPLE_WEIGHT
from calibrant.ensembles._bagging.forest import BAGGED_RULES, RULES, Forest, ForestParamsMixin, tree_sizes
from calibrant.ensembles._bagging.permutation import oob_permutation_importances
from calibrant.ensembles._levels.cluster_forest import fit_forest_on_cluster
from calibrant.ensembles._readings.forest_reading import READINGS, ForestReader, Kind, ReadingOptions
from calibrant.ensembles._tree_style import STYLE_DOC, styled, styled_for, with_tree_params
from calibrant.estimates import Estimate
from calibrant.trees._internal import (
    TREE_PARAMETER_DOCS,
    CriterionName,
    MissingValues,
    NominalSplits,
    TrainingSet,
    TreeParamsMixin,
    check_table,
    fit_source,
    impurity_importances,
    node_indicator,
)


@fill_docstring()
def forest_decision_path(self: BaggedTreesClassifier, X: Any) -> tuple[Any, NDArray[np.intp]]:
    """Return the nodes that each row visits in each tree, as scikit-learn's forests do.

    Parameters
    ----------
    %(X_predict)s

    Returns
    -------
    indicator : sparse matrix of shape (n_rows, n_nodes of all trees)
        1 for every node on the paths of a row; a row with missing values has several paths in a tree.
    n_nodes_ptr : array of shape (n_trees + 1,)
        Tree i has the columns from ``n_nodes_ptr[i]`` up to ``n_nodes_ptr[i + 1]``.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> model = BaggedTreesClassifier(n_trees=2, bootstrap=None).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> indicator, n_nodes_ptr = model.decision_path([[1]])
    >>> indicator.toarray(), n_nodes_ptr
    (array([[1, 1, 0, 1, 1, 0]]), array([0, 3, 6]))
    """
    from scipy.sparse import hstack  # slow to import

    rows = self._rows(X)
    indicators = [node_indicator(tree, rows, self.n_jobs) for tree in self.trees_]
    return hstack(indicators).tocsr(), np.cumsum([0, *(tree.n_nodes for tree in self.trees_)])


_LEAF_NUMBERS = "array of shape (n_rows, n_trees)\n    Node numbers."

_ESTIMATE_NUMBERS = """\
Base rates, m and v are those
of the whole training set, not of each bag; a number left to ``"cv"`` is chosen once, for a tree of all rows."""


@saved(_forest=WithRows(Forest), _reading=Object(ForestReader))
@fill_docstring(**{**TREE_PARAMETER_DOCS, "estimate_numbers": _ESTIMATE_NUMBERS, "style": STYLE_DOC})
@with_parameters
class BaggedTreesClassifier(
    SectionsReprMixin,
    RowClassifierMixin,
    TreeParamsMixin,
    ForestParamsMixin,
    ClassifierMixin,  # type: ignore[misc]
    EstimatorMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """Probability trees grown on bootstrap samples, and their probabilities averaged.

    All trees are grown from one coded table: a bootstrap sample is a whole number for each row, never a copy. A grown
    forest can be read in several ways without growing again (`reread`), and each reading has honest out-of-bag
    probabilities, ``oob_proba_``. `criterion`, `nominal_splits`, `threshold`, `mdl_penalty` and `estimate` default to
    what had the least log-loss in `benchmarks/defaults.py`; the papers' bagged C4.4 trees are `BPETsClassifier`'s.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    bootstrap : {"uniform", "by_class", "by_group", "subsample"}, optional
        How rows are drawn: as many as there are, with replacement; the same within each class (Nielsen 2004); whole
        groups, as many as there are, with replacement; a share of `max_samples`, without replacement; None: every
        tree has all rows. Where `fit` gets `groups`, ``"uniform"`` and ``"by_class"`` draw groups as ``"by_group"``
        does, and ``"subsample"`` draws a share of the groups.
    max_samples : float
        The share of the rows, or of the groups, in a ``"subsample"``.
    max_features : int, float, "sqrt", "ceil_sqrt" or "log2", optional
        Number of columns drawn at each node: a number, a share, or by the number of columns; None: all.
    redraw : bool
        Whether more columns are drawn where no drawn column has a test.
    combine : {"average", "vote"}
        Whether the trees' probabilities are averaged or their votes counted.
    smooth_votes : bool
        With ``combine="vote"``, whether each class gets one more vote.
    out_of_bag : {"ignore", "count", "only", "condition"}
        The role of a tree's out-of-bag rows at its leaves: none; they are counted too (EB-PETs); only they are counted;
        all rows are counted, by the class that the forest votes for (MOB-ESP).
    out_of_bag_weight : float, "auto" or "leaf"
        The weight of an out-of-bag row there: a number, one chosen by out-of-bag log-loss, or one for each leaf.
    in_bag_counts : {"unique", "multiplicity"}
        Where out-of-bag rows are counted, whether a row in the bag counts once or as often as it was drawn.
    vote_trees : float or "out_of_bag"
        With ``"condition"``, the share of the trees that label a new row; ``"out_of_bag"``: as many as label a
        training row, about 37 %.
    warm_start : bool
        Whether another `fit` adds trees to those already grown; the rows and their groups must be the same.
    %(style)s
    %(tree_parameters)s
    %(class_weight)s
    %(weight_kind)s
    %(n_jobs)s
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds bags, draws of columns and random ties.

    Attributes
    ----------
    %(classes_)s
    trees_ : tuple of Tree
        The trees; their counts are those of their bags.
    in_bag_ : array of shape (n_trees, n_rows)
        Number of times each row (of weight above 0) is in the bag of each tree; computed when it is requested.
    oob_proba_ : array of shape (n_rows, n_classes)
        The probabilities of each training row by the trees grown without it, with its own count, and those of its
        group, subtracted from its leaves; NaN for a row that is in every bag. Computed at first use. With
        ``"condition"`` the labels of the other rows also come from trees without it alone; all pairs of rows at a leaf
        are visited, up to 256 rows for each at a leaf, drawn at random where there are more.
    oob_score_ : float
        The accuracy of the most probable classes by ``oob_proba_``, weighted as the rows are; rows that are in every
        bag are left out, and it is NaN where there are no others. Computed at first use.
    feature_importances_ : array of shape (n_features,)
        The share of each column in the decrease of impurity.
    %(features_in_)s

    Examples
    --------
    %(example_split)s
    >>> model = BaggedTreesClassifier(n_trees=50, random_state=0).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(2)
    array([[1.  , 0.  ],
           [0.92, 0.08]])
    """

    _short_name: ClassVar[str] = "forest"
    _rules = BAGGED_RULES

    criterion: CriterionName = "entropy"
    estimate: str | Estimate = "hierarchical_shrinkage"
    ccp_alpha: float = 0.0
    nominal_splits: NominalSplits = "binary"
    threshold: Literal["observed", "midpoint"] = "midpoint"
    mdl_penalty: bool = False
    missing: MissingValues = "learned"
    tie_break: Literal["first", "random"] = "random"
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    weight_kind: WeightKind = "frequency"
    n_jobs: int | None = None
    random_state: SeedLike = None

    @fill_docstring(y=TREE_PARAMETER_DOCS["y"], sample_weight=BAG_SAMPLE_WEIGHT, groups=BAG_GROUPS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, client: Any = None) -> Self:
        """Grow a forest.

        %(source_fit_sections)s
        """
        check_params(self)
        self._reading_options().check()
        if is_source(X):
            return fit_source(self, X, y, sample_weight, groups, client)
        check_no_client(client)
        examples = TrainingSet.read(self, X, y, sample_weight, groups)
        old: Forest | None = self.__dict__.get("_forest") if self.warm_start else None
        if old is None:
            return self._store(self._grow_coded(examples))
        with rows_needed(self, "fit with warm_start=True"):
            return self._store(old.continued_to(self.n_trees, examples))

    def _grow_coded(self, examples: TrainingSet) -> Forest:
        """Grow the forest of coded rows, for `_adopt`."""
        check_params(self)
        seed = seed_sequence(self.random_state)
        return Forest.of(examples, styled_for(examples, self, seed), seed)

    def _adopt(self, forest: Forest) -> Self:
        """Check the parameters and read a forest that another classifier has grown."""
        check_params(self)
        self._reading_options().check()
        return self._store(forest)

    def _store(self, forest: Forest) -> Self:
        """Read a grown forest as the parameters specify."""
        return self._keep(ForestReader(forest, self._reading_options()))

    def _keep(self, reading: ForestReader) -> Self:
        """Store a forest and its reading; nothing is stored if what predictions need cannot be computed."""
        reading.prepare()
        self._forest, self._reading = reading.forest, reading
        self._store_columns(*reading.forest.examples.columns_and_classes)
        return self

    _fit_cluster = fit_forest_on_cluster

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        return {"_forest": (self._forest, self._reading.predicts_from_rows)}

    def _check_saved(self) -> None:
        super()._check_saved()
        check_table(self._forest.trees[0], self._schema, self.classes_)
        need(self._reading.forest is self._forest, "has the reading of another forest")
        has_rows = self._forest.examples.has_rows or not self._reading.predicts_from_rows
        need(has_rows, "lacks the training rows from which it predicts")

    def _drop_rows(self) -> None:
        """Drop the training rows, which were those of a source, after what is computed from them is stored."""
        self._reading = self._reading.without_rows()
        self._forest = self._reading.forest

    def _sections(self) -> tuple[Section, ...]:
        """Return the fitted forest as sections, which notebooks, reports and web pages show."""
        weights = self._forest.examples.class_weights
        facts = [("trees", tree_sizes(self.trees_)), ("training rows", f"{weights.sum():,.10g}")]
        return (model_section(self, facts, weights),)

    def _reading_options(self) -> ReadingOptions:
        params = styled(self)
        return ReadingOptions(**{each.name: getattr(params, each.name) for each in fields(ReadingOptions)})

    def reread(
        self,
        kind: Kind | None = None,
        *,
        estimate: str | Estimate | None = None,
        out_of_bag_weight: float | Literal["auto", "leaf"] | None = None,
        in_bag_counts: Literal["unique", "multiplicity"] | None = None,
    ) -> Self:
        """Return a fitted classifier that reads the same grown forest in another way; nothing is grown.

        Parameters
        ----------
        kind : {"b_pets", "eb_pets", "mob_esp"}, optional
            The role of out-of-bag rows; None: as now.
        estimate : str or estimate of `calibrant.estimates`, optional
            How counts become probabilities; None: as now.
        out_of_bag_weight : float, "auto" or "leaf", optional
            The weight of an out-of-bag row; None: as now.
        in_bag_counts : {"unique", "multiplicity"}, optional
            Whether a row in the bag counts once or as often as it was drawn; None: as now.

        Returns
        -------
        BaggedTreesClassifier
            A new classifier; this one does not change.

        Examples
        --------
        >>> model = BaggedTreesClassifier(n_trees=5, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.reread("eb_pets", estimate="frequency").trees_ is model.trees_
        True
        """
        self._check_fitted()
        check_param("kind", kind, Choice(*READINGS) | Nothing())
        other = with_tree_params(self) if estimate is not None and self.style is not None else copy.copy(self)
        requested = {"estimate": estimate, "out_of_bag_weight": out_of_bag_weight, "in_bag_counts": in_bag_counts}
        requested["out_of_bag"] = None if kind is None else READINGS[kind]
        for name, value in requested.items():
            if value is not None:
                check_param(name, value, RULES[name])
                setattr(other, name, value)
        other._reading_options().check()
        with rows_needed(self, f"reread({kind!r})" if kind else "this reading"):
            return other._store(self._forest)

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        return self._reading.predict_proba(rows)

    @fill_docstring()
    def vote(self, X: Any) -> NDArray[Any]:
        """Return the class that most trees vote for; of ties that of greater summed leaf frequency, then the lower.

        It is the label on which MOB-ESP conditions, where `vote_trees` determines which trees vote.

        %(predict_sections)s
        """
        rows = self._rows(X)
        return np.asarray(self.classes_[self._reading.tally(rows).labels])

    @fill_docstring(predicted=_LEAF_NUMBERS)
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree; with missing values, the leaf that most of its weight reaches.

        %(predict_sections)s
        """
        rows, threads = self._rows(X), n_threads(self.n_jobs)
        return np.stack([np.asarray(_core.apply_tree(tree.core, *rows, threads)) for tree in self.trees_], axis=1)

    decision_path = forest_decision_path
    oob_importances = oob_permutation_importances

    @property
    def trees_(self) -> tuple[Any, ...]:
        """The trees."""
        self._check_fitted()
        return self._forest.trees

    @property
    def in_bag_(self) -> NDArray[np.uint16]:
        """Number of times each row is in the bag of each tree."""
        self._check_fitted()
        with rows_needed(self, "in_bag_"):
            return self._forest.in_bag

    @property
    def oob_proba_(self) -> NDArray[np.float64]:
        """Honest out-of-bag probabilities of the training rows."""
        self._check_fitted()
        with rows_needed(self, "oob_proba_"):
            return self._reading.oob_proba

    @property
    def oob_score_(self) -> float:
        """The accuracy of the most probable classes by ``oob_proba_``, over the rows that have one."""
        self._check_fitted()
        with rows_needed(self, "oob_score_"):
            return self._reading.oob_score

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the decrease of impurity."""
        return impurity_importances(self.trees_, styled(self).criterion)
