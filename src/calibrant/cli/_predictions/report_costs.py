"""Costs of a file as reports take them: a cost matrix, or costs that differ by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calibrant.cli._predictions.cost_cells import CostTable, read_costs
from calibrant.cli._predictions.proba_columns import find_class
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.cli._predictions.prediction_table import PredictionTable
    from calibrant.decisions import CostMatrix, ExampleCosts

__all__ = ["costs_of_report"]


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
    rows = {label: _cells(costs, table, label) for label in classes}
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


def _cells(costs: CostTable, table: PredictionTable, label: Any) -> NDArray[np.float64]:
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
