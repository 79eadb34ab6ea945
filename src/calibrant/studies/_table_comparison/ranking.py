"""The ranking of the methods by multiple comparisons with the best (Hsu 1981) on held-out rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtri

from calibrant.exceptions import StudyError
from calibrant.resampling._internal import RowDifference
from calibrant.studies._results.predictions import read_kept_rows
from calibrant.studies._results.study_comparison import PairDifference, StudyComparison
from calibrant.studies._results.study_values import DONE, FAILED
from calibrant.studies._table_comparison.table_study import BASELINE, CALIBRATED

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

Standing = Literal["best", "as good", "worse", ""]
_HOW = "Multiple comparisons with the best, step by step (Hsu 1981; Hansen et al. 2011), by the held-out rows"
_POWER = 0.84  # the normal quantile of 80 %: an advantage that is shown in 8 of 10 samples


@dataclass(frozen=True, eq=False)
class AgainstBest:
    """Every method against the best one.

    Parameters
    ----------
    comparison : StudyComparison
        The differences, with p-values of being the best that allow for all methods.
    standings : dict of method to {"best", "as good", "worse", ""}
        Empty where no test holds.
    differences : dict of method to RowDifference
        The mean of the best one less that of each, with its standard error; empty where no test holds.
    n_rows : int
        Number of different rows that all methods have held out.
    least_shown : float
        The advantage over the base rate that these rows would have shown in 8 of 10 samples, of the method in the
        middle by its standard error; NaN where no test holds.
    """

    comparison: StudyComparison
    standings: Mapping[str, Standing]
    differences: Mapping[str, RowDifference]
    n_rows: int
    least_shown: float = math.nan

    @property
    def has_too_few_rows(self) -> bool:
        """Whether no test holds because the rows are too few for any."""
        return not self.differences and self.comparison.reason.endswith("too few")


def finite_methods(results: StudyResults, metric: str) -> list[str]:
    """Return the methods with values, none of them infinite; all of them where there is none such."""
    values = results.split_values(metric, results.datasets[0])
    finite = [
        method
        for method, row in zip(results.methods, values, strict=True)
        if not np.isinf(row).any() and not np.isnan(row).all()
    ]
    return finite or list(results.methods)


def unchanged_by_calibration(results: StudyResults) -> dict[str, str]:
    """Return the calibrated methods whose held-out probabilities are those of the method that they calibrate.

    The guard of the automatic calibration kept the scores in every split.
    """
    found, dataset = {}, results.datasets[0]
    for method in results.methods:
        plain = method.removeprefix(CALIBRATED)
        if plain == method or plain not in results.methods:
            continue
        kept = read_kept_rows(results, dataset, [plain, method], [])
        if isinstance(kept, str):
            continue
        one, other = (kept.predictions(name) for name in (plain, method))
        if np.allclose(one, other, rtol=0.0, atol=1e-12):
            found[method] = plain
    return found


def compare_with_best(results: StudyResults, metric: str, best: str, confidence: float = 0.95) -> AgainstBest:
    """Compare the best method with all others, one-sided, with one error rate.

    The best one is chosen by the same values, so that a test against a reference fixed in advance does not hold. Here
    any of the methods that are truly the best is called worse at most at the error rate, whichever comes out best.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.30, 0.33], [0.10, 0.11]]}
    >>> results = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse")
    >>> compare_with_best(results, "mse", "forest").comparison.reason
    'the predictions were not kept'
    """
    (dataset,), facts = results.datasets, results.facts(metric)
    about = (metric, facts.words, results.methods, (dataset,), results.plans[dataset].words)
    kept = read_kept_rows(results, dataset, results.methods, [metric])
    if isinstance(kept, str):
        return AgainstBest(StudyComparison(*about, "", kept, confidence), {}, {}, 0)
    rows = kept.statistics
    why = next((rows.why_none(method, metric) for method in results.methods if rows.why_none(method, metric)), "")
    if why:
        return AgainstBest(StudyComparison(*about, "", why, confidence), {}, {}, rows.tested.n_rows)
    means = np.nanmean(results.done_values(metric, dataset), axis=1)
    of_best = rows.best_pvalues(results.methods, metric, facts.losses(means))
    pvalues = dict(zip(results.methods, of_best.tolist(), strict=True))
    mean = dict(zip(results.methods, means.tolist(), strict=True))
    pairs, standings, differences = [], dict[str, Standing](), {}
    for method in results.methods:
        gap = rows.difference(best, method, metric, mean[best] - mean[method], 2.0 * confidence - 1.0)
        is_worse = method != best and pvalues[method] <= 1.0 - confidence
        standings[method] = "best" if method == best else "worse" if is_worse else "as good"
        differences[method] = gap
        if method != best:
            figures = (gap.difference, gap.low, gap.high, gap.pvalue / 2.0, float(pvalues[method]))
            pairs.append(PairDifference(best, method, *figures, better=best if is_worse else "", result=gap))
    comparison = StudyComparison(*(*about, "paired_rows", "", confidence, tuple(pairs)), how=_HOW)
    against_base = [
        rows.difference(method, BASELINE, metric, mean[method] - mean[BASELINE], confidence).error
        for method in results.methods
        if BASELINE in mean and method != BASELINE
    ]
    # Bonferroni's critical value for all pairs is hardly above that of the largest of them
    n_pairs = len(mean) * (len(mean) - 1) / 2
    critical = -float(ndtri((1.0 - confidence) / 2.0 / n_pairs))
    error = float(np.median(against_base)) if against_base else 0.0
    shown = (critical + _POWER) * error if error > 0.0 else math.nan
    return AgainstBest(comparison, standings, differences, rows.tested.n_rows, shown)


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
    finished = states[rows] == DONE
    # Splits that all methods finished; the one that most finished where there is none
    splits = np.flatnonzero(finished.all(axis=0)).tolist() or [int(finished.sum(axis=0).argmax())]
    late = [method for method, row in zip(kept, states[rows], strict=True) if not (row[splits] == DONE).all()]
    left_out |= dict.fromkeys(late, "not finished in time")
    return results.select(methods=[name for name in kept if name not in late], splits=splits), left_out


def _failure(results: StudyResults, method: str) -> str:
    frame = results.to_frame()
    found = frame.loc[(frame["method"] == method) & (frame["state"] == "failed"), "failure"]
    return re.sub(r"^calibrant\.exceptions\.\w+: ", "", str(found.iloc[0])).rstrip(".")


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
    means = total.groupby(frame["method"], observed=True).mean()
    return {str(method): float(value) for method, value in means.items()}
