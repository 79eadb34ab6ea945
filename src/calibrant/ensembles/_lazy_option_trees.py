"""Bagged lazy option trees (B-LOTs; Margineantu & Dietterich 2002) as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Choice, Int, Nothing, Real, Rule, Seed, check_params
from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence
from calibrant._saved import Narrowed, WithRows, need, saved
from calibrant._source_limits import refuse_source
from calibrant._threads import N_JOBS, n_threads
from calibrant.data._internal import Nominal, RowClassifierMixin, Rows, is_source
from calibrant.ensembles._bagging.bags import BAG_GROUPS, BAG_SAMPLE_WEIGHT, Bootstrap, ForestBags
from calibrant.trees._internal import TREE_PARAMETER_DOCS, TrainingSet, check_table

_MISSING = np.iinfo(np.uint32).max
_ROWS_PER_THREAD = 32  # between two steps of the progress bar: about 0.6 s with 1,000 training rows and 50 bags


@dataclass(frozen=True, eq=False)
class LazyTrees:
    """Coded training rows (``codes`` and ``order`` are columns x rows), and the bags of the first trees.

    Examples
    --------
    >>> from calibrant.ensembles import LazyOptionTreesClassifier
    >>> from calibrant.data._internal import read_training_rows
    >>> from calibrant.trees._internal import TrainingSet
    >>> examples = TrainingSet.of(read_training_rows([[1], [3], [5], [7]], ["a", "a", "b", "b"]))
    >>> trees = LazyTrees.of(examples, ForestBags(drawn=np.ones((1, 4), dtype=np.uint16)), 1)
    >>> trees.coded((3, np.array([[4.0], [9.0], [np.nan]]))).tolist()
    [[2], [4], [4294967295]]
    >>> trees.predict_proba((1, np.array([[4.0]])), LazyOptionTreesClassifier())
    array([[0., 1.]])
    """

    examples: TrainingSet
    codes: NDArray[np.uint32]
    order: NDArray[np.uint32]
    labels: NDArray[np.uint16]
    bags: ForestBags
    n_bags: int

    @classmethod
    def of(cls, examples: TrainingSet, bags: ForestBags, n_bags: int) -> LazyTrees:
        """Sort the coded rows of each column."""
        table = examples.table
        columns = ((table.codes(j), table.missing_code(j)) for j in range(table.n_columns))
        codes = np.stack([np.where(each == missing, _MISSING, each.astype(np.uint32)) for each, missing in columns])
        order = np.argsort(codes, axis=1, kind="stable").astype(np.uint32)
        return cls(examples, codes, order, examples.sorted_labels.astype(np.uint16), bags, n_bags)

    def coded(self, rows: Rows) -> NDArray[np.uint32]:
        """Code new rows: the number of training values below each number, the code of each category."""
        n_rows, columns = rows
        arrays = columns.T if isinstance(columns, np.ndarray) else columns
        coded = np.empty((n_rows, len(self.codes)), dtype=np.uint32)
        for column, array in enumerate(arrays):
            coded[:, column] = _ranks(array, self.examples.table.values(column))
        return coded

    def predict_proba(self, rows: Rows, params: LazyOptionTreesClassifier) -> NDArray[np.float64]:
        """Return the probabilities of rows."""
        queries, threads = self.coded(rows), n_threads(params.n_jobs)
        proba = np.empty((len(queries), len(self.examples.classes)))
        is_nominal = np.array([feature.kind == "nominal" for feature in self.examples.table.schema.features])
        with progress(total=len(queries), description="Searching tests") as bar:
            for first in range(0, len(queries), _ROWS_PER_THREAD * threads):
                batch = slice(first, first + _ROWS_PER_THREAD * threads)
                _core.predict_lazy_trees(
                    self.codes,
                    self.order,
                    is_nominal,
                    self.labels,
                    self.bags.core,
                    self.n_bags,
                    self.examples.weights,
                    queries[batch],
                    proba[batch],
                    max_options=params.max_options,
                    option_fraction=params.option_fraction,
                    min_leaf=params.min_leaf,
                    max_leaves=params.max_leaves,
                    n_threads=threads,
                )
                bar.advance(len(queries[batch]))
        return proba


def _ranks(array: NDArray[Any], values: NDArray[np.float64] | None) -> NDArray[np.int64]:
    if values is None:
        return np.where(array < 0, _MISSING, array.astype(np.int64))
    # A value between two training values takes the rank of the upper one: it is on the same side of every cut.
    return np.where(np.isnan(array), _MISSING, np.searchsorted(values, array))


@saved(examples=WithRows(TrainingSet), in_bag=Narrowed("u2", ndim=2))
@fill_docstring(n_jobs=TREE_PARAMETER_DOCS["n_jobs"])
@with_parameters
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
    _rules: ClassVar[Mapping[str, Rule]] = {
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

    n_trees: int = 50
    max_options: int = 3
    option_fraction: float = 0.8
    min_leaf: float = 2
    max_leaves: int = 32
    bootstrap: Bootstrap | None = "uniform"
    max_samples: float = 0.632
    nominal: Nominal = "auto"
    n_jobs: int | None = None
    random_state: SeedLike = None

    @fill_docstring(sample_weight=BAG_SAMPLE_WEIGHT, groups=BAG_GROUPS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Draw the bags; trees are grown when rows are predicted.

        %(grouped_fit_sections)s
        """
        check_params(self)
        refuse_source(self, is_source(X))
        return self._fit_coded(TrainingSet.read(self, X, y, sample_weight, groups))

    def _fit_coded(self, examples: TrainingSet) -> Self:
        """Draw the bags of coded rows."""
        check_params(self)
        seed = seed_sequence(self.random_state)
        # Trees are grown at prediction, so all a fit can do is to seed the bags.
        bags = ForestBags.of(self.bootstrap, examples, self.max_samples, seed)
        self._trees = LazyTrees.of(examples, bags, self.n_trees)
        self._store_columns(*examples.columns_and_classes)
        return self

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        return {"examples": (self._trees.examples, True), "in_bag": self.in_bag_}

    def _set_saved(self, values: dict[str, Any]) -> None:
        examples, in_bag = values.pop("examples"), values.pop("in_bag")
        self.__dict__.update(values)
        is_known = examples.has_rows and in_bag.ndim == 2 and in_bag.shape[1] == examples.n_rows and len(in_bag) > 0
        need(is_known, "lacks the training rows or bags from which it predicts")
        check_table(examples, self._schema, self.classes_)
        self._trees = LazyTrees.of(examples, ForestBags(drawn=in_bag), len(in_bag))

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
        check_params(self)  # trees are grown here, by parameters that `set_params` may have changed
        check_output_memory(rows[0], len(self.classes_))
        return self._trees.predict_proba(rows, self)
