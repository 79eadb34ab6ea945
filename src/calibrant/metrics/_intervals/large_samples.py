"""Bootstrap distributions of very many rows, from groups of rows or from moments instead of single rows.

Rows of neighboring ranks and of the same class are nearly interchangeable, so a replicate draws how many rows of each
group it has. Means of row values have the distribution of Cornish & Fisher (1938), given their variance and skewness.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicate_values import Layout, Recipe, ReplicateValues
from calibrant.metrics._intervals.replicates import MOST_BLOCKS, Draws, Replicates, replicate_counts
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions

_N_BLOCKS = 700  # of neighboring ranks, of equal weight, and as many again of equal weight of the positives
_STREAM = 4  # of the random streams


def large_sample_draws(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], recipes: Mapping[str, Recipe], values: Mapping[str, float]
) -> dict[str, Draws]:
    """Return the values of metrics in replicates of very many rows."""
    means = {name: recipe for name, recipe in recipes.items() if recipe.values}
    others = {name: recipe for name, recipe in recipes.items() if name not in means}
    draws = _mean_draws(plan, means) if means else {}
    if others:
        grouped = group_rows(plan.predictions)
        found = _group_draws(plan, grouped, others)
        # What grouping changes of the value itself is taken off the replicates.
        # Additive: grouping shifts a metric by about the same amount in every replicate.
        away = {name: values[name] - metrics[name].judge(grouped) for name in found}
        draws |= {name: Draws(each.drawn + away[name], each.left_out) for name, each in found.items()}
    return draws


def _group_draws(plan: BootstrapPlan, grouped: Predictions, recipes: Mapping[str, Recipe]) -> dict[str, Draws]:
    layout = Layout.of(grouped, recipes.values())
    weight = np.round(grouped.weight if layout.order is None else grouped.weight[layout.order]).astype(np.int64)
    rng = stream(plan.seed, _STREAM)
    # A replicate of n rows drawn with replacement is multinomial over groups, at a cost that no longer grows with n.
    drawn = rng.multinomial(weight.sum(), weight / weight.sum(), plan.n_boot)
    left_out = weight - rng.multinomial(weight, np.full(MOST_BLOCKS, 1.0 / MOST_BLOCKS)).T
    values, without = (
        ReplicateValues(replicate_counts(layout.rows, counts.astype(np.uint32), plan.n_threads), layout, grouped)
        for counts in (drawn, left_out)
    )
    return {name: Draws(recipe.compute(values), recipe.compute(without)) for name, recipe in recipes.items()}


def group_rows(predictions: Predictions) -> Predictions:
    """Return neighboring ranks as tied, weighted rows: the positives of each block, and the negatives.

    Rows of equal probability are never split, nor rows that are predicted differently joined.
    """
    order = predictions.rank_order[::-1]
    rows, weight = predictions.binary_rows(), predictions.weight[order]
    proba, positive = rows.proba[order], rows.positive[order]
    is_new = np.append(True, proba[1:] != proba[:-1])
    # Blocks by all rows resolve the whole ranking, those by positives its
    # top, where rare positives decide lift and precision.
    blocks = [
        np.floor((np.cumsum(part) - part)[is_new] / part.sum() * _N_BLOCKS)
        for part in (weight, weight * positive)
        if part.any()
    ]
    predicted = predictions.predicted_class()[order][is_new]
    # No block mixes predicted classes, so that confusion matrices of the groups are exact.
    steps = np.append(True, np.any([np.diff(part) != 0.0 for part in (*blocks, predicted)], axis=0))
    of_row = (np.cumsum(steps) - 1)[np.cumsum(is_new) - 1]
    key = 2 * of_row + positive
    n_keys = 2 * int(of_row[-1] + 1)
    counts = np.bincount(key, weight, n_keys).astype(np.float64)
    ends = np.append(proba[is_new][np.flatnonzero(steps)[1:] - 1], proba[-1])  # each block's largest probability
    kept = np.flatnonzero(counts)
    return predictions.with_rows(ends[kept // 2], kept % 2 == 1, counts[kept])


def _mean_draws(plan: BootstrapPlan, recipes: Mapping[str, Recipe]) -> dict[str, Draws]:
    layout = Layout.of(plan.predictions, recipes.values())
    weight = plan.predictions.weight if layout.order is None else plan.predictions.weight[layout.order]
    columns = [
        _quantiles(column, weight, plan.n_boot, stream(plan.seed, _STREAM, 1 + number))
        for number, column in enumerate(layout.rows.values)
    ]
    total, nothing = np.full(plan.n_boot, plan.predictions.total), np.empty((plan.n_boot, 0))
    replicates = Replicates(total, np.stack(columns, axis=1), nothing, nothing[:, :, None])
    found = ReplicateValues(replicates, layout, plan.predictions)
    return {name: Draws(recipe.compute(found), None) for name, recipe in recipes.items()}


def _quantiles(
    values: NDArray[np.float64], weight: NDArray[np.float64], n_boot: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return evenly spaced quantiles of the mean of replicates; of a rare mark, as many draws."""
    total = weight.sum()
    mean = float(weight @ values) / total
    # A rare mark is far from normal, and its exact law is at hand.
    if ((values == 0.0) | (values == 1.0)).all():
        return np.asarray(rng.binomial(int(total), mean, n_boot) / total)
    away = values - mean
    square = weight * away**2
    variance = float(square.sum()) / total
    # Quantiles at the middle of each step, not draws: the percentiles have no noise of simulation.
    z = ndtri((np.arange(n_boot) + 0.5) / n_boot)
    if variance == 0.0:
        return np.full(n_boot, mean)
    skewness = float(square @ away) / total / variance**1.5
    # Cornish & Fisher (1938), first term: skewness moves both ends in the direction of the longer tail.
    return np.asarray(mean + np.sqrt(variance / total) * (z + skewness / (6.0 * np.sqrt(total)) * (z**2 - 1.0)))
