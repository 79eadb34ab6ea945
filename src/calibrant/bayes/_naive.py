"""Naive Bayes as a scikit-learn classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._memory import check_output_memory
from calibrant._params import Choice, Int, Real, Rule, check_params
from calibrant.bayes._column import Batch, Column, Dialect
from calibrant.bayes._columns import NUMERIC, Numeric, Wanted, start_columns
from calibrant.bayes._counted import Cut, Smoothing
from calibrant.data._internal import (
    Nominal,
    RowClassifierMixin,
    TrainingRows,
    code_labels,
    read_more_training_rows,
    read_training_rows,
)
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NaiveBayesClassifier"]

_RULES: dict[str, Rule] = {
    "numeric": Choice(*NUMERIC),
    "n_bins": Int(1),
    "counts": Choice("laplace", "m"),
    "m": Real(0),
    "dialect": Choice("exact", "weka"),
}


class NaiveBayesClassifier(RowClassifierMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for nominal and numeric columns together.

    The probability of a class is its base rate times the probability of each value of the row in that class, as if
    columns were independent, and normalised. A missing value, or a category that was not seen, is skipped in training
    and in prediction. The ranking is often good, but the probabilities are too far out where columns repeat each other:
    calibrate them. Weights are frequencies: a row of weight 2 is the row twice, one of weight 0 is absent.

    Parameters
    ----------
    numeric : {"mdl", "gaussian", "kernel", "equal_width"}
        What a numeric column is in each class. ``"mdl"``: intervals that tell the classes apart, as `MDLDiscretizer`
        makes them, and counts (Dougherty, Kohavi & Sahami 1995 found this best). ``"gaussian"``: a normal
        distribution. ``"kernel"``: a normal kernel at each value, of width range / sqrt(rows) (John & Langley 1995).
        ``"equal_width"``: `n_bins` intervals of equal width, and counts.
    n_bins : int
        Intervals of ``"equal_width"``.
    counts : {"laplace", "m"}
        How counts of values become probabilities: with one more of each value, or with `m` more rows in which each
        value is as frequent as in all classes together.
    m : float
        Of ``counts="m"``.
    dialect : {"exact", "weka"}
        How the normal distribution is computed. ``"exact"``: to full precision. ``"weka"``: to the digits of Weka 3.9,
        whose sums of kernels stop where the rest is below a hundredth, whose normal distribution is 0 from about eight
        standard deviations above the mean on (not below it), and whose least probability is a least density.
    nominal : "auto", "all", or a sequence of names, positions or truth values
        Which other columns to take as nominal.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    class_count_ : array of shape (n_classes,)
        The weight of the rows of each class.
    cut_points_ : list of arrays
        The cut points of each column; empty for a nominal column, for one that is a single interval, and with
        ``"gaussian"`` and ``"kernel"``.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Notes
    -----
    As in Weka, the base rate of a class is (rows of the class + 1) / (rows + classes). A numeric column has a
    precision, the mean gap between its different values. With ``"gaussian"`` and ``"kernel"`` values are rounded to
    multiples of it, a value stands for the interval of that width around it, and no standard deviation is below a sixth
    of it. A class without a value of a column then takes the distribution of all classes; infinite values are skipped.

    No value makes a class less likely than by a factor of 1e-75. So no class ever vanishes: a value far from all
    classes says nothing, and a row of such values alone has the base rates. Everything is added up in logarithms.

    Rows may come in parts, by `partial_fit`. Counts add up, and so do the values with their weights that ``"gaussian"``
    and ``"kernel"`` keep: the result is that of one `fit`, whatever the parts, and takes memory for each different
    value. ``"mdl"`` and ``"equal_width"`` keep the cut points of the first part.

    References
    ----------
    P. Langley, W. Iba and K. Thompson, "An analysis of Bayesian classifiers", AAAI 1992. G. John and P. Langley,
    "Estimating continuous distributions in Bayesian classifiers", UAI 1995. B. Cestnik, "Estimating probabilities: a
    crucial task in machine learning", ECAI 1990.

    Examples
    --------
    >>> from calibrant.data import load
    >>> donors = load("appeal")
    >>> train, test = donors.part("train"), donors.part("test")
    >>> model = NaiveBayesClassifier().fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.886, 0.114],
           [0.976, 0.024]])
    """

    def __init__(
        self,
        *,
        numeric: Numeric = "mdl",
        n_bins: int = 10,
        counts: Literal["laplace", "m"] = "laplace",
        m: float = 2.0,
        dialect: Dialect = "exact",
        nominal: Nominal = "auto",
    ) -> None:
        self.numeric = numeric
        self.n_bins = n_bins
        self.counts = counts
        self.m = m
        self.dialect = dialect
        self.nominal = nominal

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NaiveBayesClassifier:
        """Learn the distributions.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table: of pandas, polars or pyarrow, or an array.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.

        Returns
        -------
        NaiveBayesClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        return self._begin(rows, rows.labels.classes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> NaiveBayesClassifier:
        """Learn from further rows.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `fit`; columns are found by name where both tables have names. New categories join the others.
        y : sequence of length n_rows
            The class of each row.
        classes : sequence, optional
            All classes that may come; needed at the first call, where there was no `fit` before.
        sample_weight : sequence of length n_rows, optional
            How often each row counts.

        Returns
        -------
        NaiveBayesClassifier
            The classifier itself.

        Examples
        --------
        >>> model = NaiveBayesClassifier().partial_fit([["red"], ["blue"]], ["a", "b"], classes=["a", "b"])
        >>> model.partial_fit([["green"], ["red"]], ["a", "a"]).predict_proba([["red"]])
        array([[0.8, 0.2]])
        """
        check_params(self, _RULES)
        if "_columns" in self.__dict__:
            self._check_same(classes)
            return self._go_on(read_more_training_rows(X, y, sample_weight, self._schema, type(self).__name__))
        if classes is None:
            raise ParameterError("classes must be passed at the first call of partial_fit: all classes that may come.")
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        return self._begin(rows, code_labels(classes).classes)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithm of the probability of each class together with the row's values.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``; always finite.

        Examples
        --------
        >>> model = NaiveBayesClassifier().fit([["u"], ["u"], ["v"]], [0, 0, 1])
        >>> np.exp(model.predict_joint_log_proba([["u"]])).round(3)
        array([[0.45 , 0.133]])
        """
        return np.ascontiguousarray(self._joint(X).T)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithm of the probability of each class, exact also where the probability is 0 as a float.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``; always finite.

        Examples
        --------
        >>> model = NaiveBayesClassifier(numeric="gaussian").fit([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
        >>> model.predict_log_proba([[0.0]]).round(1)
        array([[   0. , -116.1]])
        """
        joint = self._joint(X)
        joint -= joint.max(axis=0)
        return np.ascontiguousarray((joint - np.log(np.exp(joint).sum(axis=0))).T)

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
        joint = self._joint(X)
        shares = np.exp(joint - joint.max(axis=0))
        return np.ascontiguousarray((shares / shares.sum(axis=0)).T)

    def _joint(self, X: Any) -> NDArray[np.float64]:
        """Add the logarithms of all columns up: classes x rows."""
        n_rows, columns = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        joint = np.tile(self._log_base_rates()[:, None], n_rows)
        arrays = columns.T if isinstance(columns, np.ndarray) else columns
        for column, values in zip(self._columns, arrays, strict=True):
            joint += column.log_likelihood(values)
        return joint

    def _begin(self, rows: TrainingRows, classes: NDArray[Any]) -> NaiveBayesClassifier:
        batch = _batch(rows, classes)
        wanted = Wanted(self.numeric, int(self.n_bins), Smoothing(self.counts, float(self.m)), self.dialect)
        columns = start_columns(batch, wanted)
        self._learn(columns, np.zeros(len(classes)), batch)
        self._store_columns(rows.columns.schema, classes, rows.columns.feature_names)
        self.cut_points_ = [column.cuts if isinstance(column, Cut) else np.empty(0) for column in columns]
        return self

    def _go_on(self, rows: TrainingRows) -> NaiveBayesClassifier:
        self._learn(self._columns, self.class_count_, _batch(rows, self.classes_))
        self._schema = rows.columns.schema
        return self

    def _learn(self, columns: list[Column], class_count: NDArray[np.float64], batch: Batch) -> None:
        self._columns = [column.add(batch, place) for place, column in enumerate(columns)]
        self.class_count_ = class_count + np.bincount(batch.labels, batch.weights, batch.n_classes)

    def _log_base_rates(self) -> NDArray[np.float64]:
        return np.asarray(np.log((self.class_count_ + 1) / (self.class_count_ + 1).sum()))

    def _check_same(self, classes: Any) -> None:
        if classes is not None and not np.array_equal(code_labels(classes).classes, self.classes_):
            raise ParameterError(
                f"classes must be the same at every call of partial_fit; they were {self.classes_.tolist()!r:.60}."
            )


def _batch(rows: TrainingRows, classes: NDArray[Any]) -> Batch:
    return Batch(rows.columns, _positions(rows, classes.tolist()), len(classes), rows.weights)


def _positions(rows: TrainingRows, classes: list[Any]) -> NDArray[np.intp]:
    """Give the place of the class of each row among all classes."""
    place = {label: position for position, label in enumerate(classes)}
    found = rows.labels.classes.tolist()
    unknown = [label for label in found if label not in place]
    if unknown:
        raise DataError(f"y holds {unknown[0]!r:.60}, which is not among classes.{nearest(unknown[0], classes)}")
    return np.array([place[label] for label in found], dtype=np.intp)[rows.labels.codes]
