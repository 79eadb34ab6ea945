"""The command ``calibrant decide``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant._repr import number_text
from calibrant.cli._app.errors import named_arguments
from calibrant.cli._app.files import STDOUT, check_output, read_all_columns, write_frame
from calibrant.cli._app.options import Json, Positive, Predictions, Proba, complete_columns, reads_table, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text
from calibrant.cli._predictions.columns import ModelColumns, find_class, find_models, note_of_class
from calibrant.cli._predictions.costs import CostTable, read_costs
from calibrant.exceptions import DataError, SchemaError, nearest

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_COSTS = "A CSV file: actions in the first row, a class and the cost of each action in the others."
_TARGET = "The column of the actual classes, if known: the actual costs are printed, too."
_OUT = "Where the rows go with their action and expected cost: CSV, .xlsx, Parquet or Feather; - is standard output."


@reads_table
def decide(
    predictions: Predictions,
    costs: Annotated[str, typer.Option(metavar="FILE", help=_COSTS)],
    proba: Proba = None,
    positive: Positive = None,
    target: Annotated[str | None, typer.Option(metavar="COL", help=_TARGET, autocompletion=complete_columns)] = None,
    benefits: Annotated[bool, typer.Option("--benefits", help="The file has benefits instead of costs.")] = False,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=_OUT)] = None,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Choose the action of least expected cost for each row, from probabilities and costs.

    $ calibrant decide pred.csv --proba p --costs costs.csv --out decided.csv
    $ calibrant decide pred.csv --proba p --costs costs.csv --target y

    A file of costs has a row for each class and a column for each action; a negative cost is a gain:

    $ cat costs.csv
    actual,leave,write
    no,0,0.68
    yes,0,0.68-amount

    A cell is a number, a column of PRED, or both: here a letter costs 0.68 and brings the amount of the row.
    """
    if out == STDOUT and as_json:
        raise usage_error("both go to standard output; write the rows to a file.", "--json", "--out -")
    if out is not None:
        check_output(out)

    frame = read_all_columns(predictions, **reading).X
    decisions = decide_rows(frame, predictions, costs, proba or [], positive, target, benefits=benefits)
    if out is not None:
        write_frame(decisions.rows, out)
    if as_json:
        print_json({"file": predictions, "costs": costs, "out": out, **decisions.document()})
    elif out != STDOUT:
        decisions.print()
        print_note(f"The actions are in {out}." if out else "Pass --out to write the action of each row.")


_ADDED = ("action", "expected_cost")


@dataclass(frozen=True, eq=False)
class Decisions:
    """The rows with their actions, and the cost of each action for each row, expected and, if known, actual."""

    rows: pd.DataFrame
    actions: tuple[str, ...]
    chosen: NDArray[np.intp]
    expected: NDArray[np.float64]
    actual: NDArray[np.float64] | None

    def document(self) -> dict[str, Any]:
        """Return the totals for JSON."""
        n_rows = len(self.chosen)
        return {
            "rows": n_rows,
            "actions": {name: int((self.chosen == at).sum()) for at, name in enumerate(self.actions)},
            "expected_cost": self._totals(self.expected),
            "actual_cost": None if self.actual is None else self._totals(self.actual),
        }

    def print(self) -> None:
        """Print the totals: rows and costs by action, and the same action for every row."""
        found = self.document()
        known = [("expected", found["expected_cost"])]
        known += [("actual", found["actual_cost"])] if found["actual_cost"] is not None else []
        columns = ["decision", "rows", *(f"{kind} cost" for kind, _ in known), *(f"{kind} a row" for kind, _ in known)]
        n_rows = max(found["rows"], 1)

        def line(name: str, rows: int, costs: list[float]) -> list[str]:
            return [
                name,
                f"{rows:,}",
                *(f"{cost:,.2f}" for cost in costs),
                *(number_text(cost / n_rows) for cost in costs),
            ]

        rows = [line("the best for each row", found["rows"], [totals["chosen"] for _, totals in known])]
        rows += [
            line(f"{name!r} for every row", found["rows"], [totals["same_for_all"][name] for _, totals in known])
            for name in self.actions
        ]
        print_text(", ".join(f"{name}: {count:,} rows" for name, count in found["actions"].items()))
        print_text()
        print_table(columns, rows, left=["decision"])

    def _totals(self, costs: NDArray[np.float64]) -> dict[str, Any]:
        import numpy as np

        chosen = costs[np.arange(len(costs)), self.chosen]
        same = {name: float(costs[:, at].sum()) for at, name in enumerate(self.actions)}
        return {"chosen": float(chosen.sum()), "same_for_all": same}


def decide_rows(
    frame: pd.DataFrame,
    path: str,
    costs: str,
    proba: list[str],
    positive: str | None,
    target: str | None,
    *,
    benefits: bool = False,
) -> Decisions:
    """Read the costs of predictions, and choose the action of least expected cost for each row."""
    names = [str(name) for name in frame]
    table = read_costs(costs, names, benefits=benefits)
    model = _one_model(proba, names, table, positive, costs)
    if positive is None and (note := note_of_class(model, sorted(table.labels))):
        print_note(f"Note: {note[0].lower()}{note[1:]}")
    with named_arguments({"proba": f"column {', '.join(map(repr, model.columns))}"}):
        expected = table.expected(frame, _probabilities(frame, table, model))
    chosen = expected.argmin(axis=1)
    actions = tuple(map(str, table.matrix.actions or ()))
    values = {"action": [actions[at] for at in chosen], "expected_cost": expected.min(axis=1)}
    if replaced := [name for name in _ADDED if name in names]:
        print_note(f"Note: the columns {', '.join(replaced)} of {path} are replaced.")
    rows = frame.drop(columns=replaced).assign(**values)
    actual = None if target is None else table.of_classes(frame, _actual(frame, target, table, costs))
    return Decisions(rows, actions, chosen, expected, actual)


def _one_model(proba: list[str], names: list[str], table: CostTable, positive: str | None, path: str) -> ModelColumns:
    is_one = len(proba) == 1 and not proba[0].endswith("*")
    models = [] if is_one and len(table.labels) > 2 else find_models(proba, names, sorted(table.labels), positive)
    if len(models) != 1:
        raise DataError(
            f"{path} has the classes {', '.join(table.labels)}, and --proba names {', '.join(proba)}. Pass CLASS=COL "
            "for each class of the costs, or 'PREFIX*'."
        )
    return models[0]


def _probabilities(frame: pd.DataFrame, table: CostTable, model: ModelColumns) -> NDArray[np.float64]:
    """Return the probabilities in the order of the classes of the costs."""
    import numpy as np

    for column in model.columns:
        if frame[column].dtype.kind not in "fiub":
            raise DataError(f"column {column!r} must hold probabilities.")
    if len(model.columns) == 1:
        if len(table.labels) != 2:
            raise DataError(f"{model.columns[0]!r} is the only column, and the costs have {len(table.labels)} classes.")
        values = frame[model.columns[0]].to_numpy(float)
        first = table.labels[0] == model.positive
        return np.column_stack([values, 1.0 - values] if first else [1.0 - values, values])
    by_class = dict(zip(model.classes, model.columns, strict=True))
    return frame[[by_class[label] for label in table.labels]].to_numpy(float)


def _actual(frame: pd.DataFrame, target: str, table: CostTable, path: str) -> Any:
    import numpy as np

    if target not in frame:
        raise SchemaError(f"there is no column {target!r}.{nearest(target, map(str, frame))}")
    y = frame[target]
    if y.isna().any():
        raise DataError(f"column {target!r} has {int(y.isna().sum()):,} missing values; leave out those rows.")
    codes = {}
    for label in y.unique().tolist():
        try:
            codes[label] = table.labels.index(find_class(str(label), table.labels))
        except DataError as error:
            raise DataError(f"column {target!r} has the class {label!r}, for which {path} has no costs.") from error
    return np.array([codes[label] for label in y])
