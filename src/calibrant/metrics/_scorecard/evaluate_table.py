"""Evaluation of tables larger than memory, in one pass over batches, with bounds on what that approximates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.metric_intervals import (
    CONFUSION_METRICS,
    UNDEFINED,
    score_of_replicates,
    success_counts,
)
from calibrant.metrics._intervals.proportions import CONFIDENCE, Interval, two_sided_z, wilson_interval
from calibrant.metrics._intervals.replicate_values import predictions_of_cells
from calibrant.metrics._metric import Metric, requested_metrics
from calibrant.metrics._scorecard.batches import batches
from calibrant.metrics._scorecard.running_sums import RunningSums
from calibrant.metrics._scorecard.score_card import Score, ScoreCard
from calibrant.metrics._validation.read_predictions import read_predictions, two_classes
from calibrant.metrics._verdict.words import round_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["evaluate_table"]

_RANKINGS = ("auc", "gini", "average_precision", "ks", "lift", "aulc")
_ROUNDING = 1e-12
_N_TABLES = 1000  # confusion matrices drawn for intervals
_BATCH = 1_000_000  # rows: 8 MB for each column, and few enough batches that their overhead does not count

# The row value that is summed, and how its mean becomes the metric for some number of classes.
_MEANS: dict[str, tuple[str, Callable[[float, int], float]]] = {
    **dict.fromkeys(("mse", "brier", "ql"), ("squared", lambda mean, _: mean)),
    "rms": ("squared", lambda mean, n_classes: math.sqrt(mean / max(n_classes, 2))),
    "mse01": ("own_squared", lambda mean, _: mean),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("log_loss", lambda mean, _: mean)),
    "log_loss_bits": ("log_loss", lambda mean, _: mean / math.log(2.0)),
    "spherical": ("spherical", lambda mean, _: mean),
}
_DEFAULT = ("log_loss", "mse", "auc", "average_precision", "ks", "lift", "accuracy", "kappa", "f1", "mcc")


def evaluate_table(
    source: Any,
    *,
    target: str,
    proba: str | Sequence[str],
    weight: str | None = None,
    metrics: str | Iterable[str] | None = None,
    confidence: float | None = 0.95,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    batch_size: int = _BATCH,
    random_state: SeedLike = 0,
) -> ScoreCard:
    """Evaluate the predictions of a table larger than memory, batch by batch.

    Losses and metrics of the predicted class are exact. Metrics of rankings are computed from a histogram of some
    300,000 bins, at most 1/4096 of the distance to the nearer of 0 and 1 wide: different probabilities in a bin count
    as equal, and the score's note bounds the error of that, by the best and the worst order within the bins.

    Intervals are those of this fitted model on independent rows: normal ones for means, Wilson's for proportions,
    DeLong's for the area, and resampled confusion matrices for metrics that depend on them alone.

    Parameters
    ----------
    source : path, polars LazyFrame, Dask frame, or a frame in memory
        The table; a path is that of a Parquet file, or of a CSV file with a header (.csv, .tsv, .tab or .txt, also
        .gz). It is read once if `labels` is passed, else twice; see below for what takes further passes.
    target : str
        The column of classes.
    proba : str or sequence of str
        The column of the probability of the positive class, or a column for each class in the order of `labels`.
    weight : str, optional
        The column of the weight of each row.
    metrics : sequence of str, "all" or None
        Ids of losses and of metrics of the predicted class and of rankings; None: log_loss, mse, auc,
        average_precision, ks, lift, accuracy, kappa, f1 and mcc, as far as the number of classes allows; "all": every
        one that can be computed from batches.
    confidence : float or None
        The probability that such intervals cover the true value; None: no intervals.
    pos_label : optional
        The positive class; by default the last of two sorted classes.
    labels : sequence, optional
        The classes in the order of the columns; by default those that occur, sorted.
    batch_size : int
        The number of rows in memory at once, where the source allows a choice.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness of the resampled confusion matrices.

    Returns
    -------
    ScoreCard
        A score for each metric.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"y": [0, 1, 1, 0], "p": [0.2, 0.7, 0.6, 0.4]})
    >>> evaluate_table(lazy, target="y", proba="p", metrics=["auc", "mse"], batch_size=3, confidence=None)
    Scores: 4 rows, 2 classes
      auc  1.0000
      mse  0.2250
    """
    check_param("confidence", confidence, CONFIDENCE | Nothing())
    check_param("batch_size", batch_size, Int(1))
    columns = [proba] if isinstance(proba, str) else list(proba)
    names = list(labels) if labels is not None else _classes(source, target, weight, batch_size)
    if labels is None and len(columns) == 1:
        names = two_classes(names, pos_label)
    running = _summed(source, target, columns, weight, pos_label, names, batch_size)
    requested = _select_metrics(metrics, len(names))
    scores = _Scorer(running, confidence, np.random.default_rng(seed_sequence(random_state))).scores(requested)
    return ScoreCard(scores, running.n_rows, tuple(names), confidence)


def _classes(source: Any, target: str, weight: str | None, batch_size: int) -> list[Any]:
    """Return the classes that occur, from a first pass over their column."""
    found: set[Any] = set()
    for batch in batches(
        source, [target] if weight is None else [target, weight], batch_size, [weight] if weight else []
    ):
        counted = batch if weight is None else batch.filter(batch[weight] != 0)
        found |= {name for name in counted[target].unique().to_list() if name is not None}
    if not found:
        raise DataError("source has no row of weight above 0.")
    return list(np.unique(np.array(list(found))).tolist())


def _summed(
    source: Any, target: str, proba: list[str], weight: str | None, pos_label: Any, labels: list[Any], batch_size: int
) -> RunningSums:
    running: RunningSums | None = None
    begin = 0
    numbers = [*proba, *([weight] if weight else [])]
    for batch in batches(source, [target, *numbers], batch_size, numbers):
        first, begin = begin, begin + len(batch)
        counts = None if weight is None else batch[weight].to_numpy()
        if not len(batch) or (counts is not None and not counts.any()):
            continue
        table = batch[proba[0]].to_numpy() if len(proba) == 1 else batch.select(proba).to_numpy()
        y = batch[target].to_numpy()
        try:
            predictions = read_predictions(y, table, counts, pos_label, labels)
        except DataError as error:
            where = f"in the batch that starts at row {first:,} of source: " if first else ""
            raise type(error)(f"{where}{error}") from error
        if running is None:
            running = RunningSums(predictions)
        else:
            running.add(predictions)
    if running is None:
        raise DataError("source has no row of weight above 0.")
    return running


def _select_metrics(metrics: str | Iterable[str] | None, n_classes: int) -> dict[str, Metric]:
    from calibrant.metrics import METRICS  # a circular import otherwise: it imports evaluate_table

    known = [*_MEANS, *CONFUSION_METRICS, *(_RANKINGS if n_classes == 2 else ())]
    can = {name: METRICS[name] for name in known if METRICS[name].classes == "any" or n_classes == 2}
    return requested_metrics(metrics, can, _DEFAULT, lambda name: _requested(name, can, METRICS, n_classes))


def _requested(name: str, can: Mapping[str, Metric], known: Mapping[str, Metric], n_classes: int) -> Metric:
    choose("a metric", name, known)
    if name not in can:
        raise ParameterError(
            f"metrics: {name!r} cannot be computed from batches of {n_classes} classes; there are {', '.join(can)}. "
            "Use evaluate on a sample of the rows."
        )
    return can[name]


class _Scorer:
    """Computes scores from running sums."""

    def __init__(self, running: RunningSums, confidence: float | None, rng: np.random.Generator) -> None:
        self._running, self._confidence, self._rng = running, confidence, rng
        self._tables: NDArray[np.float64] | None = None

    def scores(self, metrics: Mapping[str, Metric]) -> dict[str, Score]:
        return {name: self._score(metric) for name, metric in metrics.items()}

    def _score(self, metric: Metric) -> Score:
        if metric.id in _MEANS:
            return self._mean_score(metric)
        return self._confusion_score(metric) if metric.id in CONFUSION_METRICS else self._ranking_score(metric)

    def _mean_score(self, metric: Metric) -> Score:
        column, then = _MEANS[metric.id]
        running = self._running
        if column == "log_loss" and running.n_infinite:
            note = f"the actual class has probability 0 in {running.n_infinite:,} row(s)"
            return Score(metric.id, math.inf, note=note)
        mean, square = running.sums[column] / running.total
        n_classes = running.like.n_classes
        if self._confidence is None:
            return Score(metric.id, then(mean, n_classes))
        reach = two_sided_z(self._confidence) * math.sqrt(max(square - mean**2, 0.0) / running.total)
        value, low, high = (then(max(x, 0.0), n_classes) for x in (mean, mean - reach, mean + reach))
        return Score(metric.id, value, low, high, "normal")

    def _confusion_score(self, metric: Metric) -> Score:
        running = self._running
        of_cells = predictions_of_cells(running.like, running.cells)
        value = metric.judge(of_cells)
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(metric.id, value)
        counts = success_counts(metric, of_cells)
        if counts is not None:
            return Score(metric.id, value, *wilson_interval(*counts, self._confidence), "Wilson")
        if self._tables is None:
            frequencies = running.cells / running.cells.sum()
            n_drawn = max(1, round(running.total))
            self._tables = self._rng.multinomial(n_drawn, frequencies, _N_TABLES).astype(np.float64)
        drawn = np.array([metric.judge(predictions_of_cells(running.like, cells)) for cells in self._tables])
        return score_of_replicates(metric.id, value, drawn, None, self._confidence, "percentile")

    def _ranking_score(self, metric: Metric) -> Score:
        value = metric.judge(self._running.ranked("tied"))
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        off = max(abs(end - value) for end in self._extremes(metric))
        notes = [] if off <= _ROUNDING else [f"approximate: off by at most {round_up(off):g}"]
        ends = self._area_ends(metric.id, off) if self._confidence is not None else None
        if ends is not None:
            return Score(metric.id, value, *ends, "DeLong", note="".join(notes))
        notes += ["no interval: it needs the rows themselves"] if self._confidence is not None else []
        return Score(metric.id, value, note="; ".join(notes))

    def _extremes(self, metric: Metric) -> Iterator[float]:
        """Yield the metric with the best and the worst order within the bins."""
        yield metric.judge(self._running.ranked("first"))
        is_precision = metric.id == "average_precision"
        yield self._running.least_precision() if is_precision else metric.judge(self._running.ranked("last"))

    def _area_ends(self, name: str, off: float) -> Interval | None:
        """Return DeLong's interval, extended on either side by the error of binning."""
        if name not in ("auc", "gini"):
            return None
        rows = self._running.ranked("tied").binary_rows()
        _, (low, high), _ = area_interval(rows.proba, rows.positive, rows.weight, self._confidence or 0.95)
        if name == "gini":
            low, high = 2.0 * low - 1.0, 2.0 * high - 1.0
        return Interval(max(low - off, -1.0 if name == "gini" else 0.0), min(high + off, 1.0))
