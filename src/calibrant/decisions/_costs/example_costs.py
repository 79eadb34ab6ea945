"""Costs that differ from row to row: what approaching it costs, and what it brings if it is positive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from calibrant._sklearn import num_samples
from calibrant.calibration._internal import final_step, take_rows
from calibrant.data._internal import check_weights, factorize
from calibrant.decisions._amounts.heckman import HeckmanRegressor
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExampleCosts"]


@dataclass(frozen=True, eq=False, repr=False)
class ExampleCosts:
    """What approaching a row costs, and what is expected of it if it is positive: two actions, by row.

    A row is worth approaching where its probability times its benefit is greater than its cost (Zadrozny & Elkan 2001:
    a letter for $0.68 against the expected gift). Leaving it alone costs nothing and brings nothing.

    Parameters
    ----------
    cost : float, array of shape (n_rows,), str or callable
        What it costs to approach a row, whatever its class: a number, one for each row, the name of a column of X, or a
        function of X.
    benefit : float, array of shape (n_rows,), str, callable or regressor
        What a positive row is thought to bring if it is approached, the cost not deducted: as `cost`, or a regressor
        that `learn` fits to the positive rows alone (or, a `HeckmanRegressor`, to all). It must not look at the outcome
        of the row: what rows really brought is passed as ``amount=`` to those who judge.
    actions : pair
        What leaving alone and approaching are called.

    Examples
    --------
    >>> costs = ExampleCosts(cost=0.68, benefit=[5.0, 20.0, 8.0])
    >>> costs
    ExampleCosts: approach where p times a benefit by row is greater than 0.68
    >>> from calibrant.decisions import best_decision
    >>> best_decision([0.1, 0.1, 0.05], costs)
    array(['leave', 'approach', 'leave'], dtype='<U8')

    The gift by a linear regression on those who gave:

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y, gift = [[1.0], [2.0], [3.0], [4.0]], [1, 0, 1, 1], [5.0, 0.0, 15.0, 20.0]
    >>> learnt = ExampleCosts(cost=0.68, benefit=LinearRegression()).learn(X, y, gift)
    >>> learnt.for_rows([[2.0]]).benefit
    array([10.])
    """

    cost: Any
    benefit: Any
    actions: tuple[Any, Any] = ("leave", "approach")

    def __post_init__(self) -> None:
        for name, given in (("cost", self.cost), ("benefit", self.benefit)):
            _check_kind(name, given)
        if not isinstance(self.actions, tuple | list) or len(set(self.actions)) != 2 or len(self.actions) != 2:
            raise ParameterError(f"actions must be two different names; got {self.actions!r}.")
        object.__setattr__(self, "actions", tuple(self.actions))

    @property
    def labels(self) -> None:
        """The classes are those of the rows: the last is the positive one."""
        return None

    @property
    def n_actions(self) -> int:
        """Two: to leave alone, and to approach."""
        return 2

    def learn(self, X: Any, y: Any, amount: Any, *, sample_weight: Any = None, pos_label: Any = None) -> ExampleCosts:
        """Fit the regressor of benefits to the rows that are positive.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the regressor takes.
        y : sequence of length n_rows
            The class of each row.
        amount : sequence of length n_rows
            What each positive row brought; that of others is not looked at.
        sample_weight : sequence of length n_rows, optional
            How often each row counts, where the regressor takes weights.
        pos_label : optional
            The positive class; by default the last sorted one.

        Returns
        -------
        ExampleCosts
            The same with the regressor fitted; one without a regressor is returned as it is.

        Examples
        --------
        >>> from sklearn.dummy import DummyRegressor
        >>> costs = ExampleCosts(0.68, DummyRegressor()).learn([[0], [0], [0]], ["no", "yes", "yes"], [0, 10, 20])
        >>> costs.for_rows([[7]]).benefit
        array([15.])
        """
        if not _is_regressor(self.benefit):
            return self
        positive = _is_positive(y, pos_label)
        amounts = _numbers("amount", amount, len(positive), needed=positive)
        weight = check_weights(sample_weight, len(positive))
        rows = np.flatnonzero(positive if weight is None else positive & (weight > 0))
        if not len(rows):
            raise DataError("y has no positive row, so that no benefit can be learnt; pass pos_label= or more rows.")
        if isinstance(final_step(self.benefit), HeckmanRegressor):
            amounts, rows = np.where(positive, amounts, np.nan), np.arange(len(positive))
        fitted = clone(self.benefit)
        to_fit = (
            {} if weight is None or not has_fit_parameter(fitted, "sample_weight") else {"sample_weight": weight[rows]}
        )
        return replace(self, benefit=fitted.fit(take_rows(X, rows), amounts[rows], **to_fit))

    def for_rows(self, X: Any) -> ExampleCosts:
        """Give the costs and benefits of some rows as numbers.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ExampleCosts
            With a number, or one for each row.

        Examples
        --------
        >>> import pandas as pd
        >>> costs = ExampleCosts(cost="postage", benefit=lambda X: 2 * X["last_gift"])
        >>> costs.for_rows(pd.DataFrame({"postage": [0.5, 0.9], "last_gift": [3, 4]})).benefit
        array([6., 8.])
        """
        return replace(self, cost=_of_rows("cost", self.cost, X), benefit=_of_rows("benefit", self.benefit, X))

    def only(self, rows: NDArray[np.intp]) -> ExampleCosts:
        """Give the costs of some of the rows, where there is a number for each.

        Examples
        --------
        >>> ExampleCosts(0.68, [5.0, 20.0, 8.0]).only(np.array([0, 2])).benefit
        array([5., 8.])
        """
        return replace(self, cost=_cut(self.cost, rows), benefit=_cut(self.benefit, rows))

    def expected(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the expected cost of leaving alone and of approaching, from probabilities of two classes."""
        cost, benefit = self.numbers(len(proba))
        return np.column_stack([np.zeros(len(proba)), cost - proba[:, 1] * benefit])

    def numbers(self, n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the cost and the benefit of each row; they must be numbers by now."""
        cost, benefit = (
            _numbers(name, _settled(name, given), n_rows)
            for name, given in (("cost", self.cost), ("benefit", self.benefit))
        )
        return cost, benefit

    def __repr__(self) -> str:
        benefit, cost = _told("benefit", self.benefit), _told("cost", self.cost)
        return f"ExampleCosts: {self.actions[1]} where p times {benefit} is greater than {cost}"


def _check_kind(name: str, given: Any) -> None:
    is_known = isinstance(given, str) or callable(given) or _is_regressor(given)
    if not is_known or isinstance(given, type):
        try:
            is_known = np.ndim(np.asarray(given, dtype=np.float64)) <= 1
        except (TypeError, ValueError):
            is_known = False
    if not is_known or isinstance(given, type) or given is None or (name == "cost" and _is_regressor(given)):
        also = " or a regressor" if name == "benefit" else ""
        raise ParameterError(
            f"{name} must be a number, one for each row, the name of a column, a function of X{also}; got {given!r}."
        )


def _is_regressor(given: Any) -> bool:
    return callable(getattr(given, "predict", None)) and callable(getattr(given, "fit", None))


def _is_positive(y: Any, pos_label: Any) -> NDArray[np.bool_]:
    coded = factorize(y)
    names = np.asarray(coded.categories).tolist()
    wanted = np.unique(names).tolist()[-1] if pos_label is None else pos_label
    if wanted not in names:
        raise ParameterError(f"pos_label is {pos_label!r}, which is not a class ({names}).{nearest(pos_label, names)}")
    return np.asarray(coded.codes == names.index(wanted))


def _of_rows(name: str, given: Any, X: Any) -> NDArray[np.float64]:
    n_rows = num_samples(X)
    if isinstance(given, str):
        return _numbers(name, _column(name, given, X), n_rows)
    if _is_regressor(given):
        return _numbers(name, given.predict(X), n_rows)
    return _numbers(name, given(X) if callable(given) else given, n_rows)


def _column(name: str, column: str, X: Any) -> Any:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ParameterError(f"{name} is the column {column!r}, which needs X to be a frame; got {type(X).__name__}.")
    if column not in frame.columns:
        raise ParameterError(f"{name} is the column {column!r}, which X does not have.{nearest(column, frame.columns)}")
    return frame[column].to_numpy()


def _cut(given: Any, rows: NDArray[np.intp]) -> Any:
    by_row = not (isinstance(given, str) or callable(given) or _is_regressor(given)) and np.ndim(given) == 1
    return np.asarray(given)[rows] if by_row else given


def _settled(name: str, given: Any) -> Any:
    if isinstance(given, str) or callable(given) or _is_regressor(given):
        raise ParameterError(f"{name} is not known without rows; pass costs.for_rows(X) for the rows that are decided.")
    return given


def _numbers(name: str, given: Any, n_rows: int, needed: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Give a finite number for each row; what is not needed may be missing."""
    try:
        values = np.broadcast_to(np.asarray(given, dtype=np.float64), (n_rows,))
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be a number, or one for each of the {n_rows} rows.") from error
    wrong = ~np.isfinite(values) & (True if needed is None else needed)
    if wrong.any():
        raise DataError(f"{name} has {wrong.sum()} NaN or infinite value(s) (first at row {wrong.argmax()}).")
    return np.asarray(values)


def _told(name: str, given: Any) -> str:
    if isinstance(given, str):
        return f"the column {given!r}"
    if _is_regressor(given):
        return f"what {type(final_step(given)).__name__} predicts"
    if isinstance(given, Callable):  # type: ignore[arg-type]
        return f"a {name} computed from the row"
    return f"{float(given):g}" if np.ndim(given) == 0 else f"a {name} by row"
