"""Cost matrices: the cost of each action for each actual class (Witten, Frank & Hall, section 5.7; Elkan 2001)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant._optional import pandas_frame
from calibrant._saved import Array, Plain, TupleOf, saved
from calibrant.data._internal import caller_level, classes_of_columns, column_names, named_classes, order_columns
from calibrant.decisions._cost_file import read_cost_file
from calibrant.exceptions import CalibrantWarning, DataTypeError, ParameterError, nearest

if TYPE_CHECKING:
    import pandas as pd


@saved(
    matrix=Array("f8", ndim=2, finite=True, low=-1e150, high=1e150),
    labels=TupleOf(Plain()) | None,
    actions=TupleOf(Plain()) | None,
)
@dataclass(frozen=True, init=False, eq=False, repr=False)
class CostMatrix:
    """The cost of each action for each actual class.

    Parameters
    ----------
    matrix : array of shape (n_classes, n_actions)
        Costs, rows the actual class and columns the action; a negative cost is a gain. The index and columns of a
        pandas frame name classes and actions.
    labels : sequence of length n_classes, optional
        The class of each row; by default the classes in sorted order.
    actions : sequence of length n_actions, optional
        The action of each column; by default, for a square matrix, deciding for the class of the row of that number.

    Attributes
    ----------
    matrix : array of shape (n_classes, n_actions)
        The costs.
    labels, actions : tuple or None
        The names, where there are any.

    Examples
    --------
    A false alarm costs 1, an overlooked fault 20; a closer look costs 2.5 and is always right.

    >>> costs = CostMatrix([[0, 1], [20, 0]], labels=["fine", "faulty"]).with_action("look closer", 2.5)
    >>> costs
    CostMatrix: 2 classes (rows), 3 actions (columns)
                     fine  faulty  look closer
             fine       0       1          2.5
           faulty      20       0          2.5
    """

    matrix: NDArray[np.float64]
    labels: tuple[Any, ...] | None
    actions: tuple[Any, ...] | None

    def __init__(self, matrix: Any, *, labels: Any = None, actions: Any = None) -> None:
        costs = cost_table(matrix)
        if costs is None:
            raise ParameterError(
                f"matrix must be a table of finite costs, actual classes in rows, actions in columns; got {matrix!r}."
            )
        rows, columns = _frame_names(matrix)
        labels, actions = rows if labels is None else labels, columns if actions is None else actions
        costs.flags.writeable = False
        class_names = _check_names("labels", labels, costs.shape[0])
        action_names = _check_names("actions", actions, costs.shape[1])
        if action_names is None and costs.shape[0] == costs.shape[1]:
            action_names = class_names
        elif action_names is None:
            raise ParameterError(
                f"actions must name the {costs.shape[1]} columns of a matrix with {costs.shape[0]} rows; got None."
            )
        for name, value in (("matrix", costs), ("labels", class_names), ("actions", action_names)):
            object.__setattr__(self, name, value)

    @classmethod
    def from_benefits(cls, matrix: Any, *, labels: Any = None, actions: Any = None) -> Self:
        """Make a cost matrix of benefits: costs with the opposite sign.

        Examples
        --------
        >>> CostMatrix.from_benefits([[0, -0.8], [0, 15]]).matrix
        array([[  0. ,   0.8],
               [  0. , -15. ]])
        """
        benefits = cls(matrix, labels=labels, actions=actions)
        return cls(0.0 - benefits.matrix, labels=benefits.labels, actions=benefits.actions)

    @classmethod
    def from_dict(cls, costs: Mapping[Any, Mapping[Any, float]], *, benefits: bool = False) -> Self:
        """Make a cost matrix of a dict of actual class to a dict of action to cost.

        Examples
        --------
        >>> CostMatrix.from_dict({"no": {"no": 0, "yes": 1}, "yes": {"no": 10, "yes": 0}}).labels
        ('no', 'yes')
        """
        is_nested = isinstance(costs, Mapping) and all(isinstance(row, Mapping) for row in costs.values())
        if not costs or not is_nested:
            raise ParameterError(f"costs must be a dict of actual class to dict of action to cost; got {costs!r}.")
        actions = list(next(iter(costs.values())))
        for label, row in costs.items():
            if set(row) != set(actions):
                raise ParameterError(
                    f"costs: every class must have the same actions; {label!r} has {list(row)}, others {actions}."
                )
        table = [[row[action] for action in actions] for row in costs.values()]
        return (cls.from_benefits if benefits else cls)(table, labels=list(costs), actions=actions)

    @classmethod
    def from_csv(cls, path: str | Path, *, benefits: bool = False) -> Self:
        r"""Read a file whose first row names the actions and whose first column names the classes.

        Separators, decimal marks and encodings are found as by `calibrant.data.read_table`. A cell is a number or a sum
        of numbers: ``20-200`` costs 20 and brings 200.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "costs.csv"
        ...     _ = path.write_text("actual,no,yes\nno,0,1\nyes,10,0\n")
        ...     CostMatrix.from_csv(path).actions
        ('no', 'yes')
        """
        found = read_cost_file(Path(path))
        return (cls.from_benefits if benefits else cls)(found.costs, labels=found.labels, actions=found.actions)

    @classmethod
    def errors(cls, labels: Any) -> Self:
        """Return the default cost matrix of some classes: every error costs 1 (Table 5.5).

        Examples
        --------
        >>> CostMatrix.errors(["a", "b", "c"]).matrix
        array([[0., 1., 1.],
               [1., 0., 1.],
               [1., 1., 0.]])
        """
        names = list(labels)
        return cls(1.0 - np.eye(len(names)), labels=names)

    @property
    def n_classes(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_actions(self) -> int:
        """The number of columns."""
        return int(self.matrix.shape[1])

    @property
    def benefits(self) -> NDArray[np.float64]:
        """The benefits of decisions: the costs with the opposite sign."""
        return np.asarray(0.0 - self.matrix)

    def with_action(self, name: Any, cost: float | Sequence[float] | Mapping[Any, float]) -> CostMatrix:
        """Return the matrix with an additional action, such as looking closer instead of deciding for a class.

        Parameters
        ----------
        name : object
            The name of the action.
        cost : float, sequence of length n_classes, or dict of class to float
            Its cost, one for all or one for each actual class.

        Returns
        -------
        CostMatrix
            The matrix with one more column.

        Examples
        --------
        >>> CostMatrix.errors(["ham", "spam"]).with_action("ask", {"ham": 0.1, "spam": 0.3}).matrix
        array([[0. , 1. , 0.1],
               [1. , 0. , 0.3]])
        """
        if self.actions is None:
            raise ParameterError("with_action needs a matrix whose classes are named; pass labels=.")
        if isinstance(cost, Mapping):
            if set(self.labels or ()) != set(cost):
                raise ParameterError(f"cost must have an entry for {list(self.labels or ())}; got {dict(cost)}.")
            cost = [cost[label] for label in self.labels or ()]
        try:
            column = np.broadcast_to(as_floats(cost), (self.n_classes,))
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"cost must be a number, or one for each of {self.n_classes} classes; got {cost!r}."
            ) from error
        return CostMatrix(np.column_stack([self.matrix, column]), labels=self.labels, actions=[*self.actions, name])

    def for_classes(self, classes: Any, *, order: Any = None) -> CostMatrix:
        """Return the rows of some classes, in their order, with labels and actions.

        Parameters
        ----------
        classes : sequence
            The classes to return.
        order : sequence, optional
            The classes of the rows of a matrix without labels; by default in sorted order.

        Returns
        -------
        CostMatrix
            The matrix with labels and actions.

        Examples
        --------
        >>> CostMatrix([[0, 1], [10, 0]], labels=["yes", "no"]).for_classes(["no", "yes"]).matrix
        array([[10.,  0.],
               [ 0.,  1.]])
        """
        wanted = np.asarray(classes).tolist()
        own = self._own_labels(wanted, order)
        rows = [_row_of(label, own) for label in wanted]
        renamed = {own[row]: label for row, label in zip(rows, wanted, strict=True)}
        actions = own if self.actions is None else self.actions
        return CostMatrix(self.matrix[rows], labels=wanted, actions=[renamed.get(name, name) for name in actions])

    def _own_labels(self, wanted: list[Any], order: Any) -> list[Any]:
        if self.labels is not None:
            return list(self.labels)
        if self.n_classes != len(wanted):
            raise ParameterError(
                f"costs must have a row for each of {len(wanted)} classes ({wanted}); got {self.n_classes} rows."
            )
        return list(np.unique(wanted).tolist() if order is None else order)

    def expected(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected cost of every action, from class probabilities in the order of the matrix rows.

        Columns of a frame are matched by name. See `expected_cost` for probabilities that are not validated yet.
        """
        return np.asarray(columns_by_name(proba, self.labels) @ self.matrix)

    def of_classes(self, label: NDArray[Any]) -> NDArray[np.float64]:
        """Return the cost of every action for each row, from the index of its actual class."""
        return np.asarray(self.matrix[label])

    def regrets(self) -> NDArray[np.float64]:
        """Return the cost of each action in excess of the best action for the actual class.

        Examples
        --------
        >>> CostMatrix.from_benefits([[0, -0.8], [0, 15]]).regrets()
        array([[ 0. ,  0.8],
               [15. ,  0. ]])
        """
        return np.asarray(self.matrix - self.matrix.min(axis=1, keepdims=True))

    def threshold(self) -> float:
        """Return the probability of the second class above which the second of two actions is cheaper.

        Elkan (2001): (c10 - c00) / (c10 - c00 + c01 - c11), with c indexed by action and actual class.

        Examples
        --------
        >>> CostMatrix([[0, 1], [9, 0]]).threshold()
        0.1
        """
        net = self.matrix[:, 1] - self.matrix[:, 0]
        if self.matrix.shape != (2, 2) or not net[0] > 0 > net[1]:
            raise ParameterError(
                "threshold needs two classes and two actions, each the cheaper one for its own class; got costs "
                f"{self.matrix.tolist()}."
            )
        return float(net[0] / (net[0] - net[1]))

    def to_frame(self) -> pd.DataFrame:
        """Return the costs as a pandas frame, classes in rows and actions in columns.

        Examples
        --------
        >>> CostMatrix.errors(["a", "b"]).to_frame()
             a    b
        a  0.0  1.0
        b  1.0  0.0
        """
        return pandas_frame(self.matrix, "convert costs to a frame", index=self.labels, columns=self.actions)

    def __repr__(self) -> str:
        rows = [str(label) for label in (self.labels or range(self.n_classes))]
        names = [str(action) for action in (self.actions or range(self.n_actions))]
        width = max(6, *map(len, names)) + 2
        title = f"CostMatrix: {self.n_classes} classes (rows), {self.n_actions} actions (columns)"
        head = " " * 13 + "".join(f"{name:>{width}}" for name in names)
        lines = [
            f"{row:>13}" + "".join(f"{cost:>{width}.6g}" for cost in costs)
            for row, costs in zip(rows, self.matrix, strict=True)
        ]
        return "\n".join([title, head, *lines])


def cost_table(matrix: Any) -> NDArray[np.float64] | None:
    """Return costs as a table of finite numbers, or None if they are none.

    Examples
    --------
    >>> cost_table([[0, 1], [9, 0]]).shape, cost_table("costs") is None
    ((2, 2), True)
    """
    try:
        costs = as_floats(matrix).copy()
    except (TypeError, ValueError):
        costs = np.empty(0)
    return costs if costs.ndim == 2 and 0 not in costs.shape and np.isfinite(costs).all() else None


def _frame_names(matrix: Any) -> tuple[Any, Any]:
    """Return the names of the rows and columns of a pandas frame, unless either is only numbered."""
    if not type(matrix).__module__.startswith("pandas") or not hasattr(matrix, "columns"):
        return None, None
    names = (matrix.index, matrix.columns)
    are_numbered = any(type(index).__name__ == "RangeIndex" for index in names)
    return (None, None) if are_numbered else (list(names[0]), list(names[1]))


def _check_names(parameter: str, value: Any, n_names: int) -> tuple[Any, ...] | None:
    if value is None:
        return None
    names = list(value) if isinstance(value, Sequence) else np.asarray(value).tolist()
    if not isinstance(names, list) or len(names) != n_names or len(set(names)) < len(names):
        raise ParameterError(f"{parameter} must be {n_names} distinct names; got {value!r}.")
    return tuple(names)


def _is_name_of(name: str, label: Any) -> bool:
    """Return whether a name in a file stands for a class: as the same text, or as the same number."""
    if name == str(label):
        return True
    try:
        return not isinstance(label, str | bool) and float(name) == label
    except ValueError:
        return False


def _row_of(label: Any, labels: list[Any]) -> int:
    """Return the row of a class; labels read from a file are strings, whatever the type of the classes."""
    for row, name in enumerate(labels):
        if name == label or (isinstance(name, str) and _is_name_of(name, label)):
            return row
    raise ParameterError(f"costs has no row for class {label!r}; its rows are {labels}.{nearest(label, labels)}")


def columns_by_name(proba: Any, labels: tuple[Any, ...] | None) -> NDArray[np.float64]:
    """Return probabilities as an array, the columns of a frame in the order of the labels.

    Where the costs have no labels, the names of a frame's columns in sorted order are the classes. A frame of one
    column holds the probability of either of two classes, which its name determines.

    Examples
    --------
    >>> import pandas
    >>> columns_by_name(pandas.DataFrame({"yes": [0.2], "no": [0.8]}), ("no", "yes"))
    array([[0.8, 0.2]])
    """
    try:
        values = as_floats(proba)
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            "proba must hold numbers: a column for each class, or one column for the last of two."
        ) from error
    names = column_names(proba)
    if not names:
        return values
    classes = list(labels) if labels is not None else _sorted_names(proba)
    found = classes_of_columns("proba", names, classes)
    if len(names) == 1:
        return 1.0 - values[:, 0] if found is not None and found[0] != classes[-1] else values[:, 0]
    return order_columns(values, found, classes)


def _sorted_names(proba: Any) -> list[Any]:
    """Return the names of columns in sorted order, with a warning where that is not the order of the columns."""
    classes = named_classes(proba)
    if classes and classes != column_names(proba):
        warnings.warn(
            f"costs do not name the classes; they are taken to be the columns of proba in sorted order, {classes}. "
            "Pass a CostMatrix with labels=, or an array.",
            CalibrantWarning,
            stacklevel=caller_level(),
        )
    return classes
