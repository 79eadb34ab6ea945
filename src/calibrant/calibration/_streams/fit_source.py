"""The rows of a source as a calibrator is fitted to them: a grid of one score, or a sample of rows of several."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calibrant._exact_sums import weight_step
from calibrant._source_limits import check_source_columns
from calibrant.calibration._streams.part_scores import ScoresOfParts, find_range, merge_ranges
from calibrant.calibration._streams.passes import ScorePasses, binary_scores
from calibrant.calibration._streams.row_sample import MOST_SAMPLED, RowSample, merge_samples, sample_of_part
from calibrant.calibration._validation import ScoredRows, check_columns, order_positions, read_labels
from calibrant.data._internal import Source, open_source
from calibrant.exceptions import CalibrantWarning, DataError

__all__ = ["streamed_rows"]


@contextmanager
def streamed_rows(
    source: Any,
    target: Any,
    sample_weight: Any,
    *,
    labels: Any = None,
    columns: str | Sequence[str] | None = None,
    client: Any = None,
) -> Iterator[ScoredRows]:
    """Open a source, and yield rows that stand for all of it, with passes over it where they are not all.

    Parameters
    ----------
    source : path, LazyFrame, Dataset or Dask collection
        The table.
    target, sample_weight : str
        The columns of classes and of weights; no weights by default.
    labels : sequence, optional
        The classes in the order of the columns.
    columns : str or sequence of str, optional
        The columns of scores; by default all others.
    client : distributed.Client, optional
        The cluster.

    Yields
    ------
    ScoredRows
        The rows.
    """
    check_source_columns(y=target, sample_weight=sample_weight)
    several: Any = [columns] if isinstance(columns, str | int) else columns
    chosen = None if several is None else [str(name) for name in several]  # those of a Dask array are numbers
    with open_source(source, target=target, sample_weight=sample_weight, columns=chosen, client=client) as opened:
        yield _rows(opened, labels)


def _rows(source: Source, labels: Any) -> ScoredRows:
    survey = source.survey()
    found = source.reduce(find_range, merge=merge_ranges, description="Reading scores")
    parts = _scores_of_parts(source, found.are_probabilities, labels)
    passes = ScorePasses(source, parts, float(found.weight.totals()[0]))
    if len(parts.classes) > 2:
        return _sampled_rows(passes, survey.n_rows)
    binary = binary_scores(passes)
    table = parts.full_table(binary.scores.reshape(-1, 1))
    return ScoredRows(table, binary.positive.astype(np.int32), parts.classes, binary.weight, passes=binary.passes)


def _sampled_rows(passes: ScorePasses, n_rows: int) -> ScoredRows:
    merge = partial(merge_samples, most=MOST_SAMPLED)
    sample: RowSample = passes.source.reduce(
        sample_of_part, passes.parts, MOST_SAMPLED, merge=merge, description="Reading scores"
    )
    if n_rows <= MOST_SAMPLED:
        return sample.in_order()
    all_rows = replace(passes, class_weights=sample.class_weights, certain=sample.certain)
    return replace(sample.in_order(), passes=all_rows)


def _scores_of_parts(source: Source, are_probabilities: bool, labels: Any) -> ScoresOfParts:
    """Return how rows are read: the classes of all parts, and the columns in their order."""
    survey, names = source.survey(), list(source.columns)
    found = survey.labels.labels().classes if survey.labels is not None else np.empty(0)
    classes = found if labels is None else np.asarray(read_labels(labels))
    unknown = [name for name in found.tolist() if name not in classes.tolist()]
    if unknown:
        raise DataError(f"y has the class {unknown[0]!r}, which is not in labels: {classes.tolist()}.")
    order = list(range(len(names)))
    if source.roles.named:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)  # columns of other names are taken by position: as passed
            classes, order = order_positions(names, classes, may_add=labels is None)
    check_columns(len(classes), found.tolist(), len(names))
    is_difference = len(names) == 2 and not are_probabilities
    step = 1.0 if survey.are_whole else weight_step(survey.largest_weight, survey.n_rows)
    return ScoresOfParts(classes, order, step, is_difference, are_probabilities)
