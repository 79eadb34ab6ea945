"""Amounts that are seen for some rows only, and not for rows chosen by chance (Heckman 1979)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import log_ndtr, ndtri
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter, validate_data

from calibrant._params import Choice, HasMethods, Nothing, check_params
from calibrant.data._internal import check_weights
from calibrant.decisions._amounts.probit import fit_probit
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["HeckmanRegressor"]

_RULES = {
    "regressor": HasMethods("fit", "predict", words="a regressor") | Nothing(),
    "selection": HasMethods("fit", "predict_proba", words="a classifier with predict_proba") | Nothing(),
    "given": Choice("selected", "everybody"),
}
_LEAST = 1e-12


class HeckmanRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regression on rows whose number is known, corrected for how those rows came to be seen.

    Gifts are seen of donors only, and who is likely to give may give more or less than others of the same looks. In the
    first of two steps a model of who is seen gives each row its inverse Mills ratio, in the second that ratio is one
    more column of the regression on the rows that are seen (Heckman 1979; Zadrozny & Elkan 2001 for the KDD'98 gifts).

    Parameters
    ----------
    regressor : regressor, optional
        What learns the numbers; a linear regression by default.
    selection : classifier, optional
        What learns who is seen, with `predict_proba`; by default a probit regression.
    given : {"selected", "everybody"}
        Whether to predict the number of a row that is seen, which is what a decision multiplies with the probability,
        or what it would be for a row drawn from everybody: the ratio set to 0.

    Attributes
    ----------
    regressor_, selection_ : regressor, classifier or None
        The two steps, fitted; no selection where all rows are seen.
    selection_coef_, selection_intercept_ : array, float
        Those of the probit regression, where it is used.

    Notes
    -----
    The numbers of rows that are not seen are NaN. X must be numeric; put an encoder before it in a pipeline. Without a
    column that bears on being seen but not on the number, the correction rests on the shape of the normal distribution
    alone and is weak.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50_000, 2))
    >>> noise = rng.normal(size=(50_000, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    >>> seen = X.sum(axis=1) + noise[:, 0] > 0
    >>> y = np.where(seen, 10 + X[:, 0] + noise[:, 1], np.nan)
    >>> LinearRegression().fit(X[seen], y[seen]).coef_.round(1)
    array([ 0.7, -0.3])
    >>> HeckmanRegressor(given="everybody").fit(X, y).regressor_.coef_[:2].round(1) + 0.0
    array([1., 0.])
    """

    def __init__(self, regressor: Any = None, *, selection: Any = None, given: str = "selected") -> None:
        self.regressor = regressor
        self.selection = selection
        self.given = given

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn who is seen, and the numbers of those who are.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numbers.
        y : sequence of length n_rows
            The number of each row, NaN where it is not seen.
        sample_weight : sequence of length n_rows, optional
            How often each row counts, in both steps.

        Returns
        -------
        HeckmanRegressor
            The regressor itself.
        """
        check_params(self, _RULES)
        X = validate_data(self, X, dtype=np.float64)
        amount = _amounts(y, len(X))
        weight = check_weights(sample_weight, len(X))
        if weight is not None:
            X, amount, weight = X[weight > 0], amount[weight > 0], weight[weight > 0]
        seen = np.isfinite(amount)
        if not seen.any():
            raise DataError("y is NaN for every row that counts; at least one number must be seen.")
        self._fit_selection(X, seen, weight)
        rows = np.flatnonzero(seen)
        learner = LinearRegression() if self.regressor is None else clone(self.regressor)
        part = None if weight is None else weight[rows]
        self.regressor_ = learner.fit(self._with_ratio(X[rows]), amount[rows], **_weights(learner, part))
        return self

    def _fit_selection(self, X: NDArray[np.float64], seen: NDArray[np.bool_], weight: Any) -> None:
        for name in ("selection_coef_", "selection_intercept_"):
            self.__dict__.pop(name, None)
        self.selection_: Any = None
        if seen.all():
            return
        if self.selection is None:
            self.selection_intercept_, self.selection_coef_ = fit_probit(X, seen, weight)
            return
        learner = clone(self.selection)
        self.selection_ = learner.fit(X, seen, **_weights(learner, weight))

    def _with_ratio(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the inverse Mills ratio of each row, where some rows were not seen."""
        if self.selection_ is None and not hasattr(self, "selection_coef_"):
            return X
        return np.column_stack([X, _mills(self._index(X))])

    def _index(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.selection_ is None:
            return np.asarray(X @ self.selection_coef_ + self.selection_intercept_)
        proba = self.selection_.predict_proba(X)[:, list(self.selection_.classes_).index(True)]
        return np.asarray(ndtri(np.clip(proba, _LEAST, 1.0 - _LEAST)))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the number expected of each row.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numbers.

        Returns
        -------
        array of shape (n_rows,)
            The number if the row is seen, or for everybody, as `given` says.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        full = self._with_ratio(X)
        if self.given == "everybody" and full.shape[1] > X.shape[1]:
            full[:, -1] = 0.0
        return np.asarray(self.regressor_.predict(full))


def _mills(index: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the normal density over its distribution function, without underflow."""
    return np.asarray(np.exp(-0.5 * index**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(index)))


def _weights(learner: Any, weight: NDArray[np.float64] | None) -> dict[str, Any]:
    return {} if weight is None or not has_fit_parameter(learner, "sample_weight") else {"sample_weight": weight}


def _amounts(y: Any, n_rows: int) -> NDArray[np.float64]:
    if y is None:
        raise DataError("y is None: this estimator requires y to be passed, but the target y is None.")
    try:
        amount = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"y must hold numbers, NaN where they are not seen: {error}") from error
    if np.isinf(amount).any():
        raise DataError("Input y contains infinity or a value too large for dtype('float64').")
    if len(amount) != n_rows:
        raise DataError(f"y has {len(amount)} numbers for {n_rows} rows: inconsistent numbers of samples.")
    return amount
