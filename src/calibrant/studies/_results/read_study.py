"""The results of a study read from its store, arranged by data set, method and split."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.exceptions import ParameterError
from calibrant.resampling._internal import splitters
from calibrant.studies._results.study_results import StudyResults
from calibrant.studies._results.study_values import DONE, FAILED, MISSING, DatasetPlan, Key, choose_name
from calibrant.studies._trials.records import Part
from calibrant.studies._trials.stored_document import StoredStudy

if TYPE_CHECKING:
    from calibrant.studies._store.columns import TrialColumns
    from calibrant.studies._store.store import Store


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
    >>> from calibrant.studies._results.study_values import read_dataset_plan
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
    is_planned = (one >= 0) & (other >= 0) & (split >= splitters.ALL_ROWS)
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


def read_results(
    name: str,
    columns: Mapping[Any, Any],
    *,
    datasets: Sequence[str],
    methods: Sequence[str],
    metrics: Sequence[str],
    plans: Mapping[str, DatasetPlan],
    lacking: Mapping[tuple[str, str], NDArray[np.bool_]] | None = None,
    candidates: Sequence[str] = (),
    own_metrics: Collection[str] = (),
    keyed_metrics: Collection[str] = (),
    read_predictions: Callable[[str, str], Sequence[tuple[int, bytes]]] | None = None,
) -> StudyResults:
    """Return the results of trials that are passed as columns, an entry for each trial.

    Parameters
    ----------
    name : str
        The name of the study.
    columns : dict of str, or of (part, metric), to sequence
        ``"dataset"`` and ``"method"`` (names), ``"split"``, ``"state"`` ("done" or "failed") and, for `to_frame`,
        whatever else was recorded; float arrays of the metrics by ``("test", "mse")``.
    datasets, methods, metrics : sequences of str
        Those of the study, in order; trials of others are left out.
    plans : dict of data set to DatasetPlan
        The splits of each data set.
    lacking, candidates, own_metrics, keyed_metrics, read_predictions
        As in `StudyResults`; `lacking` by (part, metric), an entry for each trial.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> from calibrant.studies._results.study_values import read_dataset_plan
    >>> plans = {"iris": read_dataset_plan(CrossValidation(2), ["1", "2"], [75, 75], [75, 75])}
    >>> columns = {"dataset": ["iris", "iris"], "method": ["tree", "tree"], "split": [0, 1],
    ...            "state": ["done", "failed"], ("test", "mse"): np.array([0.1, np.nan])}
    >>> read_results("trees", columns, datasets=["iris"], methods=["tree"], metrics=["mse"], plans=plans)
    Study 'trees': 1 data set x 1 method, 1 trials of 2 done, 1 failed
    """
    by_trial = {key: column for key, column in columns.items() if isinstance(key, tuple)}
    found = arrange(
        columns["dataset"],
        columns["method"],
        np.asarray(columns["split"], dtype=np.intp),
        np.asarray(columns["state"]) == "failed",
        by_trial,
        lacking=lacking,
        datasets=datasets,
        methods=methods,
        plans=plans,
    )
    is_kept = found.cells >= 0
    kept = {key: column if is_kept.all() else _kept(column, is_kept) for key, column in columns.items()}
    return StudyResults(
        *(name, tuple(datasets), tuple(methods), tuple(metrics), dict(plans), found.values, found.states),
        all_rows=found.all_rows,
        all_rows_states=found.all_rows_states,
        lacking=found.lacking,
        choices=_choices(kept, datasets, plans),
        candidates=tuple(candidates),
        own_metrics=frozenset(own_metrics),
        keyed_metrics=frozenset(keyed_metrics),
        columns=kept,
        read_predictions=read_predictions,
    )


def _kept(column: Any, is_kept: NDArray[np.bool_]) -> Any:
    if isinstance(column, np.ndarray):
        return column[is_kept]
    return [entry for entry, which in zip(column, is_kept.tolist(), strict=True) if which]


def _choices(
    columns: Mapping[Any, Any], datasets: Sequence[str], plans: Mapping[str, DatasetPlan]
) -> dict[str, tuple[str, ...]]:
    """Return the method chosen in each split of the data sets whose plan is nested."""
    nested = {name: [""] * plans[name].n_splits for name in datasets if plans[name].is_nested}
    if nested and "choice" in columns:
        for dataset, split, choice in zip(columns["dataset"], columns["split"], columns["choice"], strict=True):
            if dataset in nested and split >= 0:
                nested[dataset][int(split)] = choice
    return {name: tuple(each) for name, each in nested.items()}


_TRIAL_COLUMNS = (
    *("key", "dataset", "method", "split", "split_name", "state", "seed", "n_train", "n_test", "fit_seconds"),
    *("predict_seconds", "shared_seconds", "n_sharing", "choice", "versions", "fingerprint", "error", "recorded"),
)


def read_study_results(
    store: Store,
    stored: StoredStudy,
    metrics: Sequence[str] | None = None,
    read_predictions: Callable[[str, str], Sequence[tuple[int, bytes]]] | None = None,
) -> StudyResults:
    """Return the results of the trials that count: those of the definition in the store.

    Parameters
    ----------
    store : Store
        The store.
    stored : StoredStudy
        The study as the store keeps it.
    metrics : sequence of str, optional
        The metrics that are read; all of the study by default.
    read_predictions : function of data set and method, optional
        Returns the predictions that were kept; called when they are requested, after the store was closed.
    """
    wanted = _wanted(stored, metrics)
    found = store.trials(stored.name, metric=wanted, more_parts=stored.more_parts)
    counts = stored.counts(found.key)
    columns: dict[Any, Any] = {name: getattr(found, name)[counts] for name in _TRIAL_COLUMNS}
    for part, values in {"test": found.values, **found.more_values}.items():
        columns |= {(part, metric): values[metric][counts] for metric in wanted}
    return read_results(
        stored.name,
        columns,
        datasets=[each.dataset for each in stored.trials],
        methods=stored.methods,
        metrics=stored.metrics,
        plans={each.dataset: _plan(stored, each.dataset, columns) for each in stored.trials},
        lacking=_lacking(store, stored, wanted, found, counts),
        candidates=stored.candidates,
        own_metrics=stored.own_metrics,
        keyed_metrics=stored.keyed_metrics,
        read_predictions=read_predictions,
    )


def _wanted(stored: StoredStudy, metrics: Sequence[str] | None) -> list[str]:
    if isinstance(metrics, str):
        raise ParameterError(f"metrics must be a list of metrics; got {metrics!r}. Write [{metrics!r}].")
    for name in metrics or ():
        choose_name("metric", name, stored.metrics)
    return [name for name in stored.metrics if metrics is None or name in metrics]


def _plan(stored: StoredStudy, dataset: str, columns: Mapping[Any, Any]) -> DatasetPlan:
    """Return the plan of a data set with the numbers of rows of the splits that have run."""
    facts = stored.plan_facts(dataset)
    n_splits = len(facts["split_names"])
    is_own = (columns["dataset"] == dataset) & (columns["split"] >= 0) & (columns["n_train"] > 0)
    n_train, n_test = np.zeros(n_splits, dtype=np.intp), np.zeros(n_splits, dtype=np.intp)
    n_train[columns["split"][is_own]] = columns["n_train"][is_own]
    n_test[columns["split"][is_own]] = columns["n_test"][is_own]
    return DatasetPlan(**{**facts, "split_names": tuple(facts["split_names"])}, n_train=n_train, n_test=n_test)


def _lacking(
    store: Store, stored: StoredStudy, metrics: Sequence[str], found: TrialColumns, counts: NDArray[np.bool_]
) -> dict[tuple[str, str], NDArray[np.bool_]]:
    """Mark the trials that were recorded before a metric became part of the study."""
    lacking: dict[tuple[str, str], NDArray[np.bool_]] = {}
    for metric in metrics:
        is_undefined = np.isnan(found.values[metric]) & (found.state == "done")
        if is_undefined.any():  # undefined, or not recorded: only the store knows
            needed: dict[Part, list[str]] = {"test": [metric]}
            states = store.finished(stored.name, needed)
            is_lacking = is_undefined.copy()
            is_lacking[is_undefined] = [states.get(key) == "incomplete" for key in found.key[is_undefined]]
            lacking["test", metric] = is_lacking[counts]
    return lacking
