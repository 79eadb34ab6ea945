"""Part of a study's results: some methods, some data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError, StudyError
from calibrant.studies._results.metric_facts import choose_name

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["select_results"]

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
