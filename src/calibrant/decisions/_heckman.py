"""Heckman's correction (1979) of predicted amounts that are seen for some rows only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter, validate_data

from calibrant._estimator import EstimatorMixin
from calibrant._numbers import as_floats
from calibrant._params import Choice, HasMethods, Nothing, Rule, check_params
from calibrant._saved import Array, Integer, LabelArray, Maybe, Number, Object, need, saved
from calibrant.data._internal import check_weights
from calibrant.exceptions import DataError

_MAX_STEPS, _TOLERANCE = 100, 1e-10  # Newton's method on a concave function needs about ten steps
_RIDGE = 1e-8  # too weak to show in the coefficients, strong enough to keep them finite for separable classes


def fit_probit(
    X: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Return the intercept and the coefficients of maximum likelihood.

    Columns are standardized first, and a ridge penalty of 1e-8 keeps the coefficients finite where the classes are
    separable or columns are collinear.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 1))
    >>> intercept, coef = fit_probit(X, 0.5 + 2.0 * X[:, 0] + rng.normal(size=20_000) > 0)
    >>> round(intercept, 1), coef.round(1)
    (0.5, array([2.]))
    """
    share = np.ones(len(X)) if weight is None else weight
    share = share / share.sum()
    centre = share @ X
    spread = np.sqrt(share @ (X - centre) ** 2)
    spread = np.where(spread > 0, spread, 1.0)
    columns = np.column_stack([np.ones(len(X)), (X - centre) / spread])
    beta = _maximize_likelihood(columns, np.where(positive, 1.0, -1.0), share)
    coef = beta[1:] / spread
    return float(beta[0] - coef @ centre), coef


def inverse_mills_ratio(index: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal density over the normal distribution function, computed in logarithms against underflow.

    Examples
    --------
    >>> inverse_mills_ratio(np.array([0.0, -40.0])).round(3)
    array([ 0.798, 40.025])
    """
    return np.asarray(np.exp(-0.5 * index**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(index)))


def _maximize_likelihood(
    columns: NDArray[np.float64], sign: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Take Newton steps, halved until the likelihood does not fall; it is concave."""
    ridge = np.full(columns.shape[1], _RIDGE)
    ridge[0] = 0.0

    def log_likelihood(beta: NDArray[np.float64]) -> float:
        return float(share @ log_ndtr(sign * (columns @ beta)) - 0.5 * ridge @ beta**2)

    beta = np.zeros(columns.shape[1])
    value = log_likelihood(beta)
    for _ in range(_MAX_STEPS):
        index = sign * (columns @ beta)
        ratio = inverse_mills_ratio(index)
        gradient = columns.T @ (share * sign * ratio) - ridge * beta
        hessian = (columns.T * (share * ratio * (ratio + index))) @ columns + np.diag(ridge + 1e-15)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (new := log_likelihood(beta + size * step)) < value and size > 1e-6:
            size /= 2.0
        beta, gain, value = beta + size * step, new - value, max(new, value)
        if np.abs(size * step).max() < _TOLERANCE or gain <= 0.0:
            break
    return beta


_LEAST = 1e-12  # keeps the probit index of a certain probability finite (about 7 standard deviations)


@saved(
    n_features_in_=Integer(1),
    feature_names_in_=Maybe(LabelArray()),
    regressor_=Object(),
    selection_=Object() | None,
    selection_coef_=Maybe(Array("f8", finite=True)),
    selection_intercept_=Maybe(Number()),
)
class HeckmanRegressor(RegressorMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Regression on the rows whose amount is observed, corrected for selection bias.

    Gifts are observed for donors only, and people who are likely to donate may give more or less than similar people
    who are not. First, a selection model of whether a row is observed gives each row its inverse Mills ratio; second,
    that ratio is an additional column of the regression on the observed rows (Heckman 1979; Zadrozny & Elkan 2001 use
    it for the gifts of KDD'98).

    Parameters
    ----------
    regressor : regressor, optional
        The model of the amounts; a linear regression by default.
    selection : classifier, optional
        The model of whether a row is observed, with `predict_proba`; a probit regression by default.
    given : {"selected", "everybody"}
        Whether to predict the amount of a row that is observed, which a decision multiplies by the probability, or
        that of a row drawn from the whole population: the ratio set to 0.

    Attributes
    ----------
    regressor_, selection_ : regressor, classifier or None
        The two fitted models; no selection model where all rows are observed.
    selection_coef_, selection_intercept_ : array, float
        Coefficients and intercept of the probit regression, where it is used.

    Notes
    -----
    The amount of a row that is not observed is NaN. X must be numeric; put an encoder before it in a pipeline. Without
    a column that affects selection but not the amount, the correction rests on the shape of the normal distribution
    alone and is weak.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50_000, 2))
    >>> noise = rng.normal(size=(50_000, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    >>> observed = X.sum(axis=1) + noise[:, 0] > 0
    >>> y = np.where(observed, 10 + X[:, 0] + noise[:, 1], np.nan)
    >>> from sklearn.linear_model import LinearRegression
    >>> LinearRegression().fit(X[observed], y[observed]).coef_.round(1)
    array([ 0.7, -0.3])
    >>> HeckmanRegressor(given="everybody").fit(X, y).regressor_.coef_[:2].round(1) + 0.0
    array([1., 0.])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "regressor": HasMethods("fit", "predict", words="a regressor") | Nothing(),
        "selection": HasMethods("fit", "predict_proba", words="a classifier with predict_proba") | Nothing(),
        "given": Choice("selected", "everybody"),
    }

    def __init__(self, regressor: Any = None, *, selection: Any = None, given: str = "selected") -> None:
        self.regressor = regressor
        self.selection = selection
        self.given = given

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the selection model to all rows and the regression to the observed ones.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numeric columns.
        y : sequence of length n_rows
            The amount of each row, NaN where it is not observed.
        sample_weight : sequence of length n_rows, optional
            Weight of each row, in both steps.

        Returns
        -------
        HeckmanRegressor
            The regressor itself.
        """
        from sklearn.linear_model import LinearRegression  # slow to import

        check_params(self)
        X = validate_data(self, X, dtype=np.float64)
        amount = _amounts(y, len(X))
        weight = check_weights(sample_weight, len(X))
        if weight is not None:
            X, amount, weight = X[weight > 0], amount[weight > 0], weight[weight > 0]
        is_observed = np.isfinite(amount)
        if not is_observed.any():
            raise DataError("y is NaN for every row of positive weight; at least one amount must be observed.")
        self._fit_selection(X, is_observed, weight)
        rows = np.flatnonzero(is_observed)
        regressor = LinearRegression() if self.regressor is None else clone(self.regressor)
        fit_params = _weight_params(regressor, None if weight is None else weight[rows])
        self.regressor_ = regressor.fit(self._with_ratio(X[rows]), amount[rows], **fit_params)
        return self

    def _fit_selection(self, X: NDArray[np.float64], is_observed: NDArray[np.bool_], weight: Any) -> None:
        for name in ("selection_coef_", "selection_intercept_"):
            self.__dict__.pop(name, None)
        self.selection_: Any = None
        if is_observed.all():
            return
        if self.selection is None:
            self.selection_intercept_, self.selection_coef_ = fit_probit(X, is_observed, weight)
            return
        classifier = clone(self.selection)
        self.selection_ = classifier.fit(X, is_observed, **_weight_params(classifier, weight))

    def _with_ratio(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the inverse Mills ratio as a column, where some training rows were not observed."""
        if self.selection_ is None and not hasattr(self, "selection_coef_"):
            return X
        # The normal quantile of each row's probability of being observed
        if self.selection_ is None:
            index = X @ self.selection_coef_ + self.selection_intercept_
        else:
            proba = self.selection_.predict_proba(X)[:, list(self.selection_.classes_).index(True)]
            index = ndtri(np.clip(proba, _LEAST, 1.0 - _LEAST))
        return np.column_stack([X, inverse_mills_ratio(index)])

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the expected amount of each row.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numeric columns.

        Returns
        -------
        array of shape (n_rows,)
            The expected amount of an observed row, or of any row of the population, depending on `given`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        columns = self._with_ratio(X)
        if self.given == "everybody" and columns.shape[1] > X.shape[1]:
            columns[:, -1] = 0.0
        return np.asarray(self.regressor_.predict(columns))

    def _check_saved(self) -> None:
        need(hasattr(self.regressor_, "predict"), "has a regressor that does not predict")
        is_selection = self.selection_ is None or hasattr(self.selection_, "predict_proba")
        need(is_selection, "has a selection without probabilities")
        has_probit = hasattr(self, "selection_coef_")
        need(has_probit == hasattr(self, "selection_intercept_"), "has half a probit")
        has_columns = not has_probit or len(self.selection_coef_) == self.n_features_in_
        need(has_columns, "has other coefficients than columns")


def _weight_params(estimator: Any, weight: NDArray[np.float64] | None) -> dict[str, Any]:
    return {} if weight is None or not has_fit_parameter(estimator, "sample_weight") else {"sample_weight": weight}


def _amounts(y: Any, n_rows: int) -> NDArray[np.float64]:
    if y is None:
        raise DataError("y is None: this estimator requires y to be passed, but the target y is None.")
    try:
        amount = as_floats(column_or_1d(y, warn=True))
    except (TypeError, ValueError) as error:
        raise DataError(f"y must hold numbers, NaN where they are not observed: {error}") from error
    if np.isinf(amount).any():
        raise DataError("Input y contains infinity or a value too large for dtype('float64').")
    if len(amount) != n_rows:
        raise DataError(f"y has {len(amount)} amounts for {n_rows} rows: inconsistent numbers of samples.")
    return amount
