"""What decisions cost by the actual class: any number of classes, any actions (Witten, Frank & Hall, section 5.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.decisions._costs.cost_file import read_cost_file
from calibrant.exceptions import ParameterError, nearest

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["CostMatrix"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CostMatrix:
    """What each decision costs where each class is the actual one.

    Parameters
    ----------
    matrix : array of shape (n_classes, n_actions)
        Costs, rows the actual class and columns the decision; what is below 0 is a gain. A pandas frame with an index
        names classes and actions.
    labels : sequence of length n_classes, optional
        The class of each row; by default the classes in sorted order.
    actions : sequence of length n_actions, optional
        What each column decides for; by default the class of the row with the same number, where the matrix is square.

    Attributes
    ----------
    matrix : array of shape (n_classes, n_actions)
        The costs.
    labels, actions : tuple or None
        The names, where there are any.

    Examples
    --------
    A false alarm costs 1, a fault overlooked 20; a closer look tells for certain, for 2.5.

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
        costs = _numbers(matrix)
        rows, columns = _of_frame(matrix)
        labels, actions = rows if labels is None else labels, columns if actions is None else actions
        costs.flags.writeable = False
        named = _names("labels", labels, costs.shape[0])
        doing = _names("actions", actions, costs.shape[1])
        if doing is None and costs.shape[0] == costs.shape[1]:
            doing = named
        elif doing is None:
            raise ParameterError(
                f"actions must name the {costs.shape[1]} columns of a matrix with {costs.shape[0]} rows; got None."
            )
        for name, value in (("matrix", costs), ("labels", named), ("actions", doing)):
            object.__setattr__(self, name, value)

    @classmethod
    def from_benefits(cls, matrix: Any, *, labels: Any = None, actions: Any = None) -> Self:
        """Take what decisions bring instead of what they cost.

        Examples
        --------
        >>> CostMatrix.from_benefits([[0, -0.8], [0, 15]]).matrix
        array([[  0. ,   0.8],
               [  0. , -15. ]])
        """
        rows, columns = _of_frame(matrix)
        labels, actions = rows if labels is None else labels, columns if actions is None else actions
        return cls(0.0 - _numbers(matrix), labels=labels, actions=actions)

    @classmethod
    def from_dict(cls, costs: Mapping[Any, Mapping[Any, float]], *, benefits: bool = False) -> Self:
        """Take a cost by actual class and action.

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
                    f"costs: class {label!r} has actions {list(row)}, others {actions}; name them all."
                )
        table = [[row[action] for action in actions] for row in costs.values()]
        return (cls.from_benefits if benefits else cls)(table, labels=list(costs), actions=actions)

    @classmethod
    def from_csv(cls, path: str | Path, *, benefits: bool = False) -> Self:
        r"""Read a file whose first row names the actions and whose first column names the classes.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "costs.csv"
        ...     _ = path.write_text("actual,no,yes\nno,0,1\nyes,10,0\n")
        ...     CostMatrix.from_csv(path).actions
        ('no', 'yes')
        """
        labels, actions, table = read_cost_file(Path(path))
        return (cls.from_benefits if benefits else cls)(table, labels=labels, actions=actions)

    @classmethod
    def errors(cls, labels: Any) -> Self:
        """Give the default matrix of some classes: every error costs 1 (Table 5.5).

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
        """What decisions bring: the costs with the other sign."""
        return np.asarray(0.0 - self.matrix)

    def with_action(self, name: Any, cost: float | Sequence[float] | Mapping[Any, float]) -> CostMatrix:
        """Add something that can be done instead of deciding for a class, such as looking closer.

        Parameters
        ----------
        name : object
            What the action is called.
        cost : float, sequence of length n_classes, or dict of class to float
            Its price, one for all or by the actual class.

        Returns
        -------
        CostMatrix
            With one more column.

        Examples
        --------
        >>> CostMatrix.errors(["ham", "spam"]).with_action("ask", {"ham": 0.1, "spam": 0.3}).matrix
        array([[0. , 1. , 0.1],
               [1. , 0. , 0.3]])
        """
        if self.actions is None:
            raise ParameterError("with_action needs a matrix whose classes are named; pass labels=.")
        if isinstance(cost, Mapping):
            wrong = set(self.labels or ()) ^ set(cost)
            if wrong:
                raise ParameterError(f"cost must have a price for each of {list(self.labels or ())}; got {dict(cost)}.")
            cost = [cost[label] for label in self.labels or ()]
        column = _prices(cost, self.n_classes)
        matrix = np.column_stack([self.matrix, column])
        return CostMatrix(matrix, labels=self.labels, actions=[*self.actions, name])

    def for_classes(self, classes: Any, *, order: Any = None) -> CostMatrix:
        """Give the rows of some classes, named, in the order given.

        Parameters
        ----------
        classes : sequence
            The classes that are wanted.
        order : sequence, optional
            Which classes the rows of a matrix without labels are; by default the sorted ones.

        Returns
        -------
        CostMatrix
            With labels and actions.

        Examples
        --------
        >>> CostMatrix([[0, 1], [10, 0]], labels=["yes", "no"]).for_classes(["no", "yes"]).matrix
        array([[10.,  0.],
               [ 0.,  1.]])
        """
        wanted = np.asarray(classes).tolist()
        own = self._own_labels(wanted, order)
        places = [_place(label, own) for label in wanted]
        renamed = {own[place]: label for place, label in zip(places, wanted, strict=True)}
        actions = own if self.actions is None else self.actions
        return CostMatrix(self.matrix[places], labels=wanted, actions=[renamed.get(name, name) for name in actions])

    def _own_labels(self, wanted: list[Any], order: Any) -> list[Any]:
        if self.labels is not None:
            return list(self.labels)
        if self.n_classes != len(wanted):
            raise ParameterError(
                f"costs has {self.n_classes} rows for {len(wanted)} classes ({wanted}); rows are the actual class."
            )
        return list(np.unique(wanted).tolist() if order is None else order)

    def expected(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the expected cost of every action for every row, from probabilities in the order of the rows."""
        return np.asarray(proba @ self.matrix)

    def of_classes(self, label: NDArray[Any]) -> NDArray[np.float64]:
        """Give what every action costs each row, by the number of its actual class."""
        return np.asarray(self.matrix[label])

    def regrets(self) -> NDArray[np.float64]:
        """Give what each action costs beyond the best one for the actual class.

        Examples
        --------
        >>> CostMatrix.from_benefits([[0, -0.8], [0, 15]]).regrets()
        array([[ 0. ,  0.8],
               [15. ,  0. ]])
        """
        return np.asarray(self.matrix - self.matrix.min(axis=1, keepdims=True))

    def threshold(self) -> float:
        """Give the probability of the second class from which on the second of two actions is the cheaper one.

        Elkan (2001): (c10 - c00) / (c10 - c00 + c01 - c11), c of action and actual class.

        Examples
        --------
        >>> CostMatrix([[0, 1], [9, 0]]).threshold()
        0.1
        """
        net = self.matrix[:, 1] - self.matrix[:, 0]
        if self.matrix.shape != (2, 2) or not net[0] > 0 > net[1]:
            raise ParameterError(
                "there is a threshold for two classes and two actions, each the cheaper one for its own class; "
                f"got costs {self.matrix.tolist()}."
            )
        return float(net[0] / (net[0] - net[1]))

    def to_frame(self) -> pd.DataFrame:
        """Give the costs as a pandas frame, classes down and actions across.

        Examples
        --------
        >>> CostMatrix.errors(["a", "b"]).to_frame()
             a    b
        a  0.0  1.0
        b  1.0  0.0
        """
        pandas = optional_import("pandas", extra="data", purpose="give costs as a frame")
        frame: pd.DataFrame = pandas.DataFrame(self.matrix, index=self.labels, columns=self.actions)
        return frame

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


def _numbers(matrix: Any) -> NDArray[np.float64]:
    try:
        costs = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.empty(0)
    if costs.ndim != 2 or 0 in costs.shape or not np.isfinite(costs).all():
        raise ParameterError(
            f"matrix must be a table of finite costs, actual classes down, decisions across; got {matrix!r}."
        )
    return costs


def _prices(cost: Any, n_classes: int) -> NDArray[np.float64]:
    try:
        return np.broadcast_to(np.asarray(cost, dtype=np.float64), (n_classes,))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"cost must be a number, or one for each of {n_classes} classes; got {cost!r}.") from error


def _of_frame(matrix: Any) -> tuple[Any, Any]:
    """Give the names that a pandas frame has for its rows and columns, where somebody named them."""
    if not type(matrix).__module__.startswith("pandas") or not hasattr(matrix, "columns"):
        return None, None
    names = (matrix.index, matrix.columns)
    are_numbered = any(type(each).__name__ == "RangeIndex" for each in names)
    return (None, None) if are_numbered else (list(names[0]), list(names[1]))


def _names(what: str, given: Any, n_wanted: int) -> tuple[Any, ...] | None:
    if given is None:
        return None
    names = list(given) if isinstance(given, Sequence) else np.asarray(given).tolist()
    if not isinstance(names, list) or len(names) != n_wanted or len(set(names)) < len(names):
        raise ParameterError(f"{what} must be {n_wanted} different names; got {given!r}.")
    return tuple(names)


def _says(name: str, label: Any) -> bool:
    """Say whether a name in a file means a class: in letters, or as a number."""
    if name == str(label):
        return True
    try:
        return not isinstance(label, str | bool) and float(name) == label
    except ValueError:
        return False


def _place(label: Any, own: list[Any]) -> int:
    """Find a class among labels; those of a file are strings, whatever the classes are."""
    for place, name in enumerate(own):
        if name == label or (isinstance(name, str) and _says(name, label)):
            return place
    raise ParameterError(f"costs has no row for class {label!r}; there are {own}.{nearest(label, own)}")
