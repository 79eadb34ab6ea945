"""What was predicted for a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PredictedTable"]


@dataclass(frozen=True)
class PredictedTable:
    """The result of `predict_table`, in figures.

    Parameters
    ----------
    n_rows : int
        Number of rows that were predicted and written.
    columns : tuple of str
        The columns that were written.
    mean_probabilities : dict of class to float
        The mean predicted probability of each class.
    predictions : dict of class to int
        Number of rows predicted as each class; empty where they were left out.
    actions : dict of str to int
        Number of rows with each action, where costs were passed.
    expected_cost : float or None
        The sum of the expected costs of these actions.
    unused : tuple of str
        Columns of the table that the model does not have.
    notes : tuple of str
        What the reader of the predictions should know, such as categories that the model has not seen.
    is_streamed : bool
        False where the format of the table required reading all of it at once.

    Examples
    --------
    >>> PredictedTable(2, ("row", "probability_no", "probability_yes"), {"no": 0.25, "yes": 0.75})
    2 rows predicted; mean probability no 0.25, yes 0.75
    """

    n_rows: int
    columns: tuple[str, ...]
    mean_probabilities: Mapping[Any, float]
    predictions: Mapping[Any, int] = field(default_factory=dict)
    actions: Mapping[str, int] = field(default_factory=dict)
    expected_cost: float | None = None
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_streamed: bool = True

    def __repr__(self) -> str:
        means = ", ".join(f"{label} {mean:.4g}" for label, mean in self.mean_probabilities.items())
        lines = [f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'} predicted; mean probability {means}"]
        lines += [f"predicted as {_counts(self.predictions)}"] if self.predictions else []
        if self.expected_cost is not None:
            lines.append(f"actions {_counts(self.actions)}; expected cost {self.expected_cost:,.6g}")
        return "\n".join([*lines, *self.notes])


def _counts(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())
