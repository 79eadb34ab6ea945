"""The results of a study from columns of trials, as a store returns them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.studies._results.arrays import arrange
from calibrant.studies._results.dataset_plan import DatasetPlan
from calibrant.studies._results.study_results import StudyResults

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_results"]


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
        whatever else was recorded; float arrays of the metrics by ``("test", "mse")``. The part ``"counted"`` holds
        the rows that a proportion or an area counts (`Scorer.n_counted`), which intervals take.
    datasets, methods, metrics : sequences of str
        Those of the study, in order; trials of others are left out.
    plans : dict of data set to DatasetPlan
        The splits of each data set.
    lacking, candidates, own_metrics, keyed_metrics, read_predictions
        As in `StudyResults`; `lacking` by (part, metric), an entry for each trial.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> from calibrant.studies._results.dataset_plan import read_dataset_plan
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
    """Return what was chosen in each split of the data sets whose plan is nested."""
    nested = {name: [""] * plans[name].n_splits for name in datasets if plans[name].is_nested}
    if nested and "choice" in columns:
        for dataset, split, choice in zip(columns["dataset"], columns["split"], columns["choice"], strict=True):
            if dataset in nested and split >= 0:
                nested[dataset][int(split)] = choice
    return {name: tuple(each) for name, each in nested.items()}
