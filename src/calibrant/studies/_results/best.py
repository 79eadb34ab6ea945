"""The choice of the best method of a study, and the correction of its score for having been chosen."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from calibrant._params import CONFIDENCE, check_param
from calibrant.comparison._internal import tied_ranks
from calibrant.exceptions import DataError, StudyError
from calibrant.metrics import METRICS, Interval
from calibrant.metrics._internal import Predictions, read_predictions
from calibrant.resampling._internal import NO_INTERVAL, ends_in_range
from calibrant.studies._results.best_method import BestMethod
from calibrant.studies._results.predictions import TestPredictions, predictions_from_parquet
from calibrant.studies._results.selection import select_by_rows, select_by_units
from calibrant.studies._results.tables import check_complete, mean_interval, study_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better
    from calibrant.studies._results.metric_facts import MetricFacts
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["best_method"]

_FOLDS = "Corrected by choosing on folds that are drawn with replacement and testing the choice on the others"
_ROWS = "Corrected by choosing on test rows that are drawn with replacement and testing the choice on the others"
_SETS = "Corrected by choosing on data sets that are drawn with replacement and testing the choice on the others"
_NESTED = "A method was chosen within the training rows of each split"


def best_method(
    study: StudyValues, metric: str, *, dataset: str | None, better: Better | None, confidence: float, partial: bool
) -> BestMethod:
    """Return the best method on one data set or over all of them; `StudyResults.best` describes it."""
    check_param("confidence", confidence, CONFIDENCE)
    facts, datasets = study.facts(metric, better), study.chosen_datasets(dataset)
    means = study_means(study, metric, datasets, partial=partial)
    check_complete(study, means, partial=partial)
    if any(study.plans[name].is_nested for name in datasets):
        return _nested(study, facts, datasets, means.values, confidence)
    losses = facts.losses(means.values)
    is_unknown = np.isnan(losses)
    is_known = np.asarray(~(is_unknown.any(axis=1) if len(datasets) > 1 else is_unknown.all(axis=1)))
    if not is_known.any():
        raise StudyError(f"best: {metric} has no value on any data set that all methods share.")
    facts.side  # noqa: B018 (raises where the direction is not known)
    if len(datasets) > 1:
        kept = tuple(name for name, known in zip(datasets, is_known.tolist(), strict=True) if known)
        return _over_datasets(study, facts, kept, means.values[is_known], confidence)
    return _on_dataset(study, facts, datasets[0], means.values[0], confidence)


def _on_dataset(
    study: StudyValues, facts: MetricFacts, dataset: str, means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean, corrected by folds or by rows."""
    best = int(np.nanargmin(facts.losses(means)))
    about = (study.methods[best], facts.name, facts.words, dataset, len(study.methods), float(means[best]))
    if len(study.methods) == 1:
        ends = mean_interval(study, facts.name, dataset, best, about[-1], confidence)
        return BestMethod(*about, about[-1], *ends, confidence, "nothing chosen", "There is one method")
    plan = study.plans[dataset]
    values = study.done_values(facts.name, dataset)
    if plan.has_disjoint_tests and plan.n_independent > 1:
        corrected, shares = _by_folds(facts, values, plan.n_independent)
        ends = mean_interval(study, facts.name, dataset, best, corrected, confidence)
        chosen = _counted(study.methods, shares)
        return BestMethod(*about, corrected, *ends, confidence, "folds", _FOLDS, chosen)
    kept = _kept(study, facts, dataset)
    if isinstance(kept, str):
        how = f"No correction is possible: {kept}. Take cross-validation or a nested plan, or keep the predictions"
        return BestMethod(*about, math.nan, confidence=confidence, correction="none", how=how)
    moved, shares = _by_rows(study, facts, dataset, kept, best)
    ends = mean_interval(study, facts.name, dataset, best, about[-1] + moved, confidence)
    return BestMethod(*about, about[-1] + moved, *ends, confidence, "rows", _ROWS, _counted(study.methods, shares))


def _by_folds(facts: MetricFacts, values: NDArray[np.float64], n_folds: int) -> tuple[float, NDArray[np.float64]]:
    """Return the corrected score and the shares of the choices: within each repeat, whose folds are disjoint."""
    repeats = [values[:, first : first + n_folds] for first in range(0, values.shape[1], n_folds)]
    found = [select_by_units(facts.losses(each), each, number) for number, each in enumerate(repeats)]
    return float(np.nanmean([each.score for each in found])), np.mean([each.shares for each in found], axis=0)


def _kept(study: StudyValues, facts: MetricFacts, dataset: str) -> list[list[TestPredictions]] | str:
    """Return the predictions of every method by split, or why the choice cannot be repeated on rows."""
    plan, metric = study.plans[dataset], facts.name
    splits = "there is one split" if plan.n_splits == 1 else "the test rows of the splits overlap"
    if study.read_predictions is None:
        return f"{splits}, and no predictions were kept"
    if metric in study.own_metrics or metric not in METRICS or METRICS[metric].needs:
        return f"{splits}, and {metric} cannot be computed from kept predictions alone"
    found = []
    for method in study.methods:
        parts = sorted(each for each in study.read_predictions(dataset, method) if each[0] >= 0)
        if not parts:
            return f"{splits}, and the predictions of {method} were not kept"
        found.append([predictions_from_parquet(data) for _, data in parts])
    return found


def _by_rows(
    study: StudyValues, facts: MetricFacts, dataset: str, kept: list[list[TestPredictions]], best: int
) -> tuple[float, NDArray[np.float64]]:
    """Return by how much the choice on some rows moves the score on others, and the shares of the choices."""
    weight = None if kept[0][0].weight is None else _joined(kept[0], "weight")
    options = {"labels": list(kept[0][0].classes), "pos_label": study.plans[dataset].pos_label, "sample_weight": weight}
    read = [read_predictions(_joined(parts, "y_true"), _joined(parts, "y_pred"), **options) for parts in kept]
    judge = METRICS[facts.name].judge

    def score(method: int, drawn: NDArray[np.float64]) -> float:
        try:
            return float(judge(_weighted(read[method], drawn)))
        except DataError:  # such as a single class among the rows
            return math.nan

    def loss(value: float) -> float:
        return float(facts.losses(np.array(value)))

    units = np.concatenate([part.row if part.group is None else part.group for part in kept[0]])
    found = select_by_rows(score, loss, len(kept), units)
    return found.score - score(best, np.ones(len(units))), found.shares


def _weighted(read: Predictions, drawn: NDArray[np.float64]) -> Predictions:
    """Return the predictions that were drawn, with their weights: ten times as fast as validating them each time."""
    counts = drawn[read.rows]
    kept = np.flatnonzero(counts)
    weights = counts[kept] if read.weights is None else counts[kept] * read.weights[kept]
    return replace(read, label=read.label[kept], table=read.table[kept], weights=weights, kept=read.rows[kept])


def _joined(parts: list[TestPredictions], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _over_datasets(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean rank, corrected by data sets that had no part in the choice."""
    ranks = np.stack([tied_ranks(row) for row in facts.losses(means)])
    best = int(ranks.mean(axis=0).argmin())
    about = (study.methods[best], facts.name, facts.words, None, len(study.methods), float(means[:, best].mean()))
    own_rank = float(ranks[:, best].mean())
    if len(datasets) == 1 or len(study.methods) == 1:
        how = "There is one method" if len(study.methods) == 1 else "No correction is possible: one data set has values"
        known = about[-1] if len(study.methods) == 1 else math.nan
        return BestMethod(*about, known, correction="nothing chosen" if known == known else "none", how=how)
    score, shares = select_by_units(ranks.T, means.T)
    rank = select_by_units(ranks.T, ranks.T).score
    ends = _dataset_interval(means[:, best] + (score - about[-1]), facts, confidence)
    return BestMethod(
        *(*about, score, *ends, confidence, "data sets", _SETS, _counted(study.methods, shares)),
        mean_rank=own_rank,
        corrected_mean_rank=rank,
        n_datasets=len(datasets),
    )


def _dataset_interval(values: NDArray[np.float64], facts: MetricFacts, confidence: float) -> Interval:
    """Return the interval of a mean over independent data sets: no rows are shared, so that nothing is corrected."""
    if not np.isfinite(values).all() or np.ptp(values) == 0.0:
        return NO_INTERVAL
    n = len(values)
    square = float(stdtrit(n - 1, 0.5 + 0.5 * confidence)) ** 2
    return ends_in_range(float(values.mean()), square, float(values.var(ddof=1)) / n, facts.low, facts.high, 1.0 / n)


def _nested(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the score of the choice within each split."""
    counts = Counter(choice for name in datasets for choice in study.choices.get(name, ()) if choice)
    total = sum(counts.values())
    chosen = {name: n / total for name, n in counts.most_common()}
    is_one = len(datasets) == 1
    values = means[:, 0]
    if is_one:
        ends = mean_interval(study, facts.name, datasets[0], 0, float(values[0]), confidence)
    else:
        ends = _dataset_interval(values, facts, confidence)
    return BestMethod(
        next(iter(chosen), ""),
        facts.name,
        facts.words,
        datasets[0] if is_one else None,
        len(study.candidates),
        apparent=math.nan,
        corrected=float(values.mean()),
        low=ends.low,
        high=ends.high,
        confidence=confidence,
        correction="nested",
        how=_NESTED,
        choices=chosen,
        n_datasets=len(datasets),
    )


def _counted(methods: tuple[str, ...], shares: NDArray[np.float64]) -> dict[str, float]:
    """Return the shares above 0 by method, the greatest first."""
    order = np.argsort(-shares, kind="stable")
    return {methods[i]: float(shares[i]) for i in order.tolist() if shares[i] > 0}
