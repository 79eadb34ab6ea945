"""The scores, classes, weights and groups of a source, read part by part into arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant._memory import check_rows_memory
from calibrant._source_limits import check_source_columns
from calibrant.calibration._validation import ScoredRows, in_order_of_columns, read_scores
from calibrant.data._internal import SourcePart, open_source
from calibrant.exceptions import CalibrantWarning, DataError, DataTypeError

_CODE_BYTES, _NUMBER_BYTES = 4, 8
# The arrays of all parts are in memory while they are joined.
_COPIES = 2


def read_source_scores(
    source: Any,
    y: Any,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    labels: Any = None,
    columns: str | Sequence[str] | None = None,
    client: Any = None,
) -> ScoredRows:
    """Return all rows of a source that a calibrator is fitted to, the scores in the order of the classes.

    Parameters
    ----------
    source : path, LazyFrame, Dataset or Dask collection
        The table.
    y, sample_weight, groups : str
        The columns of classes, weights and groups; no weights and groups by default.
    labels : sequence, optional
        The classes in the order of the columns.
    columns : str or sequence of str, optional
        The columns of scores; by default all others.
    client : distributed.Client, optional
        The cluster.

    Returns
    -------
    ScoredRows
        The rows of positive weight.
    """
    several: Any = [columns] if isinstance(columns, str | int) else columns
    chosen = None if several is None else [str(name) for name in several]  # those of a Dask array are numbers
    rows, names = read_source_rows(source, y, sample_weight, groups, columns=chosen, client=client)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # columns of other names are taken by position: as passed
        return in_order_of_columns(rows, names, labels)


def read_source_rows(
    source: Any, y: Any, sample_weight: Any, groups: Any, *, columns: Sequence[str] | None, client: Any = None
) -> tuple[ScoredRows, list[str]]:
    """Return the rows of a source as arrays, and the names of the columns of scores, none for an array.

    A row takes 8 bytes a column of scores, 4 for its class, and 8 each for a weight and a group; twice as much while
    the parts are joined.
    """
    check_source_columns(y=y, sample_weight=sample_weight, groups=groups)
    with open_source(
        source, target=y, sample_weight=sample_weight, groups=groups, columns=columns, client=client
    ) as opened:
        survey = opened.survey()
        n_numbers = len(opened.columns) + (sample_weight is not None) + (groups is not None)
        # Checked after the first pass, which counts the rows, and before arrays are made.
        check_rows_memory(opened.name, survey.n_rows, _COPIES * (_CODE_BYTES + _NUMBER_BYTES * n_numbers))
        classes = survey.labels.labels().classes if survey.labels is not None else np.empty(0)
        parts = opened.map(_rows_of_part, classes, survey.groups, description="Reading scores")
        names = list(opened.columns) if opened.roles.named else []
    tables, codes, weights, numbers = zip(*(part for part in parts if part is not None), strict=True)
    return ScoredRows(
        np.concatenate(tables),
        np.concatenate(codes),
        classes,
        None if sample_weight is None else np.concatenate(weights),
        None if groups is None else np.concatenate(numbers).astype(np.intp),
    ), names


def _rows_of_part(part: SourcePart, classes: Any, groups: Any) -> tuple[Any, ...] | None:
    """Return scores, codes of classes, weights and codes of groups of a part; None without rows."""
    if not part.n_rows:
        return None
    numbers = None if groups is None else part.group_codes(groups)
    return _scores(part), part.class_codes(classes), part.weights, numbers


def _scores(part: SourcePart) -> Any:
    if not part.roles.features:
        return np.empty((part.n_rows, 0))
    try:
        return read_scores(part.X)
    except (DataError, DataTypeError) as error:
        raise type(error)(f"{part.origin}: {error}") from error
