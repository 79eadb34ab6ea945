"""Evaluation of tables larger than memory, batch by batch, with bounds on what that approximates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from calibrant._params import CONFIDENCE, Int, Nothing, check_param, choose
from calibrant._random import SeedLike, seed_sequence
from calibrant.data._internal import Source, open_source
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._classification.confusion import measure_of
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicate_values import MEANS
from calibrant.metrics._metric import METRICS, Metric, requested_metrics
from calibrant.metrics._scorecard.running_sums import RunningSums, SortedRows
from calibrant.metrics._scorecard.score_card import ScoreCard
from calibrant.metrics._scorecard.table_scores import CALIBRATION, RANKINGS, TableScorer
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions, two_classes

_BATCH = 1_000_000  # rows: 8 MB for each column, and few enough batches that their overhead does not count

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
        requested = _select_metrics(metrics, len(names))
        batches = partial(_batches, opened, columns, pos_label, names)
        running = _sum(batches(), sorted_rows if "cal" in requested else None)
        scorer = TableScorer(running, batches, sorted_rows, confidence, seed_sequence(random_state))
        scores = scorer.scores(requested)
    seed = seed_sequence(random_state)
    binned = BootstrapPlan(running.histogram.tied_rows(), seed=seed) if len(names) <= 2 else None
    return ScoreCard(scores, running.n_rows, tuple(names), confidence, binned=binned)


def _classes(source: Source) -> list[Any]:
    """Return the classes that occur, from the first pass over the source."""
    labels = source.survey().labels
    return [] if labels is None else list(labels.labels().classes.tolist())


def _batches(source: Source, columns: list[str], pos_label: Any, names: list[Any]) -> Iterator[Predictions]:
    """Yield the validated rows of each part of a source that has any."""
    source.survey()  # which decides the types of columns of text
    labels = np.array(names, dtype=object)  # "not 1" and 1 stay what they are
    for part in source:
        if part.n_rows:
            proba = part.frame[columns[0]].to_numpy() if len(columns) == 1 else part.features.to_numpy()
            try:
                yield read_predictions(part.y, proba, part.weights, pos_label, labels)
            except DataError as error:
                where = f"in the batch that starts at row {part.first_row:,} of source: " if part.first_row else ""
                raise type(error)(f"{where}{error}") from error


def _sum(batches: Iterable[Predictions], sorted_rows: SortedRows | None) -> RunningSums:
    """Return the sums over all batches; write the rows to be sorted, if that is requested."""
    running: RunningSums | None = None
    for predictions in batches:
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

    def find(name: str) -> Metric:
        choose("a metric", name, METRICS)
        if name not in can:
            raise ParameterError(
                f"metrics: {name!r} cannot be computed from batches of {n_classes} classes; there are {', '.join(can)}."
                " Use evaluate on a sample of the rows."
            )
        return can[name]

    return requested_metrics(metrics, can, _DEFAULT, find)
