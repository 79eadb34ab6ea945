"""Intervals of the differences of two models on the same rows: by a formula where one holds, else by replicates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._intervals.bootstrap_intervals import bca_interval
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.delong import area_difference
from calibrant.metrics._intervals.metric_intervals import can_reweight, find_recipe
from calibrant.metrics._intervals.paired_proportions import score_difference
from calibrant.metrics._intervals.proportions import Interval
from calibrant.metrics._intervals.replicate_values import Layout, Recipe, recipe_values
from calibrant.metrics._intervals.replicates import Draws
from calibrant.metrics._intervals.reweighted_bootstrap import reweighted_bootstrap
from calibrant.metrics._metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["paired_intervals", "paired_proportions"]

Found = dict[str, tuple[Interval, str]]  # the interval and its method, by metric
_NO_SPREAD = 1e-12  # a standard error below this is the rounding of 0
_SCALE = {"auc": 1.0, "gini": 2.0}


def paired_intervals(
    one: BootstrapPlan,
    other: BootstrapPlan,
    metrics: Mapping[str, Metric],
    differences: Mapping[str, float],
    confidence: float,
) -> Found:
    """Return the intervals of the differences that have one, with their methods.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plans = [BootstrapPlan(read_predictions([0, 1, 1, 0], p)) for p in ([0.2, 0.7, 0.6, 0.4], [0.2, 0.7, 0.4, 0.6])]
    >>> paired_intervals(*plans, {"error": METRICS["error"]}, {"error": -0.5}, 0.95)
    {'error': (Interval(low=-0.849..., high=0.234...), 'Tango')}
    """
    found = paired_proportions(one, other, metrics, confidence) | _paired_areas(one, other, differences, confidence)
    is_same = np.array_equal(one.predictions.table, other.predictions.table)
    if is_same:  # a model is as good as itself whatever the rows
        found = {name: (Interval(0.0, 0.0), method) for name, (_, method) in found.items()}
    rest = {name: metric for name, metric in metrics.items() if name not in found}
    drawn = _paired_replicates(one, other, rest)
    return found | {
        name: (bca_interval(differences[name], *_minus(mine, theirs), confidence), "BCa")
        for name, (mine, theirs) in drawn.items()
        if is_same or not (_is_constant(mine) and _is_constant(theirs))  # replicates that do not vary show nothing
    }


def paired_proportions(
    one: BootstrapPlan, other: BootstrapPlan, metrics: Mapping[str, Metric], confidence: float
) -> Found:
    """Return the score intervals of metrics that are proportions of the same rows, where rows are counted one by one.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    >>> paired_proportions(plan, plan, {"mse": METRICS["mse"]}, 0.95)
    {}
    """
    if not one.is_simple or not one.counts_whole_rows:
        return {}
    found: Found = {}
    for name, metric in metrics.items():
        if metric.hits is not None:
            mine, theirs = metric.hits(one.predictions), metric.hits(other.predictions)
            is_counted = ~np.isnan(mine)
            n, more, less = (_count(one, rows) for rows in (is_counted, mine > theirs, mine < theirs))
            if n:
                found[name] = score_difference(more, less, n, confidence), "Tango"
    return found


def _count(plan: BootstrapPlan, rows: NDArray[np.bool_]) -> int:
    weights = plan.predictions.weights
    return int(np.count_nonzero(rows) if weights is None else round(float(weights[rows].sum())))


def _paired_areas(
    one: BootstrapPlan, other: BootstrapPlan, differences: Mapping[str, float], confidence: float
) -> Found:
    """Return the paired intervals of areas under the ROC curve."""
    areas = [name for name in _SCALE if not math.isnan(differences.get(name, math.nan))]
    if not areas or one.predictions.n_classes != 2 or not one.is_simple:
        return {}
    mine, theirs = one.predictions.binary_rows(), other.predictions.binary_rows()
    _, ends = area_difference(mine.proba, theirs.proba, mine.positive, mine.weight, confidence)
    return {name: (Interval(*(_SCALE[name] * end for end in ends)), "DeLong") for name in areas}


def _paired_replicates(
    one: BootstrapPlan, other: BootstrapPlan, metrics: Mapping[str, Metric]
) -> dict[str, tuple[Draws, Draws]]:
    """Return the values of both models in the same replicates."""
    n_classes = one.predictions.n_classes
    recipes = {name: recipe for name, each in metrics.items() if (recipe := find_recipe(each, n_classes)) is not None}
    mine, theirs = _draws_of_recipes(one, other, recipes) if recipes else ({}, {})
    others = {name: each for name, each in metrics.items() if name not in recipes and can_reweight(each, one)}
    if others:
        order = one.predictions.rank_order
        mine |= reweighted_bootstrap(one, others, order)
        theirs |= reweighted_bootstrap(replace(one, predictions=other.predictions), others, order)
    return {name: (mine[name], theirs[name]) for name in mine}


def _is_constant(draws: Draws) -> bool:
    finite = draws[0][np.isfinite(draws[0])]
    return len(finite) > 0 and float(np.ptp(finite)) <= _NO_SPREAD


def _draws_of_recipes(
    one: BootstrapPlan, other: BootstrapPlan, recipes: Mapping[str, Recipe]
) -> tuple[dict[str, Draws], dict[str, Draws]]:
    """Return the values of both models in the same replicates, those of the first model's plan."""
    first = Layout.of(one.predictions, recipes.values())
    second = Layout.of(other.predictions, recipes.values(), order=first.order)
    return recipe_values(one, one.predictions, first, recipes), recipe_values(one, other.predictions, second, recipes)


def _minus(mine: Draws, theirs: Draws) -> Draws:
    with np.errstate(invalid="ignore"):
        left_out = None if mine[1] is None or theirs[1] is None else mine[1] - theirs[1]
        return mine[0] - theirs[0], left_out
