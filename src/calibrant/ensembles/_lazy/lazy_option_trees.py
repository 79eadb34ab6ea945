"""Bagged lazy option trees (B-LOTs; Margineantu & Dietterich 2002) as a scikit-learn classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._memory import check_output_memory
from calibrant._params import Choice, Int, Nothing, Real, Rule, Seed, check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant._source_limits import refuse_source
from calibrant._threads import N_JOBS
from calibrant.data._internal import Nominal, RowClassifierMixin, is_source
from calibrant.ensembles._bagging.bags import BAG_GROUPS, BAG_SAMPLE_WEIGHT, BagSampling, Bootstrap, ForestBags
from calibrant.ensembles._lazy.lazy_search import LazyTrees
from calibrant.trees._internal import TREE_PARAMETER_DOCS, Examples, read_training

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LAZY_RULES", "LazyOptionTreesClassifier"]

LAZY_RULES: dict[str, Rule] = {
    "n_trees": Int(1),
    "max_options": Int(1),
    "option_fraction": Real(0, 1),
    "min_leaf": Real(0, closed="neither"),
    "max_leaves": Int(1),
    "bootstrap": Choice("uniform", "by_class", "by_group", "subsample") | Nothing(),
    "max_samples": Real(0, 1, closed="right"),
    "n_jobs": N_JOBS,
    "random_state": Seed(),
}


@fill_docstring(n_jobs=TREE_PARAMETER_DOCS["n_jobs"])
class LazyOptionTreesClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Bagged lazy option trees (B-LOTs): a tree grown for each row that is predicted. Experimental.

    For a row and a bag, a node has the training rows that match the row so far. The chosen test is the one whose
    branch, the one that the row itself falls into, has the least class entropy (Friedman, Kohavi & Yun 1996), after the
    classes of the node are reweighted to be equally frequent. Tests on other columns that gain nearly as much are
    taken too (options), and their probabilities averaged. A leaf predicts its class frequencies, neither reweighted
    nor smoothed; the bags are averaged.

    Experimental: the paper does not state its parameter values, and these defaults are ours. A search for pure branches
    around each row is optimistic. With two classes it was sometimes better than bagged trees (`mse` 0.25 against 0.26
    on synthetic data), with five noisy ones much worse (0.88 against 0.65): compare before use, or calibrate.

    It is slow by design: `fit` only draws bags, and the prediction of each row searches all tests at every node, in
    every bag. With 1,000 training rows, 20 columns and 50 bags a row takes about 20 ms on one core, with 20,000
    training rows 440 ms; time grows with the rows, the columns and `n_trees`. Where that is too slow use
    `EBPETsClassifier`.

    Parameters
    ----------
    n_trees : int
        Number of bags, each of which grows a tree for every row that is predicted.
    max_options : int
        The maximum number of tests of a node, each on another column; 1: lazy trees without options.
    option_fraction : float
        The share of the best gain that another test must have to become an option.
    min_leaf : float
        The minimum weight that a test must leave in the row's branch, with rows counted as often as they were drawn.
    max_leaves : int
        The maximum number of leaves for one row in one bag; nodes near the root take their options first.
    bootstrap : {"uniform", "by_class", "by_group", "subsample"}, optional
        How rows are drawn, as in `BaggedTreesClassifier`; None: every bag has all rows.
    max_samples : float
        The share of the rows in a ``"subsample"``.
    %(nominal)s
    %(n_jobs)s
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the bags.

    Attributes
    ----------
    %(classes_)s
    in_bag_ : array of shape (n_trees, n_rows)
        Number of times each row (of weight above 0) is in each bag; computed when it is requested.
    %(features_in_)s

    Notes
    -----
    A numeric test compares with a value of the training set: at most it, or above it. A nominal one is the row's own
    category against all others. Of the tests of one column only the best is an option, because neighbouring cuts are
    nearly the same test. Of equal gains the test that leaves more weight is chosen, then the lower column and the lower
    value, so only the bags are random.

    Missing values: a column that is missing in the row is never tested; a training row matches no test on a column
    where its value is missing. A test needs a training row that has the column and fails it.

    References
    ----------
    D. D. Margineantu & T. G. Dietterich, "Improved class probability estimates from decision tree models", 2002.

    J. H. Friedman, R. Kohavi & Y. Yun, "Lazy decision trees", 1996.

    Examples
    --------
    %(example_split)s
    >>> model = LazyOptionTreesClassifier(n_trees=10, random_state=0).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(2)
    array([[0.99, 0.01],
           [1.  , 0.  ]])
    """

    _short_name: ClassVar[str] = "lazy_trees"

    def __init__(
        self,
        *,
        n_trees: int = 50,
        max_options: int = 3,
        option_fraction: float = 0.8,
        min_leaf: float = 2,
        max_leaves: int = 32,
        bootstrap: Bootstrap | None = "uniform",
        max_samples: float = 0.632,
        nominal: Nominal = "auto",
        n_jobs: int | None = None,
        random_state: SeedLike = None,
    ) -> None:
        self.n_trees = n_trees
        self.max_options = max_options
        self.option_fraction = option_fraction
        self.min_leaf = min_leaf
        self.max_leaves = max_leaves
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.nominal = nominal
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fill_docstring(sample_weight=BAG_SAMPLE_WEIGHT, groups=BAG_GROUPS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Draw the bags; trees are grown when rows are predicted.

        %(grouped_fit_sections)s
        """
        check_params(self, LAZY_RULES)
        refuse_source(self, is_source(X))
        training = read_training(X, y, sample_weight, nominal=self.nominal, groups=groups)
        return self._fit_coded(Examples.code(training, n_jobs=self.n_jobs))

    def _fit_coded(self, examples: Examples) -> Self:
        """Draw the bags of coded rows."""
        check_params(self, LAZY_RULES)
        seed = seed_sequence(self.random_state)
        # Trees are grown at prediction, so all a fit can do is to seed the bags.
        sampling = BagSampling.of(self.bootstrap, examples, self.max_samples)
        self._trees = LazyTrees.of(examples, ForestBags.draw(sampling, seed), self.n_trees)
        self._store_columns(*examples.columns_and_classes)
        return self

    @property
    def in_bag_(self) -> NDArray[np.uint16]:
        """Number of times each row is in each bag."""
        self._check_fitted()
        return self._trees.bags.matrix(self._trees.n_bags)

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        check_params(self, LAZY_RULES)  # trees are grown here, by parameters that `set_params` may have changed
        check_output_memory(rows[0], len(self.classes_))
        return self._trees.predict_proba(rows, self)
