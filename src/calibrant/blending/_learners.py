"""The learners of members: each fits one to the training rows of a blend, most by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from calibrant._random import stream, stream_seed
from calibrant.bayes import NaiveBayesClassifier
from calibrant.bayes._internal import Batch
from calibrant.blending._member import BayesModel, EstimatorModel, FittedMember, TreesModel
from calibrant.blending._table import BlendTable, base_rates
from calibrant.calibration._internal import take_rows
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier
from calibrant.ensembles._internal import ALGORITHMS, Forest, TreeLearner, boost, fit_gradient_boosting, start_run
from calibrant.exceptions import CalibrantWarning
from calibrant.linear._internal import LogisticModel

M = TypeVar("M")


def cross_validated(
    family: str,
    fit: Callable[[NDArray[np.intp], NDArray[np.float64]], M],
    score: Callable[[M, NDArray[np.intp]], NDArray[np.float64]],
    table: BlendTable,
) -> FittedMember:
    """Return a member: the model of all sampled rows, and the scores of the pieces by models fitted without them.

    Parameters
    ----------
    family : str
        The name of the member.
    fit : callable
        Fits a model to rows, by position, with their weights.
    score : callable
        Returns the class probabilities of rows, by position.
    table : BlendTable
        The rows and folds.
    """

    def run(fold: int | None) -> tuple[M, NDArray[np.float64] | None]:
        weights = table.weights_outside(fold)
        rows = np.flatnonzero(weights)
        model = fit(rows, weights[rows])
        if fold is None:
            return model, None
        return model, score(model, table.sample.rows[table.held_out_of(fold)])

    folds = [] if table.is_whole else table.sample.folds
    # Of convergence, few rows and the like: no news to the blend. Filters are global, so no thread may change them
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The longest fit first, so that no thread is idle at the end
        (whole, _), *parts = table.stop.run(run, [None, *folds], table.n_threads)
    if table.is_whole:
        return FittedMember(family, (family,), whole)
    held_out = np.empty((table.sample.n_pieces, table.n_classes))
    for fold, (_, scores) in zip(folds, parts, strict=True):
        held_out[table.held_out_of(fold)] = scores
    return FittedMember(family, (family,), whole, (held_out,))


# What measured best for probabilities (benchmarks/defaults.py), unlike C4.5's settings
_TREE_SETTINGS: dict[str, Any] = {
    "criterion": "entropy",
    "nominal_splits": "binary",
    "threshold": "midpoint",
    "mdl_penalty": False,
    "missing": "learned",  # benchmarks/missing_values.py
}
_READINGS: dict[str, dict[str, Any]] = {
    "laplace": {"estimate": "laplace"},
    "frequency": {"estimate": "frequency"},
    "eb_pets": {"estimate": "laplace", "out_of_bag": "count"},
}
_LEAST = 1e-10  # of a probability before its logarithm, as in Real AdaBoost's own contributions
_FOREST_STREAM = 2  # key of the random stream of a blend's forest
_SOURCE_TREES = 100  # fewer than of a table in memory, as each tree has all rows
_THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")  # as scikit-learn, CatBoost, XGBoost, LightGBM name it


def _fit_columns(learner: BayesLearner | LogisticLearner | BoostedLearner, table: BlendTable) -> FittedMember:
    """Return a member of the validated columns."""

    def fit(rows: NDArray[np.intp], weights: NDArray[np.float64]) -> Any:
        return learner.fit_rows(table, rows, weights)

    def score(model: Any, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return learner.score(model, table.take_columns(rows).arrays)

    return cross_validated(learner.family, fit, score, table)


@dataclass(frozen=True)
class BayesLearner:
    """Naive Bayes with numeric columns cut by minimum description length."""

    family: str = "bayes"

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit naive Bayes."""
        return _fit_columns(self, table)

    def fit_rows(self, table: BlendTable, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> BayesModel:
        """Return the model of some rows."""
        batch = Batch(table.take_columns(rows), table.codes[rows], table.n_classes, weights)
        return BayesModel(NaiveBayesClassifier()._fit_batch(batch, table.examples.classes))

    def score(self, model: BayesModel, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        return model.predict_proba((len(arrays[0]), list(arrays)))


@dataclass(frozen=True)
class LogisticLearner:
    """Logistic regression with an L2 penalty of strength 1 / C, plain or through radial functions."""

    family: str = "logistic"
    C: float = 1.0
    max_iter: int = 200
    n_centres: int | None = None

    @classmethod
    def radial(cls) -> LogisticLearner:
        """Return the member with radial functions."""
        # 400 centres gained 0.03 points (benchmarks/default_quality.py); 60 steps are as good as 200, in half the time
        return cls("kernel", C=10.0, max_iter=60, n_centres=300)

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit logistic regression, and its design, to each fold's training rows."""
        return _fit_columns(self, table)

    def fit_rows(self, table: BlendTable, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> LogisticModel:
        """Return the model of some rows."""
        columns, codes = table.take_columns(rows), table.codes[rows]
        rates = base_rates(codes, weights, table.n_classes)
        radial = {} if self.n_centres is None else {"n_centres": self.n_centres, "random": stream(table.seed, 6)}
        options: dict[str, Any] = {"C": self.C, "max_iter": self.max_iter, **radial}
        return LogisticModel.fit(columns.schema, columns.arrays, codes, weights, rates, **options)

    def score(self, model: LogisticModel, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        return model.proba(arrays)


@dataclass(frozen=True)
class GradientLearner:
    """Gradient boosting: a model for each fold, stopped early by another fold, and all of them averaged.

    It boosts on all rows, the units of weighted rows in folds of their own.
    """

    family: str = "gradient"
    stream: int = 5

    def fit(self, table: BlendTable) -> FittedMember:
        """Boost, and take the held-out probabilities of the sampled pieces."""
        seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))
        # On the pieces, not the rows: the units of a weighted row may be in several folds
        folds = fit_gradient_boosting(table.piece_examples, table.pieces.fold, seed=seed, n_jobs=table.n_threads)
        return FittedMember(self.family, (self.family,), folds, (folds.held_out_proba[table.sample.pieces],))


@dataclass(frozen=True)
class BoostedLearner:
    """Real AdaBoost of small trees on coded rows."""

    family: str = "boosted"
    stream: int = 4
    n_trees: int = 50  # 100 gained 0.03 points, 25 lost 0.06 with two classes and none with more (default_quality.py)
    n_trees_of_many_classes: int = 25
    max_depth: int = 4

    def fit(self, table: BlendTable) -> FittedMember:
        """Boost on all rows of the sample, and on those outside each fold for the held-out scores."""
        return _fit_columns(self, table)

    def score(self, model: TreesModel, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        return np.asarray(model.predict_proba((len(arrays[0]), list(arrays)))[0])

    def fit_rows(self, table: BlendTable, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> TreesModel:
        """Return the model of some rows."""
        seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))
        params = BoostedTreesClassifier(
            algorithm="real", resample=False, max_depth=self.max_depth, n_jobs=1, **_TREE_SETTINGS
        )
        n_trees = self.n_trees if table.n_classes == 2 else self.n_trees_of_many_classes
        run = start_run(None, n_trees, b"", seed)
        if table.is_sampled:  # a round predicts all rows that it has: few, so rows are coded anew
            examples = table.take_examples(rows, weights)
        else:
            of_all = np.zeros(table.n_rows)
            of_all[rows] = weights
            examples = table.examples.reweighted(of_all)
        learner = TreeLearner(examples, cast("Any", params), seed)
        boost(run, learner, ALGORITHMS["real"], n_trees, type(params).__name__)
        logs = [np.log(np.maximum(member.table, _LEAST)) for member in run.members]
        return TreesModel.of([member.tree for member in run.members], [logs], is_log=True)


@dataclass(frozen=True)
class ForestLearner:
    """A forest, grown once on all rows or each tree on a share of them, read in several ways, out-of-bag."""

    family: str
    stream: int
    n_trees: int = 300
    max_features: Any = "sqrt"
    max_samples: float | None = None
    readings: tuple[str, ...] = ("laplace", "frequency", "eb_pets")

    def fit(self, table: BlendTable) -> FittedMember:
        """Grow the forest and read its out-of-bag probabilities."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)  # of copies of rows: `fit` warns once for all members
            seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))
            readers = [self._params(table, name) for name in self.readings]
            forest = Forest.of(table.examples, readers[0], seed)
            read = [each._adopt(forest) for each in readers]
            held_out = tuple(_known(each.oob_proba_[table.sample.rows], table) for each in read)
        model = TreesModel.of(forest.trees, [each._reading.averaged_tables for each in read], is_log=False)
        return FittedMember(self.family, self._names, model, held_out, self._note(table))

    @property
    def _names(self) -> tuple[str, ...]:
        if len(self.readings) == 1:
            return (self.family,)
        return tuple(f"{self.family} ({reading.replace('_', '-')})" for reading in self.readings)

    def _params(self, table: BlendTable, reading: str) -> BaggedTreesClassifier:
        settings = _TREE_SETTINGS | _READINGS[reading]
        if self.max_samples is not None:
            settings |= {"bootstrap": "subsample", "max_samples": self.max_samples}
        return BaggedTreesClassifier(
            n_trees=self.n_trees, max_features=self.max_features, n_jobs=table.n_threads, **settings
        )

    def _note(self, table: BlendTable) -> str:
        if self.max_samples is None:
            return ""
        return f"{self.n_trees} trees of {round(self.max_samples * table.n_rows):,} rows each"


@dataclass(frozen=True, eq=False)
class SourceForestLearner:
    """Grows a forest of binned columns on all rows of a source.

    Parameters
    ----------
    X : source
        The table, which the forest reads by itself.
    y : str
        Its column of classes.
    arguments : mapping
        Further arguments of `fit`: the column of weights, and the cluster.
    numbers : array of shape (n_sampled,)
        The number of each sampled row in the source.
    n_rows : int
        Number of rows of the source.
    """

    X: Any
    y: str
    arguments: Mapping[str, Any]
    numbers: NDArray[np.int64]
    n_rows: int
    family: str = "forest"

    def fit(self, table: BlendTable) -> FittedMember:
        """Grow the forest, and take its out-of-bag probabilities of the sample."""
        seed = np.random.SeedSequence(stream_seed(table.seed, _FOREST_STREAM))
        forest = BaggedTreesClassifier(
            n_trees=_SOURCE_TREES, max_features="sqrt", n_jobs=table.n_threads, random_state=seed, **_TREE_SETTINGS
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)
            forest.fit(self.X, self.y, **self.arguments)
        held_out = _known(forest.oob_proba_[self.numbers][table.sample.rows], table)
        note = f"{_SOURCE_TREES} trees of all {self.n_rows:,} rows, in bins"
        model = EstimatorModel(forest, table.examples.classes)
        return FittedMember(self.family, (self.family,), model, (held_out,), note)


def _known(proba: NDArray[np.float64], table: BlendTable) -> NDArray[np.float64]:
    """Return out-of-bag probabilities, with the base rates of the others for rows that are in every bag."""
    is_missing = np.isnan(proba)
    return np.where(is_missing, table.sample.base_rates_of_others, proba) if is_missing.any() else proba


@dataclass(frozen=True, eq=False)
class EstimatorLearner:
    """Any classifier with scikit-learn's interface, cloned and fitted to rows as passed, on one thread."""

    family: str
    estimator: Any
    stream: int

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the classifier to the sample, and to the rows outside each fold."""
        base = self._seeded(table)
        positions = np.arange(table.n_rows) if table.kept is None else table.kept

        def fit_rows(rows: NDArray[np.intp], weights: NDArray[np.float64]) -> EstimatorModel:
            is_weighted = has_fit_parameter(base, "sample_weight") and (weights != 1.0).any()
            arguments = {"sample_weight": weights} if is_weighted else {}
            y = table.examples.classes[table.codes[rows]]
            with threadpool_limits(1):
                fitted = clone(base).fit(take_rows(table.X, positions[rows]), y, **arguments)
            return EstimatorModel(fitted, table.examples.classes)

        def score(model: EstimatorModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return model.proba(take_rows(table.X, positions[rows]))

        try:
            return cross_validated(self.family, fit_rows, score, table)
        except Exception as error:
            error.add_note(f"Raised by the member {self.family!r}, which gets the rows as they were passed.")
            raise

    def _seeded(self, table: BlendTable) -> Any:
        """Return the classifier with one thread, and a seed where it has none."""
        base = clone(self.estimator)
        params = base.get_params()
        changed: dict[str, Any] = {name: 1 for name in _THREADS if name in params}
        changed |= {
            name: stream_seed(table.seed, self.stream, i) % 2**31  # the greatest seed that all libraries take
            for i, (name, value) in enumerate(sorted(params.items()))
            if value is None and name.rpartition("__")[2] in ("random_state", "random_seed")
        }
        return base.set_params(**changed)
