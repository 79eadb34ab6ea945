"""The results of a study read from its store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.studies._results.dataset_plan import DatasetPlan
from calibrant.studies._results.metric_facts import choose_name
from calibrant.studies._results.read_results import read_results
from calibrant.studies._results.study_results import StudyResults
from calibrant.studies._trials.stored_document import StoredStudy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies._store.columns import TrialColumns
    from calibrant.studies._store.store import Store
    from calibrant.studies._trials.records import Part

__all__ = ["read_study_results"]

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
    found = store.trials(stored.name, metric=wanted, more_parts=stored.more_parts(wanted))
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
    """Return which trials were recorded before a metric became part of the study."""
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
