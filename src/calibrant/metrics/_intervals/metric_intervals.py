"""Which interval each metric gets, and the interval: by a formula where one holds, else from replicates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.logistic_line import standard_errors
from calibrant.metrics._intervals.bootstrap import bca_interval, percentile_interval
from calibrant.metrics._intervals.bootstrap_plan import Judged
from calibrant.metrics._intervals.calibration_errors import CALIBRATION_ERRORS, calibration_scores
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.proportions import Interval, proportion_interval, two_sided_z
from calibrant.metrics._intervals.replicate_values import RECIPES, Layout, Recipe, Seen
from calibrant.metrics._intervals.replicates import replicate
from calibrant.metrics._intervals.reweighted_bootstrap import weighed_anew
from calibrant.metrics._losses.information import LOGARITHMIC
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.score_card import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._intervals.honest_bands import Band
    from calibrant.metrics._validation.prediction_rows import Predictions

__all__ = ["DECISIONS", "UNDEFINED", "has_replicates", "recipe_of", "score_of_replicates", "scored"]

DECISIONS = ("accuracy", "error", "kappa", "mcc", "f1", "f_beta", "sensitivity_specificity", "g_mean")
_MOST_CLASSES = 256  # cells are numbered by 16 bits
_TESTS = ("spiegelhalter_z",)  # a test's statistic is a statement of evidence itself
UNDEFINED = "not defined for these rows"
_SAME = 1e-12  # ends of no interval but of rounding
_MOST_DRAWN = 10**8  # rows times replicates that are weighed anew for a metric without a recipe

Drawn = tuple["NDArray[np.float64]", "NDArray[np.float64] | None"]


def scored(
    judged: Judged, metrics: Mapping[str, Metric], interval: str, band: Callable[[], Band | None]
) -> dict[str, Score]:
    """Score metrics on the same rows; those that need replicates share them.

    Parameters
    ----------
    judged : Judged
        The rows.
    metrics : dict of str to Metric
        What to score them by.
    interval : {"auto", "bootstrap", "percentile"}
        Where intervals come from.
    band : callable
        Gives honest bands, which calibration errors have their intervals from.

    Returns
    -------
    dict of str to Score
        A score for each, in order.
    """
    errors = {name: metric for name, metric in metrics.items() if name in CALIBRATION_ERRORS}
    needs_band = bool(errors) and judged.confidence is not None
    scores = calibration_scores(judged, errors, band() if needs_band else None) if errors else {}
    others = {name: metric for name, metric in metrics.items() if name not in errors}
    values = {name: metric.judge(judged.read) for name, metric in others.items()}
    if judged.confidence is None:
        scores |= {name: Score(name, value) for name, value in values.items()}
    else:
        scores |= _with_intervals(judged, others, values, interval)
    return {name: _with_cause(scores[name], judged.read) for name in metrics}


def _with_cause(score: Score, read: Predictions) -> Score:
    """Say which rows make a logarithmic loss infinite."""
    if score.metric not in LOGARITHMIC or not math.isinf(score.value):
        return score
    rows = read.rows[read.of_own_class() == 0.0]
    why = f"{len(rows):,} row(s) of probability 0 came true (first at row {rows[0]}; infinite_rows tells all)"
    return replace(score, note="; ".join(filter(None, (why, score.note))))


def recipe_of(metric: Metric, n_classes: int) -> Recipe | None:
    """Give how a metric is read off replicates, or None."""
    if metric.id in RECIPES:
        return RECIPES[metric.id]
    if metric.id in DECISIONS and n_classes <= _MOST_CLASSES:
        return Recipe(lambda seen: seen.decided(metric.judge), by_decision=True)
    return None


def has_replicates(metric: Metric, judged: Judged) -> bool:
    """Say whether rows may be weighed anew for a metric: it is no test and no calibration error, and they are few."""
    is_regular = metric.id not in _TESTS and metric.id not in CALIBRATION_ERRORS
    return is_regular and judged.read.n_rows * judged.n_boot <= _MOST_DRAWN


def _with_intervals(
    judged: Judged, metrics: Mapping[str, Metric], values: Mapping[str, float], interval: str
) -> dict[str, Score]:
    formulas = _by_formula(judged, values) if interval == "auto" else {}
    left = {name: metric for name, metric in metrics.items() if name not in formulas}
    drawn = _drawn(judged, left)
    scores = {name: _bare(metrics[name], value) for name, value in values.items()}
    for name, (low_high, method) in formulas.items():
        scores[name] = Score(name, values[name], *low_high, method)
    for name, (replicates, left_out) in drawn.items():
        scores[name] = score_of_replicates(
            name, values[name], replicates, left_out, judged.confidence or 0.95, interval
        )
    return scores


def _bare(metric: Metric, value: float) -> Score:
    is_test = metric.id in _TESTS
    why = "a test's statistic, without an interval" if is_test else "no interval: too many rows to weigh so often"
    return Score(metric.id, value, note=why)


def score_of_replicates(
    name: str,
    value: float,
    drawn: NDArray[np.float64],
    left_out: NDArray[np.float64] | None,
    confidence: float,
    how: str,
) -> Score:
    """Give the score of a metric with the interval that its replicates give, or why they give none.

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
        ends, method = bca_interval(value, drawn, left_out, confidence), "BCa"
    if math.isnan(ends.low):
        return Score(name, value, note="no interval: most replicates have no value")
    if math.isclose(ends.low, ends.high, rel_tol=_SAME):
        return Score(name, value, note="no interval: every replicate has the same value")
    n_missing = int(np.isnan(drawn).sum())
    note = f"{n_missing} of {len(drawn)} replicates have no value" if n_missing else ""
    return Score(name, value, ends.low, ends.high, method, note=note)


def _by_formula(judged: Judged, values: Mapping[str, float]) -> dict[str, tuple[Interval, str]]:
    """Give the intervals that a formula gives, with its name; formulas hold for independent rows that are counted."""
    found: dict[str, tuple[Interval, str]] = {}
    if not judged.is_simple or judged.confidence is None:
        return found
    read, confidence = judged.read, judged.confidence
    for name in {"accuracy", "error"} & set(values):
        if judged.counts_whole_rows and not judged.stratified:
            successes = min(values[name] * read.total, read.total)
            found[name] = proportion_interval(successes, read.total, confidence), "Wilson"
    for name in {"auc", "gini"} & set(values):
        if read.n_classes == 2 and not math.isnan(values[name]):
            rows = read.two_class()
            _, ends, method = area_interval(rows.proba, rows.positive, rows.weight, confidence, judged.n_threads)
            found[name] = (ends if name == "auc" else Interval(2.0 * ends.low - 1.0, 2.0 * ends.high - 1.0)), method
    return found if judged.stratified else found | _line_intervals(judged, values, confidence)


def _line_intervals(judged: Judged, values: Mapping[str, float], confidence: float) -> dict[str, tuple[Interval, str]]:
    asked = [
        name for name in ("calibration_intercept", "calibration_slope") if math.isfinite(values.get(name, math.nan))
    ]
    if not asked:
        return {}
    errors = dict(
        zip(("calibration_intercept", "calibration_slope"), standard_errors(judged.read.two_class()), strict=True)
    )
    z = two_sided_z(confidence)
    return {
        name: (Interval(values[name] - z * errors[name], values[name] + z * errors[name]), "sandwich") for name in asked
    }


def _drawn(judged: Judged, metrics: Mapping[str, Metric]) -> dict[str, Drawn]:
    """Give the values of metrics in replicates, and with parts of the rows left out."""
    recipes = {name: recipe_of(metric, judged.read.n_classes) for name, metric in metrics.items()}
    known = {name: recipe for name, recipe in recipes.items() if recipe is not None}
    found: dict[str, Drawn] = {}
    if known:
        layout = Layout.of(judged.read, known.values())
        drawn, left_out = replicate(
            layout.rows, judged.sampling(layout.order), judged.seed, judged.n_boot, n_threads=judged.n_threads
        )
        seen = Seen(drawn, layout, judged.read)
        without = None if left_out is None else Seen(left_out, layout, judged.read)
        for name, recipe in known.items():
            found[name] = recipe.read_off(seen), None if without is None else recipe.read_off(without)
    unknown = {name: m for name, m in metrics.items() if name not in known and has_replicates(m, judged)}
    return found | weighed_anew(judged, unknown) if unknown else found
