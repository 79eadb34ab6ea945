"""Trials in columns, as a store returns them, arranged by data set, method and split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.resampling._internal import ALL_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies._results.dataset_plan import DatasetPlan

__all__ = ["DONE", "FAILED", "MISSING", "STATES", "Arranged", "arrange"]


MISSING, DONE, FAILED = 0, 1, 2
STATES = ("missing", "done", "failed")

Key = tuple[str, str, str]  # data set, metric, part


@dataclass(frozen=True, eq=False)
class Arranged:
    """Values and states by data set: methods x splits, and of the fits to all rows."""

    values: Mapping[Key, NDArray[np.float64]]
    states: Mapping[str, NDArray[np.int8]]
    all_rows: Mapping[Key, NDArray[np.float64]]
    all_rows_states: Mapping[str, NDArray[np.int8]]
    lacking: Mapping[Key, NDArray[np.bool_]]
    cells: NDArray[np.intp]  # of each trial, its cell in one array of all data sets, methods and splits; -1: no such


def arrange(
    dataset: Sequence[str] | NDArray[Any],
    method: Sequence[str] | NDArray[Any],
    split: NDArray[np.intp],
    is_failed: NDArray[np.bool_],
    values: Mapping[tuple[str, str], NDArray[np.float64]],
    *,
    lacking: Mapping[tuple[str, str], NDArray[np.bool_]] | None = None,
    datasets: Sequence[str],
    methods: Sequence[str],
    plans: Mapping[str, DatasetPlan],
) -> Arranged:
    """Arrange trials without a loop over them; those of other data sets, methods or splits are left out.

    Parameters
    ----------
    dataset, method : sequences of str, or integer arrays of positions in `datasets` and `methods`
        Of each trial.
    split : array of int
        The number of the split; -1: all rows.
    is_failed : array of bool
        Whether the trial failed.
    values : dict of (part, metric) to array
        A value of each trial, NaN where there is none.
    lacking : dict of (part, metric) to array of bool, optional
        Whether a trial was recorded before the metric was part of the study; else NaN means that it is undefined.
    datasets, methods : sequences of str
        Their names in the study, in order.
    plans : dict of data set to DatasetPlan
        The splits of each.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> from calibrant.studies._results.dataset_plan import read_dataset_plan
    >>> plans = {"iris": read_dataset_plan(CrossValidation(2), ["1", "2"], [75, 75], [75, 75])}
    >>> found = arrange(["iris"] * 3, ["tree", "tree", "bayes"], np.array([0, 1, 0]), np.array([False, False, True]),
    ...                 {("test", "mse"): np.array([0.1, 0.2, np.nan])}, datasets=["iris"], methods=["bayes", "tree"],
    ...                 plans=plans)
    >>> found.values["iris", "mse", "test"].tolist(), found.states["iris"].tolist()
    ([[nan, nan], [0.1, 0.2]], [[2, 0], [1, 1]])
    """
    split = np.asarray(split, dtype=np.intp)
    sizes = np.array([plans[name].n_splits + 1 for name in datasets], dtype=np.intp)  # all rows first
    starts = np.concatenate([[0], np.cumsum(sizes * len(methods))])
    one, other = _positions(dataset, datasets), _positions(method, methods)
    is_planned = (one >= 0) & (other >= 0) & (split >= ALL_ROWS)
    is_planned &= split < np.where(one >= 0, sizes[one] if len(sizes) else 0, 0) - 1
    cells = np.where(is_planned, starts[one] + other * (sizes[one] if len(sizes) else 0) + split + 1, -1)
    planned = cells[is_planned]
    blocks = {name: slice(starts[i], starts[i + 1]) for i, name in enumerate(datasets)}

    def fill(start: float, dtype: Any, found: NDArray[Any]) -> dict[str, NDArray[Any]]:
        flat = np.full(starts[-1], start, dtype=dtype)
        flat[planned] = np.asarray(found)[is_planned]
        return {name: flat[block].reshape(len(methods), -1) for name, block in blocks.items()}

    state = fill(MISSING, np.int8, np.where(np.asarray(is_failed, dtype=bool), FAILED, DONE))
    filled = {key: fill(np.nan, np.float64, found) for key, found in values.items()}
    gaps = {key: fill(False, np.bool_, found) for key, found in (lacking or {}).items() if np.any(found)}
    lacks = {(name, metric, part): both[name] for (part, metric), both in gaps.items() for name in datasets}
    by_key = {(name, metric, part): both[name] for (part, metric), both in filled.items() for name in datasets}
    return Arranged(
        {key: np.ascontiguousarray(both[:, 1:]) for key, both in by_key.items()},
        {name: both[:, 1:] for name, both in state.items()},
        {key: both[:, 0] for key, both in by_key.items()},
        {name: both[:, 0] for name, both in state.items()},
        {key: both[:, 1:] for key, both in lacks.items()},
        cells,
    )


def _positions(found: Any, names: Sequence[str]) -> NDArray[np.intp]:
    """Return the position of each name, -1 for one that is not there; positions are returned as they are."""
    array = found if isinstance(found, np.ndarray) else np.array(found, dtype=object)
    if array.dtype.kind in "iu":
        return np.where((array >= 0) & (array < len(names)), array, -1).astype(np.intp)
    position = {name: i for i, name in enumerate(names)}
    distinct, inverse = _distinct(array)
    return np.array([position.get(str(name), -1) for name in distinct], dtype=np.intp)[inverse]


def _distinct(array: NDArray[Any]) -> tuple[Any, NDArray[np.intp]]:
    """Return the distinct values and the number of each: by a hash table where pandas is there."""
    if array.dtype.kind == "O":
        pandas = optional_import("pandas", extra="studies", purpose="query a study")
        codes, names = pandas.factorize(array)
        return names, codes
    names, codes = np.unique(array.astype(str), return_inverse=True)
    return names, codes
