"""Scores of a table from running sums: losses, metrics of the predicted class and of rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, measure_of
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.metric_intervals import UNDEFINED, score_of_replicates, success_counts
from calibrant.metrics._intervals.moments import mean_interval
from calibrant.metrics._intervals.proportions import Interval, wilson_interval
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.running_sums import RunningSums
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._verdict.words import round_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEANS", "RANKINGS", "TableScorer"]

RANKINGS = ("auc", "gini", "average_precision", "ks", "lift", "aulc")
_ROUNDING = 1e-12
_N_DRAWN = 1000  # confusion matrices and rankings drawn for intervals
_N_BLOCKS = (
    2000  # of neighboring bins that replicates of rankings are drawn from; ends move by less than 3 % of a width
)

# The row value that is summed, and how its mean becomes the metric for some number of classes.
MEANS: dict[str, tuple[str, Callable[[float, int], float]]] = {
    **dict.fromkeys(("mse", "ql"), ("squared", lambda mean, _: mean)),
    "brier": ("squared", lambda mean, n_classes: mean / brier_divisor(n_classes)),
    "rms": ("squared", lambda mean, n_classes: math.sqrt(mean / max(n_classes, 2))),
    "mse01": ("own_squared", lambda mean, _: mean),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("log_loss", lambda mean, _: mean)),
    "log_loss_bits": ("log_loss", lambda mean, _: mean / math.log(2.0)),
    "spherical": ("spherical", lambda mean, _: mean),
}


class TableScorer:
    """Computes scores from running sums."""

    def __init__(self, running: RunningSums, confidence: float | None, seed: np.random.SeedSequence) -> None:
        self._running, self._confidence, self._seed = running, confidence, seed
        self._ranked_draws: dict[str, NDArray[np.float64]] = {}

    def scores(self, metrics: Mapping[str, Metric]) -> dict[str, Score]:
        """Return the scores of metrics."""
        ranked = {name: metric for name, metric in metrics.items() if name in RANKINGS and name not in ("auc", "gini")}
        self._ranked_draws = self._draw_rankings(ranked) if ranked and self._confidence is not None else {}
        return {name: self._score(metric) for name, metric in metrics.items()}

    def _score(self, metric: Metric) -> Score:
        if metric.id in MEANS:
            return self._mean_score(metric)
        return self._ranking_score(metric) if metric.id in RANKINGS else self._confusion_score(metric)

    def _mean_score(self, metric: Metric) -> Score:
        column, then = MEANS[metric.id]
        running = self._running
        if column == "log_loss" and running.n_infinite:
            note = f"the actual class has probability 0 in {running.n_infinite:,} row(s)"
            return Score(metric.id, math.inf, note=note)
        moments = running.sums[column] / running.total
        value = then(max(float(moments[0]), 0.0), running.like.n_classes)
        if self._confidence is None:
            return Score(metric.id, value)
        mean, square, cube = moments.tolist()
        ends = mean_interval(mean, square, cube, running.total, self._confidence)
        if math.isclose(*ends, rel_tol=_ROUNDING):
            return Score(metric.id, value, note="no interval: every row has the same value")
        low, high = (then(max(end, 0.0), running.like.n_classes) for end in ends)
        return Score(metric.id, value, low, high, "BCa")

    def _confusion_score(self, metric: Metric) -> Score:
        running = self._running
        measure = measure_of(metric)
        assert measure is not None  # noqa: S101  # such metrics alone come here
        whole = self._confusions(running.cells)
        value = float(measure(whole)[0])
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(metric.id, value)
        counts = success_counts(metric, whole) if running.has_whole_weights else None
        if counts is not None:
            return Score(metric.id, value, *wilson_interval(*counts, self._confidence), "Wilson")
        drawn = measure(self._confusions(self._tables))
        return score_of_replicates(metric.id, value, drawn, None, self._confidence, "bootstrap")

    def _confusions(self, cells: NDArray[np.float64]) -> Confusions:
        like = self._running.like
        return Confusions(cells.reshape(-1, like.n_classes, like.n_classes), like)

    @cached_property
    def _tables(self) -> NDArray[np.float64]:
        """Resampled confusion matrices."""
        cells = self._running.cells
        rng = np.random.default_rng(self._seed)
        return rng.multinomial(max(1, round(self._running.total)), cells / cells.sum(), _N_DRAWN).astype(np.float64)

    def _ranking_score(self, metric: Metric) -> Score:
        value = metric.judge(self._running.ranked("tied"))
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        off = max(abs(end - value) for end in self._extremes(metric))
        note = "" if off <= _ROUNDING else f"approximate: off by at most {round_up(off):g}"
        if self._confidence is None:
            return Score(metric.id, value, note=note)
        if metric.id in ("auc", "gini"):
            return Score(metric.id, value, *self._area_ends(metric.id, off), "DeLong", note=note)
        found = score_of_replicates(
            metric.id, value, self._ranked_draws[metric.id], None, self._confidence, "bootstrap"
        )
        if found.low is None or found.high is None:
            return replace(found, note="; ".join(filter(None, (note, found.note))))
        low, high = max(found.low - off, metric.low), min(found.high + off, metric.high)
        return replace(found, low=low, high=high, note="; ".join(filter(None, (note, found.note))))

    def _extremes(self, metric: Metric) -> Iterator[float]:
        """Yield the metric with the best and the worst order within the bins."""
        yield metric.judge(self._running.ranked("first"))
        is_precision = metric.id == "average_precision"
        yield self._running.least_precision() if is_precision else metric.judge(self._running.ranked("last"))

    def _area_ends(self, name: str, off: float) -> Interval:
        """Return DeLong's interval, extended on either side by the error of binning."""
        rows = self._running.ranked("tied").binary_rows()
        _, (low, high) = area_interval(rows.proba, rows.positive, rows.weight, self._confidence or 0.95)
        if name == "gini":
            low, high = 2.0 * low - 1.0, 2.0 * high - 1.0
        return Interval(max(low - off, -1.0 if name == "gini" else 0.0), min(high + off, 1.0))

    def _draw_rankings(self, metrics: Mapping[str, Metric]) -> dict[str, NDArray[np.float64]]:
        """Return metrics of resampled blocks of neighboring rows, less what joining rows to blocks changes."""
        blocks = self._running.blocks(_N_BLOCKS)
        rng = np.random.default_rng(self._seed)
        chances, n_drawn = blocks.weight / blocks.total, max(1, round(blocks.total))
        drawn: dict[str, list[float]] = {name: [] for name in metrics}
        for _ in range(_N_DRAWN):
            replicate = _weighted(blocks, rng.multinomial(n_drawn, chances).astype(np.float64))
            for name, metric in metrics.items():
                drawn[name].append(metric.judge(replicate))
        whole = self._running.ranked("tied")
        return {name: np.array(drawn[name]) + m.judge(whole) - m.judge(blocks) for name, m in metrics.items()}


def _weighted(predictions: Predictions, weights: NDArray[np.float64]) -> Predictions:
    """Return the rows with other weights, without those of weight 0."""
    kept = np.flatnonzero(weights)
    return replace(
        predictions,
        label=predictions.label[kept],
        table=np.ascontiguousarray(predictions.table[kept]),
        weights=weights[kept],
        n_input_rows=len(kept),
    )
