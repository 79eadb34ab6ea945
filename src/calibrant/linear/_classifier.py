"""Logistic regression for tables as they are: nominal columns, missing values and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Real, Rule, check_params
from calibrant._saved import Object, saved
from calibrant.data._internal import Nominal, RowClassifierMixin, read_training_rows
from calibrant.linear._model import LogisticModel

_MAX_ITER = 1000


@saved(_model=Object(LogisticModel))
@fill_docstring()
@with_parameters
class LogisticClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression with an L2 penalty, for tables as they are: the logistic member of `ProbabilityClassifier`.

    Nominal columns become indicators, one for each category of weight 3 or more and one for all rarer and unseen ones;
    numeric columns are standardised and cut off at 8 standard deviations. A missing number is the mean, with an
    indicator of its own where training rows have any: it imputes, as do nets and support vector machines only.

    Parameters
    ----------
    C : float
        The inverse of the strength of the penalty.
    %(nominal)s

    Attributes
    ----------
    %(classes_)s
    coef_ : array of shape (n_classes, n_terms)
        The coefficients of standardised numbers and indicators; of two classes they are opposite.
    intercept_ : array of shape (n_classes,)
        The intercepts.
    %(features_in_)s

    Examples
    --------
    >>> X, y = [[1.0, "a"], [2.0, "b"], [3.0, None], [4.0, "b"]], ["no", "no", "yes", "yes"]
    >>> LogisticClassifier().fit(X, y).predict_proba([[2.0, "a"], [None, "b"]]).round(2)
    array([[0.6, 0.4],
           [0.5, 0.5]])
    """

    _short_name: ClassVar[str] = "logistic"
    _rules: ClassVar[Mapping[str, Rule]] = {"C": Real(0, closed="right")}

    C: float = 1.0
    nominal: Nominal = "auto"

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        %(fit_sections)s
        """
        check_params(self)
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        weights = np.ones(rows.columns.n_rows) if rows.weights is None else rows.weights
        schema, classes = rows.columns.schema, rows.labels.classes
        codes = rows.labels.codes.astype(np.intp)
        shares = np.bincount(codes, weights, len(classes)) / weights.sum()
        self._model = LogisticModel.fit(
            schema, rows.columns.arrays, codes, weights, shares, C=self.C, max_iter=_MAX_ITER
        )
        self._store_columns(schema, classes, rows.columns.feature_names)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        n_rows, columns = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        return self._model.predict_proba((n_rows, columns))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The coefficients of standardised numbers and indicators."""
        self._check_fitted()
        return self._model.coefficients.coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercepts."""
        self._check_fitted()
        return self._model.coefficients.intercept

    def _check_saved(self) -> None:
        super()._check_saved()
        self._model.check_loaded(self._schema, self.classes_)
