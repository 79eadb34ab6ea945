"""Costs in a small file, whose cells are numbers or name columns of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.cli._predictions.columns import find_class
from calibrant.exceptions import DataError, ParameterError, ReadError, SchemaError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.cli._predictions.prediction_table import PredictionTable
    from calibrant.decisions import CostMatrix, ExampleCosts


@dataclass(frozen=True)
class CostTable:
    """A cost matrix, and the columns that are added to its cells, by class, action and sign."""

    matrix: CostMatrix
    columns: tuple[tuple[str, str, int, str], ...]

    @property
    def labels(self) -> list[str]:
        """The classes, as the file has them."""
        return list(self.matrix.labels or ())

    def expected(self, frame: pd.DataFrame, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected cost of each row and action, for probabilities in the order of the labels."""
        from calibrant.decisions import expected_cost

        found = expected_cost(proba, self.matrix)
        for label, action, sign, column in self.columns:
            amounts = _amounts(frame, column)
            found[:, list(self.matrix.actions or ()).index(action)] += (
                sign * proba[:, self.labels.index(label)] * amounts
            )
        return found

    def of_classes(self, frame: pd.DataFrame, label: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the cost of each row and action, for its actual class as an index of the labels."""
        found = self.matrix.of_classes(label).copy()
        for name, action, sign, column in self.columns:
            rows = label == self.labels.index(name)
            found[rows, list(self.matrix.actions or ()).index(action)] += sign * _amounts(frame, column)[rows]
        return found


def read_costs(path: str, columns: Sequence[str], *, benefits: bool = False) -> CostTable:
    """Read a file whose first row names the actions and whose first column names the classes.

    Parameters
    ----------
    path : str
        The file. A cell is a number, ``20-200``, ``COL``, ``-COL``, or a number and a column, such as ``0.68-amount``.
    columns : sequence of str
        The columns of the table that cells may name.
    benefits : bool
        Whether the cells are benefits: costs with the opposite sign.

    Returns
    -------
    CostTable
        The costs.
    """
    from calibrant.decisions import CostMatrix
    from calibrant.decisions._internal import read_cost_file

    found, sign = read_cost_file(Path(path), columns), -1 if benefits else 1
    table = [[sign * number for number in row] for row in found.costs]
    try:
        matrix = CostMatrix(table, labels=found.labels, actions=found.actions)
    except ParameterError as error:
        raise ReadError(f"{path}: {error}") from error
    return CostTable(matrix, tuple((label, action, sign * by, name) for label, action, by, name in found.columns))


def _amounts(frame: pd.DataFrame, column: str) -> Any:
    values = frame[column]
    if values.dtype.kind not in "fiub" or values.isna().any():
        raise SchemaError(f"column {column!r}, which the costs name, must hold a number in every row.")
    return values.to_numpy(float)


def costs_of_report(
    path: str, table: PredictionTable, classes: Sequence[Any], positive: Any, *, benefits: bool, has_amount: bool
) -> CostMatrix | ExampleCosts:
    """Read the costs of a report.

    Parameters
    ----------
    path : str
        A file as `calibrant decide` takes it.
    table : PredictionTable
        The predictions, whose columns cells may name.
    classes : sequence
        The classes of the report.
    positive : object
        The positive one of two classes; None where there are more.
    benefits : bool
        Whether the file has benefits.
    has_amount : bool
        Whether the actual amounts are known, so that costs differ by row.

    Returns
    -------
    CostMatrix or ExampleCosts
        Costs by row if cells name columns, or if actual amounts are known.
    """
    costs = read_costs(path, [str(name) for name in table.frame], benefits=benefits)
    _check_classes(path, costs, table.target, classes)
    if not costs.columns and not has_amount:
        return costs.matrix
    rows = {label: _row_costs(costs, table, label) for label in classes}
    actions = [str(action) for action in costs.matrix.actions or ()]
    leave = [at for at in range(len(actions)) if all(not cells[:, at].any() for cells in rows.values())]
    if positive is None or len(actions) != 2 or len(leave) != 1:
        raise DataError(
            f"{path}: costs that differ by row must be of two classes and two actions, one of which costs nothing in "
            f"both classes; got {len(classes)} classes and the actions {', '.join(actions)}. Write numbers only, or "
            "leave the report without --costs and use calibrant decide."
        )
    from calibrant.decisions import ExampleCosts

    negative = next(label for label in classes if label != positive)
    cost = rows[negative][:, 1 - leave[0]]
    return ExampleCosts(cost, cost - rows[positive][:, 1 - leave[0]], (actions[leave[0]], actions[1 - leave[0]]))


def _row_costs(costs: CostTable, table: PredictionTable, label: Any) -> NDArray[np.float64]:
    """Return the cost of each row and action if all rows were of a class."""
    import numpy as np

    code = costs.labels.index(find_class(str(label), costs.labels))
    return costs.of_classes(table.frame, np.full(len(table.frame), code))


def _check_classes(path: str, costs: CostTable, target: str, classes: Sequence[Any]) -> None:
    """Raise if a class has no costs, with the classes of the file and those of the target."""
    for label in classes:
        try:
            find_class(str(label), costs.labels)
        except DataError as error:
            raise DataError(
                f"{path} has costs of the classes {', '.join(costs.labels)}, and column {target!r} has the classes "
                f"{', '.join(map(str, classes))}. Name the classes alike."
            ) from error
