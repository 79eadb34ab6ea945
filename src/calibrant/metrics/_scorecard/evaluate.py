"""All that is known of a model's probabilities in one call: metrics, intervals, segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from calibrant._params import Bool, Choice, Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.exceptions import ParameterError
from calibrant.metrics._calibration.equal_calibration import equal_calibration
from calibrant.metrics._intervals.bootstrap_plan import Judged, WeightKind, read_codes
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.metric_intervals import scored
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.score_card import ScoreCard
from calibrant.metrics._validation.predictions import read_predictions

if TYPE_CHECKING:
    from calibrant.metrics._intervals.honest_bands import Band
    from calibrant.metrics._validation.prediction_rows import Predictions

__all__ = ["DOZEN", "chosen_metrics", "evaluate"]

DOZEN = (
    *("log_loss", "mse", "auc", "average_precision", "ks", "lift", "accuracy", "f1", "mcc"),
    *("ece", "calibration_slope", "calibration_intercept"),
)
_RULES = {
    "confidence": CONFIDENCE | Nothing(),
    "interval": Choice("auto", "bootstrap", "percentile"),
    "n_boot": Int(1),
    "weight_kind": Choice("frequency", "probability"),
    "stratified": Bool(),
}


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
) -> ScoreCard:
    """Judge probabilities by many metrics from one sort, each with an interval that holds.

    The intervals are of this fitted model: where each metric would lie on ever more rows, drawn independently as these
    were. They are no statement on a model that is fitted anew.

    A proportion has Wilson's interval, the area under the ROC curve DeLong's on the scale of log-odds (Newcombe's where
    it is 1), slope and intercept those of a sandwich. All others come from the same bootstrap replicates, which weigh
    the rows of the one ranking: percentiles corrected for bias and skewness (BCa). Calibration errors are above 0 by
    chance alone, so that no percentile holds: they have a value without that bias, the p-value of perfect calibration,
    and the interval of the mean distance of the calibration curve from the diagonal, by honest bands.

    On simulated rows whose truth is known, intervals at 95 % hold it 93 to 97 times in 100; honest bands at least 95
    times. Three measures fall short: ks, a maximum (93.0 of 100 with 300 rows, 93.4 with 1,000), lift, a share of few
    rows (92.6 with 300 rows, of which it looks at 30), and h_measure, which takes the best threshold of the same rows
    (92.7 with 300 rows, 92.0 with 1,000).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone. The columns of a
        frame that are named as the classes are taken by name.
    metrics : sequence of str, "all" or None
        Ids in `METRICS`. None: log_loss, mse, auc, average_precision, ks, lift, accuracy, f1, mcc, ece,
        calibration_slope and calibration_intercept, as far as the number of classes allows; "all": every metric that
        needs nothing but classes and probabilities.
    confidence : float or None
        How often such intervals hold the true value; None: no intervals, which takes no more time than the metrics.
    interval : {"auto", "bootstrap", "percentile"}
        As above; or from replicates even where a formula holds, with or without correction.
    n_boot : int
        Number of replicates.
    by : sequence of length n_rows, optional
        The segment or time window of each row, such as ``dates.to_period("M")`` of pandas: there is a card for each,
        and a test, corrected for their number by Holm, of whether it is calibrated as the others are.
    groups : sequence of length n_rows, optional
        The cluster of each row, such as the patient that several rows are of: rows are then drawn cluster by cluster.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness; the same for any number of threads.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two.
    labels : sequence, optional
        The classes in the order of the columns.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 is the row twice, or a row that stands for two in the population, as in surveys and
        case-control samples; then rows are drawn within the classes and weighted.
    stratified : bool
        Draw within the classes, which keeps their shares as they are; whole clusters, where `groups` is told, are not
        parted for it.
    n_jobs : int, optional
        Number of threads, as scikit-learn counts them.

    Returns
    -------
    ScoreCard
        A score for each metric; ``card["auc"].value``, ``card.to_frame()``, ``card.verdict``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(500)
    >>> card = evaluate(rng.random(500) < proba, proba, metrics=["auc", "mse", "log_loss"])
    >>> card
    Scores: 500 rows, 2 classes, intervals at 95 %
      auc       0.8411  [0.8038, 0.8724]  DeLong
      mse       0.3256  [0.2934, 0.3598]  BCa
      log_loss  0.4944  [0.4531, 0.5414]  BCa
    """
    told = {"confidence": confidence, "interval": interval, "n_boot": n_boot}
    for name, value in {**told, "weight_kind": weight_kind, "stratified": stratified}.items():
        check_param(name, value, _RULES[name])
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    judged = Judged(
        read,
        None if groups is None else read_codes("groups", groups, read)[0],
        weight_kind,
        stratified or weight_kind == "probability",
        n_boot,
        confidence,
        seed_sequence(random_state),
        n_threads(n_jobs),
    )
    wanted = chosen_metrics(metrics, read)
    card = _card(judged, wanted, interval)
    return card if by is None else _by_segment(card, judged, wanted, interval, by)


def chosen_metrics(metrics: str | Iterable[str] | None, read: Predictions) -> dict[str, Metric]:
    """Look up the metrics asked for.

    Examples
    --------
    >>> read = read_predictions([0, 1], [0.2, 0.7])
    >>> list(chosen_metrics(["auc", "mse"], read))
    ['auc', 'mse']
    """
    from calibrant.metrics import METRICS  # it holds every metric, evaluate's neighbours

    can = {name: metric for name, metric in METRICS.items() if _can_judge(metric, read)}
    if metrics is None:
        return {name: can[name] for name in DOZEN if name in can}
    if isinstance(metrics, str):
        if metrics != "all":
            raise ParameterError(f"metrics must be a list of ids, 'all' or None; got {metrics!r}. Pass [{metrics!r}].")
        return can
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"metrics must be a list of ids, 'all' or None; got {metrics!r}.")
    return {name: _asked_for(name, METRICS) for name in metrics}


def _asked_for(name: str, known: Mapping[str, Metric]) -> Metric:
    metric = choose("a metric", name, known)
    if metric.needs:
        raise ParameterError(
            f"metrics: {name!r} needs {', '.join(metric.needs)}, which evaluate does not take; call "
            f"calibrant.metrics.{name} itself."
        )
    return metric


def _can_judge(metric: Metric, read: Predictions) -> bool:
    return not metric.needs and (metric.classes == "any" or read.n_classes == 2 or read.is_told)


def _card(judged: Judged, metrics: Mapping[str, Metric], interval: str, name: Any = None) -> ScoreCard:
    @cache
    def band() -> Band | None:
        return band_of(judged, judged.confidence or 0.95)

    read = judged.read
    scores = scored(judged, metrics, interval, band)
    return ScoreCard(scores, read.n_rows, tuple(read.classes.tolist()), judged.confidence, name, judged=judged)


def _by_segment(card: ScoreCard, judged: Judged, metrics: Mapping[str, Metric], interval: str, by: Any) -> ScoreCard:
    codes, names = read_codes("by", by, judged.read)
    cards = {name: _card(judged.part(codes == number), metrics, interval, name) for number, name in enumerate(names)}
    is_tested = judged.confidence is not None and len(names) > 1
    found = equal_calibration(judged.read.judged(), codes, names, judged.clusters()) if is_tested else None
    return ScoreCard(card.scores, card.n_rows, card.classes, card.confidence, None, cards, found, judged)
