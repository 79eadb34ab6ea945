"""Part of a study's results: some methods, some data sets, some splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError, StudyError
from calibrant.resampling._internal import ALL_ROWS
from calibrant.studies._results.metric_facts import choose_name

if TYPE_CHECKING:
    from calibrant.studies._results.dataset_plan import DatasetPlan
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["select_results", "select_splits"]

K = TypeVar("K")


def select_results(
    results: StudyResults, methods: Sequence[str] | None, datasets: Sequence[str] | None
) -> StudyResults:
    """Return the results of some methods on some data sets, in the order in which they are named."""
    if methods is not None and results.candidates:
        raise StudyError("select: a nested plan chose among all methods; the results are of the choice alone.")
    rows = _positions("methods", methods, results.methods)
    names = [results.datasets[i] for i in _positions("datasets", datasets, results.datasets)]
    kept = [results.methods[i] for i in rows]
    return replace(
        results,
        datasets=tuple(names),
        methods=tuple(kept),
        plans={name: results.plans[name] for name in names},
        values=_of_pairs(results.values, names, rows),
        states={name: results.states[name][rows] for name in names},
        all_rows=_of_pairs(results.all_rows, names, rows),
        all_rows_states={name: each[rows] for name, each in results.all_rows_states.items() if name in names},
        lacking=_of_pairs(results.lacking, names, rows),
        choices={name: each for name, each in results.choices.items() if name in names},
        columns=_columns(results.columns, names, kept),
    )


def select_splits(results: StudyResults, splits: Sequence[int]) -> StudyResults:
    """Return the results of some splits, by their numbers."""
    chosen = _read_splits(results, splits)
    columns, first = results.columns, next(iter(results.plans.values()))
    numbers = {ALL_ROWS, *(first.split_numbers[i] for i in chosen)}
    if "split" in columns:
        which = np.flatnonzero(np.isin(np.asarray(columns["split"]), list(numbers)))
        columns = {name: _taken(column, which) for name, column in columns.items()}
    return replace(
        results,
        plans={name: _part_of_plan(plan, chosen) for name, plan in results.plans.items()},
        values={key: each[:, chosen] for key, each in results.values.items()},
        states={name: each[:, chosen] for name, each in results.states.items()},
        lacking={key: each[:, chosen] for key, each in results.lacking.items()},
        choices={name: tuple(each[i] for i in chosen) for name, each in results.choices.items()},
        columns=columns,
        read_predictions=_of_splits(results.read_predictions, numbers),
    )


def _read_splits(results: StudyResults, splits: Sequence[int]) -> list[int]:
    n_splits = min(plan.n_splits for plan in results.plans.values())
    chosen = [int(each) for each in splits]
    if not chosen or len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= n_splits:
        raise ParameterError(
            f"splits must be different numbers from 0 to {n_splits - 1}, and not empty; got {short_repr(splits)}."
        )
    return chosen


def _part_of_plan(plan: DatasetPlan, chosen: list[int]) -> DatasetPlan:
    """Return the plan of some of its splits."""
    is_whole = len(chosen) == plan.n_splits
    return replace(
        plan,
        words=plan.words if is_whole else f"{plan.words}, {len(chosen)} of {plan.n_splits} splits",
        split_names=tuple(plan.split_names[i] for i in chosen),
        numbers=tuple(plan.split_numbers[i] for i in chosen),
        n_train=plan.n_train[chosen],
        n_test=plan.n_test[chosen],
        n_independent=min(plan.n_independent, len(chosen)),
        interval_kind="none" if len(chosen) == 1 and plan.bootstrap is not None else plan.interval_kind,
    )


def _of_splits(read: Callable[[str, str], Any] | None, chosen: set[int]) -> Callable[[str, str], Any] | None:
    """Return a function that reads the predictions of some splits only."""
    if read is None:
        return None
    return lambda dataset, method: [part for part in read(dataset, method) if part[0] in chosen]


def _positions(what: str, chosen: Sequence[str] | None, names: Sequence[str]) -> list[int]:
    if chosen is None:
        return list(range(len(names)))
    if isinstance(chosen, str) or not isinstance(chosen, Sequence) or not len(chosen):
        raise ParameterError(f"{what} must be a list of names, and not empty; got {short_repr(chosen)}.")
    found = [choose_name(what, name, names) for name in chosen]
    if len(set(found)) < len(found):
        raise ParameterError(f"{what} must be different names; got {short_repr(chosen)}.")
    return found


def _of_pairs(arrays: Mapping[K, Any], names: Sequence[str], rows: Sequence[int]) -> dict[K, Any]:
    """Return the rows of some methods of the arrays of some data sets, which keys begin with."""
    return {key: each[rows] for key, each in arrays.items() if key[0] in names}  # type: ignore[index]


def _columns(columns: Mapping[Any, Any], names: Sequence[str], methods: Sequence[str]) -> dict[Any, Any]:
    """Return the columns of the trials that are kept."""
    if "dataset" not in columns:
        return dict(columns)
    pairs = zip(columns["dataset"], columns["method"], strict=True)
    which = np.flatnonzero([dataset in names and method in methods for dataset, method in pairs])
    return {name: _taken(column, which) for name, column in columns.items()}


def _taken(column: Any, which: Any) -> Any:
    return column[which] if isinstance(column, np.ndarray) else [column[i] for i in which]
