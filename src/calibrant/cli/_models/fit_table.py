"""Fitting a method to a table in a file, with the score to expect."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from calibrant.cli._models.expected_score import expected_score
from calibrant.exceptions import DataError, nearest
from calibrant.studies._internal import ComparedTable

if TYPE_CHECKING:
    from calibrant.data import Table
    from calibrant.files import ExpectedScore

__all__ = ["FittedTable", "fit_table"]

_FOLDS = 5  # at most as many as the rarest class has rows


@dataclass(frozen=True, eq=False)
class FittedTable:
    """A model, what it was fitted to, and the score to expect of it."""

    model: Any
    compared: ComparedTable
    weight: str | None
    expected: ExpectedScore | None
    how: str
    notes: tuple[str, ...]

    @property
    def table(self) -> Table:
        """The rows that the model was fitted to."""
        return self.compared.table


def fit_table(
    source: Any,
    method: Any,
    *,
    target: str | None,
    positive: str | None,
    nominal: list[str] | None,
    weight: str | None,
    groups: str | None,
    seed: int,
    estimate: bool,
) -> FittedTable:
    """Fit an estimator to a table: a path, the name of a data set, or a `Table`."""
    compared = ComparedTable.read(source, target=target, positive=positive, groups=groups, nominal=nominal)
    table = compared.table if weight is None else _with_weight(compared.table, weight)
    rows = {"sample_weight": table.sample_weight, "groups": compared.groups}
    passed = {name: each for name, each in rows.items() if each is not None and has_fit_parameter(method, name)}
    notes = _not_passed({name for name, each in rows.items() if each is not None} - set(passed), estimate=estimate)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = method.fit(table.X, table.y, **passed)
    notes += list(dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, UserWarning)))
    n_folds = min(_FOLDS, compared.n_rarest) if estimate else 0
    score, how = expected_score(
        model, table.X, table.y, weight=table.sample_weight, groups=compared.groups, seed=seed, n_folds=n_folds
    )
    return FittedTable(model, replace(compared, table=table), weight, score, how, tuple(notes))


def _with_weight(table: Table, weight: str) -> Table:
    """Return the table with a column as weights instead of a feature."""
    for frame in (table.X, table.extra):
        if frame is not None and weight in frame:
            if frame[weight].dtype.kind not in "iuf":
                raise DataError(f"weight: the column {weight!r} holds text; weights are numbers of at least 0.")
            if frame is table.X and table.n_features == 1:
                raise DataError(f"weight: {weight!r} is the only column; there is nothing to predict from.")
            X = table.X.drop(columns=[weight]) if frame is table.X else table.X
            values = frame[weight].to_numpy(dtype=np.float64)
            return replace(table, X=X, kinds={str(name): table.kinds[str(name)] for name in X}, sample_weight=values)
    raise DataError(f"weight: there is no column {weight!r}.{nearest(weight, list(table.X))}")


def _not_passed(names: set[str], *, estimate: bool) -> list[str]:
    use = "they count in the estimate only" if estimate else "they are not used"
    words = {"sample_weight": "weights", "groups": "groups"}
    return [f"The method takes no {words[name]}; {use}." for name in sorted(names)]
