"""The same judgement for tables larger than memory: one pass over batches, and what that leaves open said."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.metric_intervals import DECISIONS, UNDEFINED, score_of_replicates
from calibrant.metrics._intervals.proportions import CONFIDENCE, Interval, proportion_interval, two_sided_z
from calibrant.metrics._intervals.replicate_values import of_cells
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.batches import batches
from calibrant.metrics._scorecard.running_sums import Running
from calibrant.metrics._scorecard.sample_size import round_up
from calibrant.metrics._scorecard.score_card import Score, ScoreCard
from calibrant.metrics._validation.predictions import read_predictions, two_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["evaluate_table"]

_RANKS = ("auc", "gini", "average_precision", "ks", "lift", "aulc")
_N_TABLES = 1000  # drawn for the intervals of decisions
_BATCH = 1_000_000

# the value summed, and what the mean of it becomes with some number of classes
_MEANS: dict[str, tuple[str, Callable[[float, int], float]]] = {
    **dict.fromkeys(("mse", "brier", "ql"), ("squared", lambda mean, _: mean)),
    "rms": ("squared", lambda mean, n_classes: math.sqrt(mean / max(n_classes, 2))),
    "mse01": ("own_squared", lambda mean, _: mean),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("surprise", lambda mean, _: mean)),
    "log_loss_bits": ("surprise", lambda mean, _: mean / math.log(2.0)),
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
    """Judge the predictions of a table larger than memory, batch by batch.

    Losses and decisions are exact. Measures of ranks are read off a histogram of some 300,000 bins, as narrow as
    1/4096 of the way to the nearer of 0 and 1: where a bin has seen different probabilities they count as equal, and
    the score's note says how far off that can be at most, by the best and the worst order within the bins.

    Intervals are of this fitted model on independent rows: of means by the normal distribution, Wilson's for
    proportions, DeLong's for the area, by drawing the table of decisions anew for what depends on it alone.

    Parameters
    ----------
    source : path, polars LazyFrame, Dask frame, or a frame in memory
        The table; a path is that of a Parquet file. It is read once where `labels` tells the classes, else twice.
    target : str
        The column of classes.
    proba : str or sequence of str
        The column of the probability of the positive class, or a column for each class in the order of `labels`.
    weight : str, optional
        The column that says how often each row counts.
    metrics : sequence of str, "all" or None
        Ids of losses, decisions and measures of ranks; None: log_loss, mse, auc, average_precision, ks, lift,
        accuracy, kappa, f1 and mcc, as far as the number of classes allows; "all": every one that can be read off
        batches.
    confidence : float or None
        How often such intervals hold the true value; None: no intervals.
    pos_label : optional
        The positive class; by default the last sorted one of two.
    labels : sequence, optional
        The classes in the order of the columns; by default those found, sorted.
    batch_size : int
        How many rows are in memory at once, where the source lets it be told.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness of the drawn tables.

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
    wanted = _chosen(metrics, len(names))
    scores = _Scorer(running, confidence, np.random.default_rng(seed_sequence(random_state))).scored(wanted)
    return ScoreCard(scores, running.n_rows, tuple(names), confidence)


def _classes(source: Any, target: str, weight: str | None, batch_size: int) -> list[Any]:
    """Find the classes that occur in a first pass over their column."""
    found: set[Any] = set()
    for batch in batches(source, [target] if weight is None else [target, weight], batch_size):
        counted = batch if weight is None else batch.filter(batch[weight] != 0)
        found |= {name for name in counted[target].unique().to_list() if name is not None}
    if not found:
        raise DataError("source has no row that counts.")
    return list(np.unique(np.array(list(found))).tolist())


def _summed(
    source: Any,
    target: str,
    proba: list[str],
    weight: str | None,
    pos_label: Any,
    labels: list[Any],
    batch_size: int,
) -> Running:
    running: Running | None = None
    begin = 0
    for batch in batches(source, [target, *proba, *([weight] if weight else [])], batch_size):
        first, begin = begin, begin + len(batch)
        counts = None if weight is None else batch[weight].to_numpy()
        if not len(batch) or (counts is not None and not counts.any()):
            continue
        table = batch[proba[0]].to_numpy() if len(proba) == 1 else batch.select(proba).to_numpy()
        y = batch[target].to_numpy()
        try:
            read = read_predictions(y, table, sample_weight=counts, pos_label=pos_label, labels=labels)
        except DataError as error:
            where = f"in the batch that starts at row {first:,} of source: " if first else ""
            raise type(error)(f"{where}{error}") from error
        if running is None:
            running = Running(read)
        else:
            running.add(read)
    if running is None:
        raise DataError("source has no row that counts.")
    return running


def _chosen(metrics: str | Iterable[str] | None, n_classes: int) -> dict[str, Metric]:
    from calibrant.metrics import METRICS  # it holds every metric, evaluate_table's neighbours

    known = [*_MEANS, *DECISIONS, *(_RANKS if n_classes == 2 else ())]
    can = {name: METRICS[name] for name in known if METRICS[name].classes == "any" or n_classes == 2}
    if metrics is None:
        return {name: can[name] for name in _DEFAULT if name in can}
    if isinstance(metrics, str):
        if metrics != "all":
            raise ParameterError(f"metrics must be a list of ids, 'all' or None; got {metrics!r}. Pass [{metrics!r}].")
        return can
    return {name: _asked_for(name, can, METRICS, n_classes) for name in metrics}


def _asked_for(name: str, can: Mapping[str, Metric], known: Mapping[str, Metric], n_classes: int) -> Metric:
    choose("a metric", name, known)
    if name not in can:
        raise ParameterError(
            f"metrics: {name!r} cannot be read off batches of {n_classes} classes; there are {', '.join(can)}. Use "
            "evaluate on a sample of the rows."
        )
    return can[name]


class _Scorer:
    """Scores from running sums."""

    def __init__(self, running: Running, confidence: float | None, rng: np.random.Generator) -> None:
        self._running, self._confidence, self._rng = running, confidence, rng
        self._tables: NDArray[np.float64] | None = None

    def scored(self, metrics: Mapping[str, Metric]) -> dict[str, Score]:
        return {name: self._score(metric) for name, metric in metrics.items()}

    def _score(self, metric: Metric) -> Score:
        if metric.id in _MEANS:
            return self._mean(metric)
        return self._decision(metric) if metric.id in DECISIONS else self._rank(metric)

    def _mean(self, metric: Metric) -> Score:
        column, then = _MEANS[metric.id]
        running = self._running
        if column == "surprise" and running.n_infinite:
            return Score(metric.id, math.inf, note=f"{running.n_infinite:,} row(s) of probability 0 came true")
        mean, square = running.sums[column] / running.total
        n_classes = running.like.n_classes
        if self._confidence is None:
            return Score(metric.id, then(mean, n_classes))
        reach = two_sided_z(self._confidence) * math.sqrt(max(square - mean**2, 0.0) / running.total)
        value, low, high = (then(max(x, 0.0), n_classes) for x in (mean, mean - reach, mean + reach))
        return Score(metric.id, value, low, high, "normal")

    def _decision(self, metric: Metric) -> Score:
        running = self._running
        value = metric.judge(of_cells(running.like, running.cells))
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(metric.id, value)
        if metric.id in ("accuracy", "error"):
            ends = proportion_interval(min(value, 1.0) * running.total, running.total, self._confidence)
            return Score(metric.id, value, *ends, "Wilson")
        if self._tables is None:
            shares = running.cells / running.cells.sum()
            self._tables = self._rng.multinomial(max(1, round(running.total)), shares, _N_TABLES).astype(np.float64)
        drawn = np.array([metric.judge(of_cells(running.like, cells)) for cells in self._tables])
        return score_of_replicates(metric.id, value, drawn, None, self._confidence, "percentile")

    def _rank(self, metric: Metric) -> Score:
        value = metric.judge(self._running.ranked("tied"))
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        off = max(abs(end - value) for end in self._extremes(metric))
        notes = [] if off <= 1e-12 else [f"approximate: off by at most {round_up(off):g}"]
        ends = self._area_ends(metric.id, off) if self._confidence is not None else None
        if ends is not None:
            return Score(metric.id, value, *ends, "DeLong", note="".join(notes))
        notes += ["no interval: it takes the rows themselves"] if self._confidence is not None else []
        return Score(metric.id, value, note="; ".join(notes))

    def _extremes(self, metric: Metric) -> Iterator[float]:
        """Give the metric with the best and the worst order within the bins."""
        yield metric.judge(self._running.ranked("first"))
        is_precision = metric.id == "average_precision"
        yield self._running.least_precision() if is_precision else metric.judge(self._running.ranked("last"))

    def _area_ends(self, name: str, off: float) -> Interval | None:
        """Give DeLong's interval, longer on either side by what is open."""
        if name not in ("auc", "gini"):
            return None
        rows = self._running.ranked("tied").two_class()
        _, (low, high), _ = area_interval(rows.proba, rows.positive, rows.weight, self._confidence or 0.95)
        if name == "gini":
            low, high = 2.0 * low - 1.0, 2.0 * high - 1.0
        return Interval(max(low - off, -1.0 if name == "gini" else 0.0), min(high + off, 1.0))
