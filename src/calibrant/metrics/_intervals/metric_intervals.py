"""Scores of metrics with intervals: by a formula, from replicates, or an upper bound where chance adds to the value.

Calibration errors are above 0 by chance alone, so percentiles of replicates do not cover. They get the value less what
chance adds, the p-value of perfect calibration by consistency resampling (Bröcker & Smith 2007; Vaicenavicius et al.
2019), and an upper bound on the true mean error, or none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from calibrant._random import stream
from calibrant.metrics._calibration.calibration_tests import SpiegelhalterZ, spiegelhalter_z_of
from calibrant.metrics._calibration.gap_bound import bound_gap, independent_cells
from calibrant.metrics._calibration.probability_cells import cells_of, draw_bin_residuals
from calibrant.metrics._calibration.slope_and_intercept import standard_errors
from calibrant.metrics._classification.accuracy import is_in_top
from calibrant.metrics._classification.confusion import RATES, Confusions, measure_of, rate_counts
from calibrant.metrics._classification.costs import least_costs, mean_costs, row_profits
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan
from calibrant.metrics._intervals.class_rankings import MOST_RANKED
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.intervals import (
    Interval,
    bca_interval,
    hold,
    percentile_interval,
    two_sided_z,
    wilson_interval,
)
from calibrant.metrics._intervals.large_samples import large_sample_draws
from calibrant.metrics._intervals.replicate_values import (
    RECIPES,
    Recipe,
    class_recipe,
    recipe_values,
    reweighted_bootstrap,
    sum_recipe,
)
from calibrant.metrics._intervals.replicates import Draws
from calibrant.metrics._losses.log_losses import LOGARITHMIC
from calibrant.metrics._metric import METRICS, Metric, bound_keywords, options_of
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.predictions import Predictions

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
UPPER_BOUND = "upper bound"  # the method of a score that has only one
_CURVE_DISTANCES = ("cal", "ece", "ici")  # estimates of the mean distance of the calibration curve from the diagonal
_N_DRAWS = (199, 800, 9_000)  # of perfectly calibrated samples; the next batch only if the side of a level is unclear
_LEVELS = (0.05, 0.001)  # at which readers decide: a p-value must lie clearly on one side of each
_UNCLEAR = 1e-3  # the probability of so many or so few larger draws if the p-value were a level
_MOST_REDRAWN = 2 * 10**8  # rows times draws of metrics that are computed anew for each draw: 5 to 20 seconds
_STREAM = 2  # of the random streams; 0 and 1 are the bootstrap's


def calibration_scores(plan: BootstrapPlan, metrics: Mapping[str, Metric]) -> dict[str, Score]:
    """Return the scores of some calibration errors, with bounds on the true mean error."""
    values = {name: metric.judge(plan.predictions) for name, metric in metrics.items()}
    if plan.confidence is None:
        return {name: Score(name, value) for name, value in values.items()}
    binned = [name for name, metric in metrics.items() if metric.id == "ece" and not options_of(metric)]
    redrawn = {name: metric for name, metric in metrics.items() if name not in binned}
    # Redrawing takes classes of whole independent rows; clustered or fractional rows get no p-value this way.
    by_chance = _values_by_chance(plan, redrawn, values) if plan.is_simple and plan.counts_whole_rows else {}
    # The plain ECE is a function of sums in bins, which are drawn without redrawing rows.
    by_chance |= {name: ece_by_chance(plan, values[name]) for name in binned}
    return {name: _score(plan, metric, values[name], by_chance.get(name)) for name, metric in metrics.items()}


def band_of(plan: BootstrapPlan, confidence: float) -> Band:
    """Return bands of the calibration curve of the positive or the predicted class.

    Rows of clusters and rows with sampling weights count as fewer independent rows, by their design effect.
    """

    def compute() -> Band:
        rows = plan.predictions.calibration_rows()
        # Clustered rows count as the independent rows that they are worth, or the band would promise too much.
        weight = plan.predictions.weight / plan.design_effect()
        return honest_bands(rows.proba, rows.positive * weight, weight, confidence=confidence)

    return plan.once(("band", confidence), compute)


def gap_bound_of(plan: BootstrapPlan, confidence: float) -> float:
    """Return the upper confidence bound on the mean error of the positive or the predicted class."""
    return bound_gap(independent_cells(cells_of(plan), plan.design_effect()), confidence).gap


def _score(plan: BootstrapPlan, metric: Metric, value: float, by_chance: NDArray[np.float64] | None) -> Score:
    pvalue = None if by_chance is None else pvalue_by_chance(by_chance, value)
    debiased = None
    if metric.id in ("ece", "classwise_ece"):
        debiased = metric.judge(plan.predictions, debiased=True, clusters=plan.clusters())
    elif by_chance is not None:
        # In squares: errors of chance are independent of the true ones, so variances add and absolute values do not.
        debiased = math.sqrt(max(0.0, value**2 - float((by_chance**2).mean())))
    score = Score(metric.id, value, debiased=debiased, pvalue=pvalue)
    if plan.has_few_groups:
        return replace(score, pvalue=None, note=f"no interval: {FEW_GROUPS}")
    if metric.id not in _CURVE_DISTANCES:
        return replace(score, note="no interval: none is proved")
    return replace(score, high=gap_bound_of(plan, plan.confidence or 0.95), method=UPPER_BOUND)


def pvalue_by_chance(drawn: NDArray[np.float64], value: float) -> float:
    """Return the p-value of a calibration error, given its values in perfectly calibrated samples.

    Examples
    --------
    >>> pvalue_by_chance(np.array([0.1, 0.2, 0.3]), 0.2)
    0.75
    """
    # The sample itself is one of the draws: a p-value is never 0, and the
    # test never rejects too often (Phipson & Smyth 2010).
    return float((1 + _n_larger(drawn, value)) / (1 + len(drawn)))


def _n_larger(drawn: NDArray[np.float64], value: float) -> int:
    return int(np.count_nonzero(drawn >= value * (1.0 - 1e-12)))  # equal but for rounding counts as larger


def _is_clear(drawn: NDArray[np.float64], value: float) -> bool:
    """Return whether the p-value is clearly above or below each of the levels."""
    larger, n = _n_larger(drawn, value), len(drawn)
    # Besag & Clifford (1991) stop early likewise; three fixed batches keep a p-value independent of the order of draws.
    return all(min(bdtr(larger, n, level), bdtrc(larger - 1, n, level)) < _UNCLEAR for level in _LEVELS)


def ece_by_chance(plan: BootstrapPlan, value: float) -> NDArray[np.float64]:
    """Return the expected calibration errors of perfectly calibrated samples, as many as the p-value takes."""
    cells, drawn = cells_of(plan), np.empty(0)
    for batch, n_draws in enumerate(_N_DRAWS):
        # In parts of 800, so that memory stays the same for 9,000 draws.
        for part in range(0, n_draws, _N_DRAWS[1]):
            size = min(_N_DRAWS[1], n_draws - part)
            sums = draw_bin_residuals(cells, stream(plan.seed, _STREAM, batch, part), size)
            drawn = np.append(drawn, np.abs(sums).sum(axis=1) / cells.total)
        if _is_clear(drawn, value):
            break
    return drawn


def _values_by_chance(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], found: Mapping[str, float]
) -> dict[str, NDArray[np.float64]]:
    """Return the values of metrics for classes drawn from the probabilities, as many as the p-values take."""
    values: dict[str, list[float]] = {name: [] for name in metrics}
    most = _MOST_REDRAWN // plan.predictions.n_rows
    drawn, unclear = 0, dict(metrics)
    for n_draws in _N_DRAWS[:2]:
        for number in range(drawn, drawn + n_draws if unclear else drawn):
            classes = _draw_classes(plan.predictions, stream(plan.seed, _STREAM, number))
            # A stream for each draw: all metrics see the same samples, whichever of them still need more.
            for name, metric in unclear.items():
                values[name].append(metric.judge(classes))
        drawn += n_draws
        unclear = {
            name: metric
            for name, metric in unclear.items()
            if drawn + _N_DRAWS[1] <= most and not _is_clear(np.array(values[name]), found[name])
        }
    return {name: np.array(of_draws) for name, of_draws in values.items()}


def _draw_classes(predictions: Predictions, rng: np.random.Generator) -> Predictions:
    """Draw the class of each copy of each row from its probabilities."""
    if predictions.weights is not None:
        return _draw_classes_of_copies(predictions, rng)
    if predictions.n_classes == 2:
        label = np.where(
            rng.random(predictions.n_rows) < predictions.column(predictions.positive),
            predictions.positive,
            1 - predictions.positive,
        )
    else:
        ends = np.cumsum(predictions.proba, axis=1)
        # Comparing with unnormalized ends spares a division of each row,
        # and rows that sum to 1 - 1e-7 still find a class.
        label = (rng.random(predictions.n_rows)[:, None] * ends[:, -1:] >= ends[:, :-1]).sum(axis=1)
    return replace(predictions, label=label.astype(predictions.label.dtype))


def _draw_classes_of_copies(predictions: Predictions, rng: np.random.Generator) -> Predictions:
    chances = predictions.proba / predictions.proba.sum(axis=1, keepdims=True)
    counts = rng.multinomial(predictions.weight.astype(np.int64), chances)
    rows, label = np.nonzero(counts)
    drawn = predictions.take(rows, counts[rows, label].astype(np.float64))
    return replace(drawn, label=label.astype(predictions.label.dtype))


_THRESHOLD = {"threshold", "inclusive"}
_WITHIN_CLASS = ("recall", "sensitivity", "specificity")  # proportions of the rows of one class
_LINE_METRICS = ("calibration_intercept", "calibration_slope")
_TESTS = ("spiegelhalter_z",)  # the statistic of a test is evidence already
UNDEFINED = "not defined for these rows"
_STATISTIC = "no interval: the statistic of a test"
_NONE_PROVED = "no interval: none is proved"
_TOO_MANY = "no interval: too many rows to reweight that often"
_ROUNDING = 1e-12  # ends closer than this differ by rounding alone
# Rows times replicates, and the classes beyond few; at this limit a metric without a recipe takes 5 to 20 seconds.
_MOST_REWEIGHTED = 10**8


def score_metrics(plan: BootstrapPlan, metrics: Mapping[str, Metric], interval: str) -> dict[str, Score]:
    """Return the scores of metrics on the same rows; those that need replicates share them.

    `interval` is that of `evaluate`.
    """
    errors = {name: metric for name, metric in metrics.items() if _is_mean_distance(metric)}
    scores = calibration_scores(plan, errors) if errors else {}
    scores |= {name: _statistic_score(plan, metric) for name, metric in metrics.items() if name in _TESTS}
    others = {name: metric for name, metric in metrics.items() if name not in scores}
    values = {name: metric.judge(plan.predictions) for name, metric in others.items()}
    if plan.confidence is None:
        scores |= {name: Score(name, value) for name, value in values.items()}
    else:
        scores |= _with_intervals(plan, others, values, interval)
    return {name: _explain_infinite(scores[name], plan.predictions) for name in metrics}


def _is_mean_distance(metric: Metric) -> bool:
    """Return whether a metric is a calibration error in the form that bounds and p-values are of."""
    options = options_of(metric)
    is_plain = options.get("norm", "l1") == "l1" and not options.get("debiased", False)
    return metric.id in CALIBRATION_ERRORS and is_plain


def _explain_infinite(score: Score, predictions: Predictions) -> Score:
    """Add a note on the rows that make a logarithmic loss infinite."""
    if score.metric not in LOGARITHMIC or not math.isinf(score.value):
        return score
    rows = predictions.zero_probability_rows()
    why = f"the actual class has probability 0 in {len(rows):,} row(s) (first: row {rows[0]}; see infinite_rows)"
    return replace(score, note="; ".join(filter(None, (why, score.note))))


def find_recipe(metric: Metric, plan: BootstrapPlan) -> Recipe | None:
    """Return the recipe of a metric from the core's replicates; None where it has none."""
    options = options_of(metric)
    if metric.id in RECIPES:
        return None if options else class_recipe(metric.id, plan) or RECIPES[metric.id]
    keywords = bound_keywords(metric)
    if metric.id == "profit":
        return sum_recipe(metric.id, partial(row_profits, **keywords), is_mean=False)
    if metric.id == "top_k_accuracy":
        return sum_recipe(metric.id, partial(is_in_top, **keywords), is_mean=True)
    if keywords.pop("decide", None) == "cheapest":
        return sum_recipe(metric.id, partial(least_costs, **keywords), is_mean=True)
    measure = partial(mean_costs, **keywords) if metric.id == "cost" else measure_of(metric)
    if measure is None:
        return None
    return Recipe(lambda values: values.of_confusion(measure), needs_confusion=True)


def draw_values(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], order: NDArray[np.intp] | None = None
) -> dict[str, Draws]:
    """Return the values of metrics in replicates, and with blocks of rows left out, of those that have any.

    Pass the order of the rows to resample the same ones for two models.
    """
    found = {name: find_recipe(metric, plan) for name, metric in metrics.items()}
    recipes = {name: recipe for name, recipe in found.items() if recipe is not None}
    draws = recipe_values(plan, recipes, order) if recipes else {}
    n_rankings = max(1.0, plan.predictions.n_classes / MOST_RANKED)
    if plan.predictions.n_rows * plan.n_boot * n_rankings > _MOST_REWEIGHTED:
        return draws
    # Tests and calibration errors have no replicates: chance adds to them.
    irregular = (*_TESTS, *CALIBRATION_ERRORS)
    others = {name: m for name, m in metrics.items() if name not in recipes and m.id not in irregular}
    return draws | reweighted_bootstrap(plan, others, order) if others else draws


def _statistic_score(plan: BootstrapPlan, metric: Metric) -> Score:
    statistic = spiegelhalter_z_of(plan.predictions, plan.weight_kind)
    if plan.group is not None and not math.isnan(statistic):
        return Score(metric.id, float(statistic), note="no p-value: rows of a cluster are not independent")
    return statistic_score(metric.id, statistic, plan.confidence)


def statistic_score(name: str, statistic: SpiegelhalterZ, confidence: float | None) -> Score:
    """Return the statistic of a test of calibration with its p-value, which holds for independent rows."""
    if math.isnan(statistic):
        return Score(name, math.nan, note=UNDEFINED)
    return Score(name, float(statistic), pvalue=statistic.p_value, note="" if confidence is None else _STATISTIC)


def _with_intervals(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], values: Mapping[str, float], interval: str
) -> dict[str, Score]:
    # Formulas first: they are exact or proved, and need no replicates.
    formulas = _by_formula(plan, metrics, values) if interval == "auto" else {}
    others = {name: metric for name, metric in metrics.items() if name not in formulas}
    grouped = {}
    if interval == "auto" and plan.has_many_rows and plan.predictions.n_classes == 2:
        # Options change what a metric reads of a row, and groups keep ranks and classes alone.
        plain = {name: metric for name, metric in others.items() if not options_of(metric)}
        grouped = {name: recipe for name, each in plain.items() if (recipe := find_recipe(each, plan)) is not None}
    draws = large_sample_draws(plan, metrics, grouped, values) if grouped else {}
    draws |= draw_values(plan, {name: metric for name, metric in others.items() if name not in grouped})
    scores = {
        name: Score(name, value, note=_NONE_PROVED if name in CALIBRATION_ERRORS else _TOO_MANY)
        for name, value in values.items()
    }
    for name, (low_high, method) in formulas.items():
        scores[name] = Score(name, values[name], *low_high, method)
    for name, (drawn, left_out, center) in draws.items():
        confidence = plan.confidence or 0.95
        scores[name] = score_of_replicates(name, values[name], drawn, left_out, confidence, interval, center)
    return scores


def score_of_replicates(
    name: str,
    value: float,
    drawn: NDArray[np.float64],
    left_out: NDArray[np.float64] | None,
    confidence: float,
    how: str,
    center: float | None = None,
) -> Score:
    """Return the score of a metric with the interval of its replicates, or a note on why there is none.

    An interval that does not hold the value, which then has a bias, is widened to it. `center` is that of `Draws`.

    Examples
    --------
    >>> score_of_replicates("f1", 0.0, np.zeros(9), None, 0.95, "bootstrap").note
    'no interval: every replicate has the same value'
    """
    if math.isnan(value):
        return Score(name, value, note=UNDEFINED)
    if how == "percentile":
        ends, method = percentile_interval(drawn, confidence), "percentile"
    else:
        ends, method = bca_interval(value if center is None else center, drawn, left_out, confidence), "BCa"
    if math.isnan(ends.low):
        return Score(name, value, note="no interval: undefined in most replicates")
    if math.isclose(ends.low, ends.high, rel_tol=_ROUNDING):
        return Score(name, value, note="no interval: every replicate has the same value")
    n_missing = int(np.isnan(drawn).sum())
    notes = [f"undefined in {n_missing} of {len(drawn)} replicates"] if n_missing else []
    if center is not None:  # means of values of rows may lie beyond what the metric can be
        ends = Interval(max(ends.low, METRICS[name].low), min(ends.high, METRICS[name].high))
    held = hold(ends, value)
    if held != ends and not np.allclose(held, ends, rtol=_ROUNDING, atol=0.0):
        notes.append(f"interval widened to the value, which is {'above' if value > ends.high else 'below'} it by bias")
    debiased = None if center is None or math.isclose(center, value, rel_tol=_ROUNDING, abs_tol=_ROUNDING) else center
    return Score(name, value, *held, method, debiased, note="; ".join(notes))


def _by_formula(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], values: Mapping[str, float]
) -> dict[str, tuple[Interval, str]]:
    """Return the intervals that have a formula, with its name; formulas hold for independent, counted rows."""
    found: dict[str, tuple[Interval, str]] = {}
    if not plan.is_simple or plan.confidence is None:
        return found
    predictions, confidence = plan.predictions, plan.confidence
    for name in values if plan.counts_whole_rows else ():
        counts = _counted(metrics[name], predictions)
        # Stratified replicates fix the class counts; only rates within a class are then binomial.
        if counts is not None and counts[1] > 0 and (name in _WITHIN_CLASS or not plan.stratified):
            found[name] = wilson_interval(*counts, confidence), "Wilson"
    values = {name: value for name, value in values.items() if not options_of(metrics[name])}
    areas = [name for name in ("auc", "gini") if not math.isnan(values.get(name, math.nan))]
    if areas and predictions.n_classes == 2:
        rows = predictions.binary_rows()
        _, ends = area_interval(rows.proba, rows.positive, rows.weight, confidence, plan.n_threads)
        # Linear in the area, so the ends move along.
        of_gini = Interval(2.0 * ends.low - 1.0, 2.0 * ends.high - 1.0)
        found |= {name: (ends if name == "auc" else of_gini, "DeLong") for name in areas}
    # Huber's sandwich assumes that class counts vary, which stratified resampling rules out.
    return found if plan.stratified else found | _line_intervals(plan, values, confidence)


def success_counts(metric: Metric, confusions: Confusions) -> tuple[float, float] | None:
    """Return the successes and the trials of a proportion of the predicted classes; None for other metrics.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> from calibrant.metrics import METRICS
    >>> success_counts(METRICS["recall"], Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])))
    (1.0, 2.0)
    """
    if metric.id in RATES:
        successes, trials = rate_counts(confusions, metric.id)
    elif metric.id in ("accuracy", "error"):
        correct, trials = confusions.correct, confusions.total
        successes = correct if metric.id == "accuracy" else trials - correct
    else:
        return None
    return float(successes[0]), float(trials[0])


def _counted(metric: Metric, predictions: Predictions) -> tuple[float, float] | None:
    """Return the successes and the trials of a metric that is a proportion of rows; None for others."""
    options = options_of(metric)
    if metric.id == "top_k_accuracy":
        return float((predictions.weight * is_in_top(predictions, **options)).sum()), predictions.total
    if metric.id not in ("accuracy", "error", *RATES) or options.keys() - _THRESHOLD:
        return None
    return success_counts(metric, Confusions.of(predictions, **options))


def _line_intervals(
    plan: BootstrapPlan, values: Mapping[str, float], confidence: float
) -> dict[str, tuple[Interval, str]]:
    finite = [name for name in _LINE_METRICS if math.isfinite(values.get(name, math.nan))]
    if not finite:
        return {}
    errors = dict(zip(_LINE_METRICS, standard_errors(plan.predictions.binary_rows()), strict=True))
    reach = {name: two_sided_z(confidence) * errors[name] for name in finite}
    return {name: (Interval(values[name] - reach[name], values[name] + reach[name]), "sandwich") for name in finite}
