"""Costs that differ from row to row: the cost of approaching a row and its benefit (Zadrozny & Elkan 2001)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._repr import instance_hint, short_repr
from calibrant._saved import Plain, TupleOf, Value, saved
from calibrant._sklearn import num_samples
from calibrant.calibration._internal import final_step, take_rows
from calibrant.data._internal import check_weights, factorize
from calibrant.decisions._cost_matrix import columns_by_name
from calibrant.decisions._heckman import HeckmanRegressor
from calibrant.exceptions import DataError, ParameterError, nearest


@saved(cost=Value(), benefit=Value(), actions=TupleOf(Plain(), 2, 2))
@dataclass(frozen=True, eq=False, repr=False)
class ExampleCosts:
    """The cost of approaching each row, and its expected benefit if it is positive: two actions, costs by row.

    A row is worth approaching where its probability times its benefit exceeds its cost (Zadrozny & Elkan 2001: a letter
    for $0.68 against the expected gift). Leaving it alone costs nothing and earns nothing.

    Parameters
    ----------
    cost : float, array of shape (n_rows,), str or callable
        The cost of approaching a row, whatever its class: a number, one for each row, the name of a column of X, or a
        function of X.
    benefit : float, array of shape (n_rows,), str, callable or regressor
        The expected benefit of a positive row that is approached, before the cost is deducted: as `cost`, or a
        regressor that `learn` fits to the positive rows (a `HeckmanRegressor` to all rows). It must not depend on the
        outcome of the row: the actual amounts are passed as ``amount=`` to the functions that evaluate decisions.
    actions : pair
        The names of leaving alone and of approaching.

    Examples
    --------
    >>> costs = ExampleCosts(cost=0.68, benefit=[5.0, 20.0, 8.0])
    >>> costs
    ExampleCosts: approach where p times the benefit of the row is greater than 0.68
    >>> from calibrant.decisions import best_decision
    >>> best_decision([0.1, 0.1, 0.05], costs)
    array(['leave', 'approach', 'leave'], dtype='<U8')

    The gift predicted by a linear regression on the donors:

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y, gift = [[1.0], [2.0], [3.0], [4.0]], [1, 0, 1, 1], [5.0, 0.0, 15.0, 20.0]
    >>> fitted = ExampleCosts(cost=0.68, benefit=LinearRegression()).learn(X, y, gift)
    >>> fitted.for_rows([[2.0]]).benefit.round(6)
    array([10.])
    """

    cost: Any
    benefit: Any
    actions: tuple[Any, Any] = ("leave", "approach")

    def __post_init__(self) -> None:
        for name, value in (("cost", self.cost), ("benefit", self.benefit)):
            _check_kind(name, value)
        if not isinstance(self.actions, tuple | list) or len(set(self.actions)) != 2 or len(self.actions) != 2:
            raise ParameterError(f"actions must be two different names; got {self.actions!r}.")
        object.__setattr__(self, "actions", tuple(self.actions))

    @property
    def labels(self) -> None:
        """None: the classes are those of the rows, the last being the positive one."""
        return None

    @property
    def n_actions(self) -> int:
        """Two: to leave alone, and to approach."""
        return 2

    @fill_docstring()
    def learn(self, X: Any, y: Any, amount: Any, *, sample_weight: Any = None, pos_label: Any = None) -> ExampleCosts:
        """Fit the regressor of benefits to the positive rows.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Any input that the regressor accepts.
        %(y)s
        amount : sequence of length n_rows
            The amount that each positive row brought in; those of other rows are ignored.
        sample_weight : sequence of length n_rows, optional
            Weight of each row, where the regressor takes weights.
        %(pos_label)s

        Returns
        -------
        ExampleCosts
            The costs with the regressor fitted; costs without a regressor are returned unchanged.

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
            raise DataError("y has no positive row to fit the benefit to; pass pos_label= or more rows.")
        if isinstance(final_step(self.benefit), HeckmanRegressor):
            amounts, rows = np.where(positive, amounts, np.nan), np.arange(len(positive))
        fitted = clone(self.benefit)
        fit_params = (
            {} if weight is None or not has_fit_parameter(fitted, "sample_weight") else {"sample_weight": weight[rows]}
        )
        return replace(self, benefit=fitted.fit(take_rows(X, rows), amounts[rows], **fit_params))

    def for_rows(self, X: Any) -> ExampleCosts:
        """Return the costs and benefits of some rows as numbers.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ExampleCosts
            The costs with a number for each row.

        Examples
        --------
        >>> import pandas as pd
        >>> costs = ExampleCosts(cost="postage", benefit=lambda X: 2 * X["last_gift"])
        >>> costs.for_rows(pd.DataFrame({"postage": [0.5, 0.9], "last_gift": [3, 4]})).benefit
        array([6., 8.])
        """
        return replace(self, cost=_values_for("cost", self.cost, X), benefit=_values_for("benefit", self.benefit, X))

    def only(self, rows: NDArray[np.intp]) -> ExampleCosts:
        """Return the costs of a subset of the rows.

        Examples
        --------
        >>> ExampleCosts(0.68, [5.0, 20.0, 8.0]).only(np.array([0, 2])).benefit
        array([5., 8.])
        """
        return replace(self, cost=_subset(self.cost, rows), benefit=_subset(self.benefit, rows))

    def expected(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected cost of leaving alone and of approaching, from the probabilities of two classes."""
        table = columns_by_name(proba, None)
        cost, benefit = self.numbers(len(table))
        return np.column_stack([np.zeros(len(table)), cost - table[:, 1] * benefit])

    def numbers(self, n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the cost and the benefit of each row; raise if they still depend on X."""
        for name, value in (("cost", self.cost), ("benefit", self.benefit)):
            if _depends_on_rows(value):
                raise ParameterError(f"{name} depends on the rows; pass costs.for_rows(X) with the rows to decide on.")
        return _numbers("cost", self.cost, n_rows), _numbers("benefit", self.benefit, n_rows)

    def __repr__(self) -> str:
        benefit, cost = _describe("benefit", self.benefit), _describe("cost", self.cost)
        return f"ExampleCosts: {self.actions[1]} where p times {benefit} is greater than {cost}"


def _check_kind(name: str, value: Any) -> None:
    is_valid = _depends_on_rows(value)
    if not is_valid or isinstance(value, type):
        try:
            is_valid = np.ndim(as_floats(value)) <= 1
        except (TypeError, ValueError):
            is_valid = False
    if not is_valid or isinstance(value, type) or value is None or (name == "cost" and _is_regressor(value)):
        kinds = "a number, one for each row, the name of a column or a function of X"
        kinds += ", or a regressor" if name == "benefit" else ""
        raise ParameterError(f"{name} must be {kinds}; got {short_repr(value)}.{instance_hint(value)}")


def _is_regressor(value: Any) -> bool:
    return callable(getattr(value, "predict", None)) and callable(getattr(value, "fit", None))


def _depends_on_rows(value: Any) -> bool:
    """Return whether a value is a column name, a function or a regressor, which need X to become numbers."""
    return isinstance(value, str) or callable(value) or _is_regressor(value)


def _is_positive(y: Any, pos_label: Any) -> NDArray[np.bool_]:
    coded = factorize(y)
    names = np.asarray(coded.categories).tolist()
    wanted = np.unique(names).tolist()[-1] if pos_label is None else pos_label
    if wanted not in names:
        raise ParameterError(f"pos_label must be one of {names}; got {pos_label!r}.{nearest(pos_label, names)}")
    return np.asarray(coded.codes == names.index(wanted))


def _values_for(name: str, value: Any, X: Any) -> NDArray[np.float64]:
    n_rows = num_samples(X)
    if isinstance(value, str):
        return _numbers(name, _column(name, value, X), n_rows)
    if _is_regressor(value):
        return _numbers(name, value.predict(X), n_rows)
    return _numbers(name, value(X) if callable(value) else value, n_rows)


def _column(name: str, column: str, X: Any) -> Any:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ParameterError(f"{name} is the column {column!r}, which needs X to be a frame; got {type(X).__name__}.")
    if column not in frame.columns:
        raise ParameterError(f"{name} is the column {column!r}, which X does not have.{nearest(column, frame.columns)}")
    return frame[column].to_numpy()


def _subset(value: Any, rows: NDArray[np.intp]) -> Any:
    return np.asarray(value)[rows] if not _depends_on_rows(value) and np.ndim(value) == 1 else value


def _numbers(name: str, value: Any, n_rows: int, needed: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return a number for each row; raise if one that is needed is not finite."""
    try:
        values = np.broadcast_to(as_floats(value), (n_rows,))
    except (TypeError, ValueError) as error:
        found = f"shape {np.shape(value)}" if np.ndim(value) else repr(value)
        raise DataError(f"{name} must be a number, or one for each of the {n_rows} rows; got {found}.") from error
    wrong = ~np.isfinite(values) & (True if needed is None else needed)
    if wrong.any():
        raise DataError(f"{name} has {wrong.sum()} NaN or infinite value(s) (first at row {wrong.argmax()}).")
    return np.asarray(values)


def _describe(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"the column {value!r}"
    if _is_regressor(value):
        return f"the prediction of {type(final_step(value)).__name__}"
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return f"a {name} computed from the row"
    return f"{float(value):g}" if np.ndim(value) == 0 else f"the {name} of the row"
