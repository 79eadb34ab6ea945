"""The ranking of the methods on the splits that all of them finished."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import StudyError
from calibrant.studies._results.arrays import DONE, FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.studies._results.study_results import StudyResults
    from calibrant.studies._table_comparison.against_best import Standing

__all__ = ["RankedMethod", "finished_part", "rank_methods"]


@dataclass(frozen=True)
class RankedMethod:
    """A method in the ranking of a table.

    Parameters
    ----------
    method : str
        Its name.
    value : float
        The mean of the metric over the splits.
    low, high : float
        Its interval; NaN where none holds.
    others : dict of metric to float
        The means of the other metrics.
    seconds : float
        Seconds that a fit and the predictions take, on average, what other methods share included.
    standing : {"best", "as good", "worse", ""}
        Whether it is the best one, as good as far as the rows show, or shown to be worse; empty where no test holds.
    earned : float
        With costs, what its decisions earn for each row; else NaN.
    same : str
        The name of its calibrated version, where that has the same probabilities: the guard kept the scores in every
        split.

    Examples
    --------
    >>> RankedMethod("tree", 0.31, 0.29, 0.33).standing
    ''
    """

    method: str
    value: float
    low: float = math.nan
    high: float = math.nan
    others: Mapping[str, float] = field(default_factory=dict)
    seconds: float = math.nan
    standing: Standing = ""
    earned: float = math.nan
    same: str = ""


def finished_part(results: StudyResults) -> tuple[StudyResults, dict[str, str]]:
    """Return the results of the methods and splits that are finished, and why other methods are left out.

    Time may be up, or a method may fail, in the middle of a round of splits: means are comparable over the splits that
    all methods finished.
    """
    states = results.states[results.datasets[0]]
    left_out = {}
    for method, row in zip(results.methods, states, strict=True):
        if (row == FAILED).any():
            left_out[method] = f"failed: {_failure(results, method)}"
        elif not (row == DONE).any():
            left_out[method] = "not finished in time"
    kept = [method for method in results.methods if method not in left_out]
    if not kept:
        reasons = "; ".join(f"{method} {reason}" for method, reason in left_out.items())
        raise StudyError(f"no method has finished a split: {reasons}.")
    rows = [results.methods.index(method) for method in kept]
    splits = _shared_splits(states[rows])
    late = [method for method, row in zip(kept, states[rows], strict=True) if not (row[splits] == DONE).all()]
    left_out |= dict.fromkeys(late, "not finished in time")
    return results.select(methods=[name for name in kept if name not in late], splits=splits), left_out


def _shared_splits(states: NDArray[np.int8]) -> list[int]:
    """Return the splits that all methods finished; the first one where there is none."""
    shared: list[int] = np.flatnonzero((states == DONE).all(axis=0)).tolist()
    return shared or [int((states == DONE).sum(axis=0).argmax())]


def _failure(results: StudyResults, method: str) -> str:
    frame = results.to_frame()
    found = frame.loc[(frame["method"] == method) & (frame["state"] == "failed"), "failure"]
    return str(found.iloc[0])


def rank_methods(
    results: StudyResults,
    metric: str,
    standings: Mapping[str, Standing],
    earned: Mapping[str, float],
    same: Mapping[str, str],
) -> tuple[RankedMethod, ...]:
    """Return the methods, the best mean first; ties in the order of the study.

    `same` has the name of the calibrated version of methods that have the same probabilities.
    """
    table = results.table(metric, interval=True).iloc[0]
    others = {name: results.table(name).iloc[0] for name in results.metrics if name != metric}
    seconds = _seconds(results)
    found = [
        RankedMethod(
            method,
            float(table[method, "mean"]),
            float(table[method, "low"]),
            float(table[method, "high"]),
            {name: float(means[method]) for name, means in others.items()},
            seconds[method],
            standings.get(method, ""),
            earned.get(method, math.nan),
            same.get(method, ""),
        )
        for method in results.methods
    ]
    losses = results.facts(metric).losses(np.array([each.value for each in found]))
    order = np.argsort(losses, kind="stable")
    return tuple(found[i] for i in order.tolist())


def _seconds(results: StudyResults) -> dict[str, float]:
    frame: Any = results.to_frame()
    total = frame[["fit_seconds", "predict_seconds", "shared_seconds"]].sum(axis=1)
    means = total.groupby(frame["method"]).mean()
    return {str(method): float(value) for method, value in means.items()}
