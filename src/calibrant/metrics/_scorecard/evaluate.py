"""Evaluation of a model's probabilities in one call: metrics, intervals, segments."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from calibrant._params import CONFIDENCE, Bool, Choice, Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.data._internal import warn_of_weights
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics._calibration.calibration_tests import equal_calibration
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan, WeightKind
from calibrant.metrics._intervals.metric_intervals import score_metrics
from calibrant.metrics._metric import METRICS, BoundMetric, Metric, check_options, options_of, requested_metrics
from calibrant.metrics._scorecard.score_card import ScoreCard
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

_OWN = ("y_true", "y_proba", "sample_weight", "pos_label", "labels", "weight_kind")  # parameters of evaluate itself


def read_extras(extras: Any, labels: Any = None) -> dict[str, BoundMetric]:
    """Validate the options of metrics, and return the metrics bound to them, by name.

    Examples
    --------
    >>> read_extras({"lift": {"fraction": 0.5}})["lift"].options
    {'fraction': 0.5}
    """
    _check_mapping("extras", extras or {}, "ids of metrics to their options, such as {'cost': {'matrix': ...}}")
    bound = {}
    for name, options in (extras or {}).items():
        metric = choose("a metric in extras", name, METRICS)
        _check_mapping(f"extras[{name!r}]", options, f"options of {name} to their values, such as {_example(metric)}")
        _check_extra(metric, options)
        bound[name] = BoundMetric.of(metric, options, labels)
    return bound


def same_options(one: Metric, other: Metric) -> bool:
    """Return whether two metrics are bound to the same options.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> wide, narrow = (BoundMetric.of(METRICS["lift"], {"fraction": x}) for x in (0.5, 0.1))
    >>> same_options(wide, wide), same_options(wide, narrow)
    (True, False)
    """
    mine, theirs = options_of(one), options_of(other)
    pairs = [(mine[key], theirs[key]) for key in mine.keys() & theirs.keys()]
    is_same = (a == b if isinstance(a, dict) or isinstance(b, dict) else np.array_equal(a, b) for a, b in pairs)
    return mine.keys() == theirs.keys() and all(is_same)


def _check_mapping(what: str, value: Any, example: str) -> None:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{what} must map {example}; got {type(value).__name__}.")


def _example(metric: Metric) -> str:
    names = metric.needs or tuple(_takes(metric))[:1]
    return "{" + ", ".join(f"{name!r}: ..." for name in names) + "}"


def _takes(metric: Metric) -> list[str]:
    return [name for name in inspect.signature(metric.function).parameters if name not in _OWN]


def _check_extra(metric: Metric, options: Mapping[str, Any]) -> None:
    takes = _takes(metric)
    for key in options:
        if key in _OWN:
            raise ParameterError(f"extras[{metric.id!r}]: pass {key} to evaluate itself, for all metrics.")
        if key not in takes:
            listed = f"it has {', '.join(takes)}" if takes else "it has none"
            raise ParameterError(f"extras: {metric.id!r} has no option {key!r}; {listed}.{nearest(key, takes)}")
    missing = [need for need in metric.needs if need not in options]
    if missing:
        needs, are = " and ".join(metric.needs), "is" if len(missing) == 1 else "are"
        raise ParameterError(f"extras: {metric.id!r} needs {needs}; {' and '.join(missing)} {are} missing.")
    check_options(metric.id, **options)


_DEFAULT_METRICS = (
    *("log_loss", "brier", "auc", "average_precision", "ks", "lift", "accuracy", "f1", "mcc"),
    *("ece", "calibration_slope", "calibration_intercept"),
)
_RULES = {
    "confidence": CONFIDENCE | Nothing(),
    "interval": Choice("auto", "bootstrap", "percentile"),
    "n_boot": Int(1),
    "weight_kind": Choice("frequency", "probability"),
    "stratified": Bool(),
}


@document_metric
def evaluate(
    y_true: Any,
    y_proba: Any,
    *,
    metrics: str | Iterable[str] | None = None,
    confidence: float | None = 0.95,
    interval: Literal["auto", "bootstrap", "percentile"] = "auto",
    n_boot: int = 1000,
    by: Any = None,
    groups: Any = None,
    random_state: SeedLike = 0,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    weight_kind: WeightKind = "frequency",
    stratified: bool = False,
    n_jobs: int | None = None,
    extras: Mapping[str, Mapping[str, Any]] | None = None,
) -> ScoreCard:
    """Evaluate probabilities by many metrics from one sort, each with a confidence interval.

    The intervals are those of this fitted model: of the value of each metric on infinitely many rows, drawn
    independently like these. They do not cover the variation between models fitted to other training rows.

    A proportion has Wilson's interval, the area under the ROC curve the same of as many rows as DeLong's variance is
    worth, shrunk so that it holds with few rows of a class and at an area of 1; slope and intercept have those of a
    sandwich estimate. All others come from the same bootstrap replicates,
    which reweight the rows of one ranking: percentiles corrected for bias and skewness (BCa). Calibration errors are
    above 0 by chance alone, so percentiles do not cover: they have a debiased value, the p-value of perfect
    calibration, and an upper bound on the true mean error, that of `calibration_verdict`.

    With more than five classes, auc, gini, average_precision and aulc, which are means over the rankings by each class,
    have replicates that are means of what each row adds to them (the infinitesimal jackknife), not new rankings.
    The last two then have a debiased value, which their intervals are about: with few rows of each class average
    precision is higher than on infinitely many rows, since a row counts in the precision at its own rank, and aulc is
    lower. An interval of replicates that would not hold the value of its metric is widened to it, with a note.

    On simulated rows whose truth is known, intervals at 95 % cover it 93 to 97 times in 100; upper bounds at least 93
    times. Three measures fall short: ks, a maximum (93.0 of 100 with 300 rows, 93.4 with 1,000), lift, a frequency in
    few rows (92.6 with 300 rows, of which it uses 30), and h_measure, which takes the best threshold of the same rows
    (92.7 with 300 rows, 92.0 with 1,000).

    %(parameters_each_class)s
    metrics : sequence of str, "all" or None
        Ids in `METRICS`. None: log_loss, brier, auc, average_precision, ks, lift, accuracy, f1, mcc, ece,
        calibration_slope and calibration_intercept, as far as the number of classes allows; "all": every metric that
        needs only classes and probabilities.
    confidence : float or None
        The probability that such intervals cover the true value; None: no intervals, which saves their time.
    interval : {"auto", "bootstrap", "percentile"}
        "auto" as above; or from replicates even where a formula holds, with BCa correction or without.
    n_boot : int
        The number of bootstrap replicates.
    by : sequence of length n_rows, optional
        The segment or time window of each row, such as ``dates.to_period("M")`` of pandas: there is a card for each,
        and a test, corrected for their number by Holm, of whether it is calibrated like the others.
    groups : sequence of length n_rows, optional
        The cluster of each row, such as the patient of several rows: whole clusters are then resampled.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness; results are the same for any number of threads.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population, as in surveys and
        case-control samples; rows are then resampled within the classes and weighted.
    stratified : bool
        Whether to resample within the classes, which keeps their frequencies; clusters, if `groups` is passed, are
        resampled whole all the same.
    n_jobs : int, optional
        The number of threads, counted like scikit-learn's.
    extras : dict of str to dict, optional
        Options of metrics by id, such as ``{"profit": {"amount": a, "cost": c}, "cost": {"matrix": m}}`` with an
        amount and a cost for each row, ``{"recall": {"average": "macro"}}`` or ``{"f1": {"threshold": 0.3}}``. These
        metrics are added to the card. In replicates, decisions by `profit` stay those of all rows.

    %(returns)s
        A score for each metric; ``card["auc"].value``, ``card.to_frame()``, ``card.verdict``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(500)
    >>> card = evaluate(rng.random(500) < proba, proba, metrics=["auc", "brier", "log_loss"])
    >>> card
    Scores: 500 rows, 2 classes, intervals at 95 %
      auc       0.8411  [0.8036, 0.8726]  DeLong
      brier     0.1628  [0.1467, 0.1799]  BCa
      log_loss  0.4944  [0.4531, 0.5414]  BCa
    Intervals of this fitted model, on rows drawn independently like these.
    >>> evaluate([1, 0, 1, 0], [0.1, 0.3, 0.6, 0.01], metrics=[], extras={"cost": {"matrix": [[0, 1], [5, 0]]}})["cost"]
    cost 1.2500 [0, 3.7500]
    """
    options = {"confidence": confidence, "interval": interval, "n_boot": n_boot, "weight_kind": weight_kind}
    for name, value in {**options, "stratified": stratified}.items():
        check_param(name, value, _RULES[name])
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    if weight_kind == "frequency" and confidence is not None:
        warn_of_weights(predictions.weights)
    plan = BootstrapPlan(
        predictions,
        None if groups is None else predictions.read_codes("groups", groups)[0],
        weight_kind,
        stratified or weight_kind == "probability",
        n_boot,
        confidence,
        seed_sequence(random_state),
        n_threads(n_jobs),
        read_extras(extras, labels),
    )
    requested = select_metrics(metrics, predictions, plan.bound)
    card = _card(plan, requested, interval)
    if by is None:
        return card
    codes, names = predictions.read_codes("by", by)
    cards = {name: _card(plan.subset(codes == number), requested, interval, name) for number, name in enumerate(names)}
    is_tested = plan.confidence is not None and len(names) > 1
    found = equal_calibration(predictions.calibration_rows(), codes, names, plan.clusters()) if is_tested else None
    return replace(card, cards=cards, equal_calibration=found)


def select_metrics(
    metrics: str | Iterable[str] | None, predictions: Predictions, bound: Mapping[str, Metric] = MappingProxyType({})
) -> dict[str, Metric]:
    """Return the metrics requested, by name; those of `bound` have options of their own, and come last.

    Examples
    --------
    >>> predictions = read_predictions([0, 1], [0.2, 0.7])
    >>> list(select_metrics(["auc", "brier"], predictions))
    ['auc', 'brier']
    """
    kinds = ("any", "two") if predictions.n_classes == 2 or predictions.has_pos_label else ("any",)
    can = {name: metric for name, metric in METRICS.items() if not metric.needs and metric.classes in kinds}

    def find(name: str) -> Metric:
        metric = choose("a metric", name, {**METRICS, **bound})
        if metric.needs:
            extra = f"extras={{{name!r}: {_example(metric)}}}"
            raise ParameterError(f"metrics: {name!r} needs {' and '.join(metric.needs)}; pass {extra}.")
        return metric

    return requested_metrics(metrics, can, _DEFAULT_METRICS, find) | dict(bound)


def _card(plan: BootstrapPlan, metrics: Mapping[str, Metric], interval: str, name: Any = None) -> ScoreCard:
    scores, classes = score_metrics(plan, metrics, interval), tuple(plan.predictions.classes.tolist())
    return ScoreCard(scores, plan.predictions.n_rows, classes, plan.confidence, name, judged=plan)
