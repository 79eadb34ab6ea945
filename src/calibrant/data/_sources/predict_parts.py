"""Predictions of a source, part by part: an array of all rows in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._sources.open_source import open_source
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.exceptions import DataError, SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["predict_parts"]


def predict_parts(X: Any, predict: Callable[[Any], NDArray[Any]], names: Any = None) -> NDArray[Any]:
    """Return the predictions of all rows of a source, of which one part at a time is in memory.

    Parameters
    ----------
    X : path, polars LazyFrame or pyarrow Dataset
        The table.
    predict : callable
        Returns the predictions of a frame.
    names : sequence of str, optional
        The columns that the model has; by default all are passed.

    Returns
    -------
    array of shape (n_rows, ...)
        The predictions.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    >>> predict_parts(lazy, lambda frame: frame["a"].to_numpy(), ["a"])
    array([1, 2, 3])
    """
    columns = None if names is None else [str(name) for name in names]
    with open_source(X, target=None, columns=columns) as source:
        found = _predict(source, lambda part: predict(part.X) if part.n_rows else None)
    parts = [each for each in found if each is not None]
    if not parts:
        raise DataError("the source has no rows. Pass a table with rows.")
    return np.concatenate(parts)


def _predict(source: Source, predict: Callable[[SourcePart], Any]) -> list[Any]:
    """Return the predictions of each part, once more if a column may have another type in later rows."""
    try:
        return source.map(predict, description="Predicting")
    except SchemaError:
        source.map(_nothing)  # decides the types of columns of CSV files, which may be text by a later row
        return source.map(predict, description="Predicting")


def _nothing(_part: SourcePart) -> None:
    """Read a part, no more."""
