"""Copies of rows where values are continuous: oversampled data, which no fold or bag may split."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._coding.row_hashes import hash_codes
from calibrant.data._frames.columns import fit_columns
from calibrant.data._validation.class_columns import caller_level
from calibrant.exceptions import CalibrantError, CalibrantWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["copies_among", "count_copies", "warn_of_copies", "warn_of_number"]

_MIN_ROWS = 100  # below, copies may be chance
_MIN_VALUES = 30  # of a continuous column
_MIN_SHARE = 0.1  # of the rows; real tables with continuous columns hardly ever have a hundredth


def count_copies(columns: list[NDArray[Any]], codes: NDArray[Any]) -> int:
    """Return the number of rows that repeat an earlier one, class included; 0 if few, or if no column is continuous.

    Examples
    --------
    >>> values = np.random.default_rng(0).random(100)[np.arange(150) % 100]
    >>> codes = np.zeros(150, dtype=int)
    >>> count_copies([values], codes), count_copies([values.round(1)], codes)
    (50, 0)
    """
    hashes = hash_codes([*columns, codes], len(codes))
    if len(hashes) - len(np.unique(hashes)) < _MIN_SHARE * len(hashes):
        return 0  # before every column is sorted
    return copies_among(hashes, [np.unique(each) for each in columns if each.dtype.kind == "f"])


def copies_among(hashes: NDArray[np.uint64], values: Sequence[NDArray[np.float64]]) -> int:
    """Return the number of repeated rows by the hashes of rows and the distinct values of numeric columns.

    A column is continuous where it has many values, one of its own for more than half of the distinct rows, most of
    them with more than one decimal; a column without others needs more than three, because rounded numbers repeat by
    chance.

    Examples
    --------
    >>> copies_among(np.array([1, 2, 1], dtype=np.uint64), [np.array([0.5, 1.5])])
    0
    """
    n_distinct, n_decimals = len(np.unique(hashes)), 1 if len(values) > 1 else 3
    many = [each for each in values if len(each) >= _MIN_VALUES and 2 * len(each) > n_distinct]
    is_continuous = any((np.round(each, n_decimals) != each).mean() > 0.5 for each in many)
    return len(hashes) - n_distinct if is_continuous else 0


def warn_of_copies(X: Any, codes: NDArray[Any]) -> None:
    """Warn where many rows are exact copies of others; tables that cannot be read as columns are not checked.

    Examples
    --------
    >>> warn_of_copies([[0.1], [0.7], [0.7]], np.array([0, 1, 1]))
    """
    if len(codes) < _MIN_ROWS:
        return
    try:
        columns = list(fit_columns(X).arrays)
    except (CalibrantError, TypeError, ValueError):
        return
    warn_of_number(count_copies(columns, codes), len(codes))


def warn_of_number(n_copies: int, n_rows: int, *, has_weight_kind: bool = True) -> None:
    """Warn of a number of copies that makes held-out rows look better than new ones.

    `has_weight_kind` is whether the caller has this parameter, which is then named as a remedy.

    Examples
    --------
    >>> warn_of_number(2, 1000)
    """
    if n_rows < _MIN_ROWS or n_copies < _MIN_SHARE * n_rows:
        return
    remedy = (
        'or drop the copies and pass their number as sample_weight with weight_kind="probability", which keeps a row '
        "whole."
        if has_weight_kind
        else "or drop the copies."
    )
    warnings.warn(
        f"{n_copies:,} of {n_rows:,} rows are exact copies of others, though columns are continuous: oversampled rows? "
        "Held out in one fold or bag and fitted in another, copies make everything look better than it is. Pass "
        f"groups= with the same group for all copies of a row; {remedy}",
        CalibrantWarning,
        stacklevel=caller_level(),
    )
