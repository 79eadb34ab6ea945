"""Evaluation of tables larger than memory, batch by batch, with bounds on what that approximates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._params import CONFIDENCE, Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant.data._internal import Source, SourcePart, open_source
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._classification.confusion import measure_of
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicate_values import MEANS
from calibrant.metrics._metric import METRICS, Metric, requested_metrics
from calibrant.metrics._scorecard.line_passes import StreamedLine, fit_line_in_passes
from calibrant.metrics._scorecard.running_sums import RunningSums
from calibrant.metrics._scorecard.score_card import Score, ScoreCard
from calibrant.metrics._scorecard.sorted_rows import SortedRows, WindowSums
from calibrant.metrics._scorecard.table_scores import CALIBRATION, RANKINGS, CalibrationScorer, TableScorer
from calibrant.metrics._validation.predictions import BinaryRows, Predictions
from calibrant.metrics._validation.read_predictions import read_predictions, two_classes

_BATCH = 1_000_000  # rows: 8 MB for each column, and few enough batches that their overhead does not count

_WINDOW = 100.0  # rows of a window, as in `cal`
_DEFAULT = ("log_loss", "brier", "auc", "average_precision", "ks", "lift", "accuracy", "kappa", "f1", "mcc", "ece")


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

    Losses, metrics of the predicted class, ece, classwise_ece, spiegelhalter_z, calibration_slope and
    calibration_intercept are those of all rows at once. So is cal, for which the rows are sorted on disk, in a
    temporary folder: 24 bytes for each distinct probability of a batch. Slope and intercept take two further passes
    over the table as a rule, at most 20. Metrics of rankings are computed from a histogram of some 300,000 bins, at
    most 1/4096 of the distance to the nearer of 0 and 1 wide: different probabilities in a bin count as equal, and the
    score's note bounds the error of that, by the best and the worst order within the bins.

    Intervals are those of `evaluate`, of this fitted model on independent rows: BCa by the moments of means, Wilson's
    for proportions, DeLong's for the area, a sandwich estimate for slope and intercept, an upper bound for ece and cal,
    and resampled confusion matrices or blocks of neighboring rows for others. A measure without an interval or
    p-value that `evaluate` returns has a note on why. The verdict on calibration is that of the histogram; that of more
    than two classes takes all rows in memory.

    Parameters
    ----------
    source : path, polars LazyFrame, pyarrow Dataset, Dask frame, or a frame in memory
        The table; a path is that of a Parquet file, of a CSV file with a header (.csv, .tsv, .tab or .txt, also .gz),
        or of a folder of such files. It is read twice; slope and intercept take further passes.
    target : str
        The column of classes.
    proba : str or sequence of str
        The column of the probability of the positive class, or a column for each class in the order of `labels`.
    weight : str, optional
        The column of the weight of each row.
    metrics : sequence of str, "all" or None
        Ids of losses, of metrics of the predicted class and of rankings, and of calibration measures; None: log_loss,
        brier, auc, average_precision, ks, lift, accuracy, kappa, f1, mcc and ece, as far as the number of classes
        allows; "all": every one that can be computed from batches.
    confidence : float or None
        The probability that such intervals cover the true value; None: no intervals.
    pos_label : optional
        The positive class; by default the last of two sorted classes.
    labels : sequence, optional
        The classes in the order of the columns; by default those that occur, sorted.
    batch_size : int
        The number of rows in memory at once, where the source allows a choice.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness of what is resampled.

    Returns
    -------
    ScoreCard
        A score for each metric.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"y": [0, 1, 1, 0], "p": [0.2, 0.7, 0.6, 0.4]})
    >>> evaluate_table(lazy, target="y", proba="p", metrics=["auc", "brier"], batch_size=3, confidence=None)
    Scores: 4 rows, 2 classes
      auc    1.0000
      brier  0.1125
    """
    check_param("confidence", confidence, CONFIDENCE | Nothing())
    check_param("batch_size", batch_size, Int(1))
    columns = [proba] if isinstance(proba, str) else list(proba)
    roles: dict[str, Any] = {"target": target, "sample_weight": weight, "columns": columns, "batch_size": batch_size}
    with open_source(source, **roles) as opened, SortedRows(batch_size) as sorted_rows:
        names = list(labels) if labels is not None else _classes(opened)
        if labels is None and len(columns) == 1:
            names = two_classes(names, pos_label)
        table, requested = _Table(opened, columns, pos_label, names), _select_metrics(metrics, len(names))
        running = table.summed(sorted_rows if "cal" in requested else None)
        scores = _scores(table, running, sorted_rows, requested, confidence, seed_sequence(random_state))
    seed = seed_sequence(random_state)
    binned = BootstrapPlan(running.histogram.tied_rows(), seed=seed) if len(names) <= 2 else None
    return ScoreCard(scores, running.n_rows, tuple(names), confidence, binned=binned)


def _scores(
    table: _Table,
    running: RunningSums,
    sorted_rows: SortedRows,
    requested: Mapping[str, Metric],
    confidence: float | None,
    seed: np.random.SeedSequence,
) -> dict[str, Score]:
    def line() -> StreamedLine:
        tied = running.histogram.tied_rows().binary_rows()
        return fit_line_in_passes(table.passes(), tied, running.extreme_rows())

    def windows() -> float:
        sums = WindowSums(_WINDOW)
        for groups in sorted_rows:
            sums.add(*groups)
        return sums.mean()

    calibration = CalibrationScorer(running, confidence, seed, line, windows)
    others = {name: metric for name, metric in requested.items() if name not in CALIBRATION}
    found = TableScorer(running, confidence, seed).scores(others)
    return {name: found[name] if name in found else calibration.score(name) for name in requested}


def _classes(source: Source) -> list[Any]:
    """Return the classes that occur, from the first pass over the source."""
    labels = source.survey().labels
    return [] if labels is None else list(labels.labels().classes.tolist())


@dataclass(frozen=True, eq=False)
class _Table:
    """A source and the columns of its probabilities."""

    source: Source
    proba: list[str]
    pos_label: Any
    labels: list[Any]

    def __iter__(self) -> Iterator[Predictions]:
        """Yield the validated rows of each part that has any."""
        self.source.survey()  # which decides the types of columns of text
        for part in self.source:
            if part.n_rows:
                yield self._predictions(part)

    def _predictions(self, part: SourcePart) -> Predictions:
        one = len(self.proba) == 1
        labels = np.array(self.labels, dtype=object)  # "not 1" and 1 stay what they are
        proba = part.frame[self.proba[0]].to_numpy() if one else part.features.to_numpy()
        try:
            return read_predictions(part.y, proba, part.weights, self.pos_label, labels)
        except DataError as error:
            where = f"in the batch that starts at row {part.first_row:,} of source: " if part.first_row else ""
            raise type(error)(f"{where}{error}") from error

    def passes(self) -> Iterator[Iterator[BinaryRows]]:
        """Yield the rows of all batches again and again, a pass each."""
        while True:
            yield (predictions.binary_rows() for predictions in self)

    def summed(self, sorted_rows: SortedRows | None) -> RunningSums:
        """Return the sums over all batches; write the rows to be sorted, if that is requested."""
        running: RunningSums | None = None
        for predictions in self:
            if running is None:
                running = RunningSums(predictions)
            else:
                running.add(predictions)
            if sorted_rows is not None:
                sorted_rows.add(predictions.calibration_rows())
        if running is None:
            raise DataError("source has no row of weight above 0.")
        return running


def _select_metrics(metrics: str | Iterable[str] | None, n_classes: int) -> dict[str, Metric]:
    of_confusion = [name for name, metric in METRICS.items() if measure_of(metric) is not None]
    known = [*MEANS, *of_confusion, *(RANKINGS if n_classes == 2 else ()), *CALIBRATION]
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
