"""Naive Bayes as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Choice, Int, Real, Rule, check_params
from calibrant._saved import Array, ListOf, Object, need, saved
from calibrant._source_limits import check_no_client, check_source_columns, check_source_params
from calibrant.bayes._counts import (
    MOST_WEIGHT,
    Batch,
    CategoryCounts,
    ColumnDistribution,
    Dialect,
    IntervalCounts,
    Smoothing,
)
from calibrant.bayes._gaussian import FittedGaussian, Gaussian, NormalMoments
from calibrant.bayes._kernels import KernelDistribution
from calibrant.bayes._source_sums import SourceSums
from calibrant.bayes._start_columns import NUMERIC, ColumnOptions, Numeric, start_columns
from calibrant.data._internal import (
    Nominal,
    RowClassifierMixin,
    Rows,
    Schema,
    TrainingRows,
    code_labels,
    is_source,
    open_source,
    read_more_training_rows,
    read_training_rows,
)
from calibrant.exceptions import DataError, ParameterError, nearest

_LOG_PROBA = """\
array of shape (n_rows, n_classes)
    Log-probabilities in the order of ``classes_``; always finite."""


@saved(
    _columns=ListOf(
        Object(CategoryCounts, IntervalCounts, Gaussian, NormalMoments, FittedGaussian, KernelDistribution)
    ),
    class_count_=Array("f8", finite=True, low=0, high=MOST_WEIGHT),
    cut_points_=ListOf(Array("f8", finite=True)),
)
@fill_docstring()
@with_parameters
class NaiveBayesClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for nominal and numeric columns together.

    The probability of a class is its base rate times the probability of each value of the row in that class, as if
    columns were independent, and normalised. A missing value, or an unknown category, is skipped in training
    and in prediction. The ranking is often good, but the probabilities are too extreme where columns are correlated:
    calibrate them. Weights are frequencies: a row of weight 2 is the row twice, one of weight 0 is absent.

    Parameters
    ----------
    numeric : {"mdl", "gaussian", "kernel", "equal_width"}
        The distribution of a numeric column in each class. ``"mdl"``: counts of intervals that separate the classes, as
        `MDLDiscretizer` chooses them (Dougherty, Kohavi & Sahami 1995 found this best). ``"gaussian"``: a normal
        distribution. ``"kernel"``: a normal kernel at each value, of width range / sqrt(rows) (John & Langley 1995).
        ``"equal_width"``: counts of `n_bins` intervals of equal width.
    n_bins : int
        Number of intervals of ``"equal_width"``.
    counts : {"laplace", "m"}
        How counts of values become probabilities: with one more of each value, or with `m` more rows in which each
        value is as frequent as in all classes together.
    m : float
        The number of rows of ``counts="m"``.
    dialect : {"exact", "weka"}
        How the normal distribution is computed. ``"exact"``: to full precision. ``"weka"``: to the digits of Weka 3.9,
        whose sums of kernels stop where the rest is below a hundredth, whose normal distribution is 0 from about eight
        standard deviations above the mean on (not below it), and whose least probability is a least density.
    %(nominal)s

    Attributes
    ----------
    %(classes_)s
    class_count_ : array of shape (n_classes,)
        The weight of the rows of each class.
    cut_points_ : list of arrays
        The cut points of each column; empty for a nominal column, for one that is a single interval, and with
        ``"gaussian"`` and ``"kernel"``.
    %(features_in_)s

    Notes
    -----
    As in Weka, the base rate of a class is (rows of the class + 1) / (rows + classes). A numeric column has a
    precision, the mean gap between its distinct values. With ``"gaussian"`` and ``"kernel"`` values are rounded to
    multiples of it, a value stands for the interval of that width around it, and no standard deviation is below a sixth
    of it. A class without a value of a column then takes the distribution of all classes; infinite values are skipped.
    With ``"gaussian"`` a column of more than 256 distinct values has the mean and deviation of its values unrounded,
    and a precision of 1 / 65,536 of their range; with ``dialect="weka"`` it has those above.

    No value has a probability below 1e-75. So no class ever has probability 0: a value far from all
    classes is uninformative, and a row of only such values has the base rates. Everything is summed in logarithms.

    Rows may be passed in batches, by `partial_fit`. Counts add up, and so do the moments of ``"gaussian"``, which are
    exact, and the values with their weights that ``"kernel"`` and ``dialect="weka"`` keep: the result is that of one
    `fit`, whatever the batches. ``"mdl"`` and ``"equal_width"`` keep the cut points of the first batch.

    Of a source, `fit` counts what does not depend on its partition: ``"mdl"`` chooses cuts among the edges of at most
    255 bins; ``"gaussian"`` is as in memory; ``"kernel"`` and the digits of Weka raise: they need every value.

    References
    ----------
    P. Langley, W. Iba and K. Thompson, "An analysis of Bayesian classifiers", AAAI 1992. G. John and P. Langley,
    "Estimating continuous distributions in Bayesian classifiers", UAI 1995. B. Cestnik, "Estimating probabilities: a
    crucial task in machine learning", ECAI 1990.

    Examples
    --------
    %(example_split)s
    >>> model = NaiveBayesClassifier().fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.886, 0.114],
           [0.976, 0.024]])
    """

    _short_name: ClassVar[str] = "naive_bayes"
    _rules: ClassVar[Mapping[str, Rule]] = {
        "numeric": Choice(*NUMERIC),
        "n_bins": Int(1),
        "counts": Choice("laplace", "m"),
        "m": Real(0),
        "dialect": Choice("exact", "weka"),
    }

    numeric: Numeric = "mdl"
    n_bins: int = 10
    counts: Literal["laplace", "m"] = "laplace"
    m: float = 2.0
    dialect: Dialect = "exact"
    nominal: Nominal = "auto"

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, client: Any = None) -> NaiveBayesClassifier:
        """Fit the distributions.

        %(ungrouped_source_fit_sections)s
        """
        check_params(self)
        if is_source(X):
            return self._fit_source(X, y, sample_weight, client)
        check_no_client(client)
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        return self._fit_batch(_batch(rows, rows.labels.classes), rows.labels.classes)

    @fill_docstring()
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> NaiveBayesClassifier:
        """Update the distributions with further rows.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `fit`; columns are matched by name where both tables have names. New categories join the others.
        %(y)s
        classes : sequence, optional
            All classes that may come; required at the first call, unless `fit` was called before.
        %(sample_weight)s

        Returns
        -------
        %(fitted_self)s

        Examples
        --------
        >>> model = NaiveBayesClassifier().partial_fit([["red"], ["blue"]], ["a", "b"], classes=["a", "b"])
        >>> model.partial_fit([["green"], ["red"]], ["a", "a"]).predict_proba([["red"]])
        array([[0.8, 0.2]])
        """
        check_params(self)
        if "_columns" in self.__dict__:
            if classes is not None and not np.array_equal(code_labels(classes).classes, self.classes_):
                raise ParameterError(
                    f"classes must be the same at every call of partial_fit; they were {self.classes_.tolist()!r:.60}."
                )
            rows = read_more_training_rows(X, y, sample_weight, self._schema, type(self).__name__)
            self._add(self._columns, self.class_count_, _batch(rows, self.classes_))
            self._schema = rows.columns.schema
            return self
        if classes is None:
            raise ParameterError("classes must be passed at the first call of partial_fit: all classes that may come.")
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        every = code_labels(classes).classes
        return self._fit_batch(_batch(rows, every), every)

    @fill_docstring(proba=_LOG_PROBA)
    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the joint log-probability of each class and the row's values.

        %(predict_proba_sections)s

        Examples
        --------
        >>> model = NaiveBayesClassifier().fit([["u"], ["u"], ["v"]], [0, 0, 1])
        >>> np.exp(model.predict_joint_log_proba([["u"]])).round(3)
        array([[0.45 , 0.133]])
        """
        return np.ascontiguousarray(self._joint(X).T)

    @fill_docstring(proba=_LOG_PROBA)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log-probability of each class, exact also where the probability underflows to 0.

        %(predict_proba_sections)s

        Examples
        --------
        >>> model = NaiveBayesClassifier(numeric="gaussian").fit([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
        >>> model.predict_log_proba([[0.0]]).round(1)
        array([[   0. , -116.1]])
        """
        joint = self._joint(X)
        joint -= joint.max(axis=0)
        return np.ascontiguousarray((joint - np.log(np.exp(joint).sum(axis=0))).T)

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        joint = self._joint(X)
        proba = np.exp(joint - joint.max(axis=0))
        return np.ascontiguousarray((proba / proba.sum(axis=0)).T)

    def _joint(self, X: Any) -> NDArray[np.float64]:
        """Return the sum of the log-probabilities of all columns: classes x rows."""
        return self._joint_of(self._rows(X))

    def _joint_of(self, rows: Rows) -> NDArray[np.float64]:
        n_rows, columns = rows
        check_output_memory(n_rows, len(self.classes_))
        joint = np.tile(np.asarray(np.log((self.class_count_ + 1) / (self.class_count_ + 1).sum()))[:, None], n_rows)
        arrays = columns.T if isinstance(columns, np.ndarray) else columns
        for column, values in zip(self._columns, arrays, strict=True):
            column.add_log_likelihood(values, joint)
        return joint

    def _fit_source(self, X: Any, y: Any, sample_weight: Any, client: Any) -> NaiveBayesClassifier:
        check_source_params(self)
        check_source_columns(y=y, sample_weight=sample_weight)
        with open_source(X, target=y, sample_weight=sample_weight, nominal=self.nominal, client=client) as source:
            sums = SourceSums.of(source)
            columns, self.class_count_ = sums.learn(self._options())
            names = sums.schema.names if sums.schema.named else None
            return self._store_distributions(columns, sums.schema, sums.classes, names)

    def _options(self) -> ColumnOptions:
        return ColumnOptions(self.numeric, int(self.n_bins), Smoothing(self.counts, float(self.m)), self.dialect)

    def _store_distributions(
        self, columns: list[ColumnDistribution], schema: Schema, classes: NDArray[Any], names: tuple[str, ...] | None
    ) -> NaiveBayesClassifier:
        self._columns = columns
        self._store_columns(schema, classes, names)
        self.cut_points_ = [column.cuts if isinstance(column, IntervalCounts) else np.empty(0) for column in columns]
        return self

    def _fit_batch(self, batch: Batch, classes: NDArray[Any]) -> NaiveBayesClassifier:
        """Fit the distributions to validated rows."""
        self._add(start_columns(batch, self._options()), np.zeros(len(classes)), batch)
        return self._store_distributions(self._columns, batch.columns.schema, classes, batch.columns.feature_names)

    def _add(self, columns: list[ColumnDistribution], class_count: NDArray[np.float64], batch: Batch) -> None:
        self._columns = [column.add(batch, index) for index, column in enumerate(columns)]
        self.class_count_ = class_count + np.bincount(batch.labels, batch.weights, batch.n_classes)

    def _saved_values(self, training_rows: bool) -> Mapping[str, Any]:
        """Return the columns without training rows: the moments of normal distributions are kept, not their values."""
        kept = [
            column.fitted if isinstance(column, Gaussian) and len(column.counts.values) else column
            for column in self._columns
        ]
        return {} if training_rows else {"_columns": kept}

    def _saved_note(self) -> str:
        kernels = [len(column.counts.values) for column in self._columns if isinstance(column, KernelDistribution)]
        if not kernels:
            return ""
        return f"holds up to {max(kernels):,} training values of {len(kernels)} columns, from which it predicts"

    def _check_saved(self) -> None:
        super()._check_saved()
        features, columns = self._schema.features, self._columns
        need(len(columns) == len(features) == len(self.cut_points_), "has other distributions than columns")
        need(len(self.class_count_) == len(self.classes_) >= 1, "has other counts than classes")
        for feature, column in zip(features, columns, strict=True):
            need(column.n_classes == len(self.classes_), "has distributions of other classes")
            is_nominal = isinstance(column, CategoryCounts)
            need(is_nominal == (feature.kind == "nominal"), "has distributions of other kinds of columns")
            if isinstance(column, CategoryCounts):
                need(len(column.counts) == len(feature.categories), "has counts of other categories")


def _batch(rows: TrainingRows, classes: NDArray[Any]) -> Batch:
    """Return rows with the position of each row's class among all classes."""
    index = {label: position for position, label in enumerate(classes.tolist())}
    found = rows.labels.classes.tolist()
    unknown = [label for label in found if label not in index]
    if unknown:
        raise DataError(f"y holds {unknown[0]!r:.60}, which is not among classes.{nearest(unknown[0], index)}")
    positions = np.array([index[label] for label in found], dtype=np.intp)[rows.labels.codes]
    return Batch(rows.columns, positions, len(classes), rows.weights)
