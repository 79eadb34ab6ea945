"""A paper's task applied to a data set: rows, then columns, then classes."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._datasets.roles import match_label
from calibrant.data._tables.table import Table
from calibrant.exceptions import DataError, SchemaError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from calibrant.data._datasets.tasks import Task

__all__ = ["apply_task"]

_HINT = "set CALIBRANT_DATA to a folder that has the file that the task was made for."


def apply_task(task: Task, table: Table, name: str) -> Table:
    """Return the table of a task, made from the table of its source.

    Examples
    --------
    >>> from calibrant.data import load
    >>> from calibrant.data._datasets.tasks import TASKS
    >>> apply_task(TASKS["nielsen.wine"], load("wine"), "nielsen.wine").class_counts
    {'1': 59, '2': 71}
    """
    table = _select_columns(_select_rows(table, task), task)
    y = _regroup(_classes(table), task)
    positive = match_label(y, task.positive or table.positive)
    notes = (*table.notes, *task.differences.values(), *filter(None, [task.note]))
    return replace(table, y=y, name=name, positive=positive, notes=notes)


def _select_rows(table: Table, task: Task) -> Table:
    table = _official_part(table, task.part) if task.part else table
    y = _classes(table)
    _check_labels(table, {*task.classes, *task.without, *chain(*task.groups.values())})
    keep = ~y.isin(task.without) & (y.isin(task.classes) if task.classes else True)
    return table.take(np.asarray(keep, dtype=bool))


def _official_part(table: Table, part: str) -> Table:
    if table.split is None:
        raise DataError(f"{table.name} has no official split in this copy; {_HINT}")
    return replace(table.part(part), split=None)


def _select_columns(table: Table, task: Task) -> Table:
    missing = [column for column in task.drop_columns if column not in table.X]
    if missing:
        raise SchemaError(f"{table.name} has no column {missing[0]!r}.{nearest(missing[0], table.X)}")
    table = _keep_columns(table, [column for column in table.kinds if column not in task.drop_columns])
    if task.complete_rows:
        table = table.take(np.asarray(table.X.notna().all(axis=1)))
    if task.drop_constant:
        table = _keep_columns(table, [name for name in table.kinds if table.X[name].nunique(dropna=False) > 1])
    return _with_indicators(table) if task.indicators else table


def _keep_columns(table: Table, columns: list[str]) -> Table:
    return replace(table, X=table.X[columns], kinds={column: table.kinds[column] for column in columns})


def _with_indicators(table: Table) -> Table:
    """Replace each nominal column by a 0/1 column for each of its categories that occurs; missing values have none."""
    import pandas as pd

    columns: dict[str, pd.Series[Any]] = {}
    for column, kind in table.kinds.items():
        values = table.X[column]
        if kind == "numeric":
            columns[column] = values
            continue
        present = values.astype("category").cat.remove_unused_categories().cat.categories
        columns |= {f"{column}={category}": (values == category).astype("int8") for category in present}
    return replace(table, X=pd.DataFrame(columns), kinds=dict.fromkeys(columns, "numeric"))


def _regroup(y: pd.Series[Any], task: Task) -> pd.Series[Any]:
    if not task.groups:
        return y.cat.remove_unused_categories() if hasattr(y, "cat") else y
    import pandas as pd

    rest = next((name for name, members in task.groups.items() if not members), None)
    group = {label: name for name, members in task.groups.items() for label in members}
    named = [group.get(label, rest) for label in y]
    return pd.Series(pd.Categorical(named, categories=list(task.groups)), index=y.index, name=y.name)


def _check_labels(table: Table, labels: Iterable[str]) -> None:
    known = list(table.class_counts)
    for label in sorted(labels):
        if label not in known:
            raise DataError(f"{table.name} has no class {label!r} in this copy, but {known}; {_HINT}")


def _classes(table: Table) -> pd.Series[Any]:
    if table.y is None:
        raise DataError(f"{table.name} has no class column.")
    return table.y
