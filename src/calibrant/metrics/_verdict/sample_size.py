"""The number of rows from which the bound on the mean error of calibrated probabilities is within the tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant._params import CONFIDENCE, Nothing, Real, check_param
from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics._calibration.gap_bound import typical_gap_bound
from calibrant.metrics._calibration.probability_cells import ProbabilityCells, group_rows
from calibrant.metrics._validation.predictions import BinaryRows

WITHIN = Real(0, 1, closed="neither")
RELATIVE = Real(0, closed="neither") | Nothing()
_MOST_ROWS = 1e12  # the search ends there: no data set is larger
_PRECISION = 1.02  # of the search; the number is rounded to three digits, and the bound is typical, not exact


def rows_needed(y_proba: Any, *, within: float = 0.05, relative: float | None = 0.5, confidence: float = 0.95) -> int:
    """Return about how many rows, in all, show that such probabilities are calibrated, if they are.

    It is the number from which on `calibration_verdict` bounds the mean error of calibrated rows, with probabilities
    distributed like those passed, within the tolerance in 80 % of samples.

    Parameters
    ----------
    y_proba : array of shape (n_rows,) or (n_rows, n_classes)
        Probabilities of the positive class, or of each class; with more than two classes the number is the largest of
        those for each class and each predicted class.
    within : float
        The tolerance: the largest mean error that does not matter.
    relative : float, optional
        The same as a fraction of the rarer class's rate; the smaller of both counts. None: only `within` counts.
    confidence : float
        That of the bound.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> p = np.linspace(0.1, 0.9, 81)
    >>> rows_needed(p), rows_needed(p, within=0.02)
    (1730, 17500)
    """
    for name, value, rule in (
        ("within", within, WITHIN),
        ("relative", relative, RELATIVE),
        ("confidence", confidence, CONFIDENCE),
    ):
        check_param(name, value, rule)
    proba = _read(y_proba)
    needed = max(
        rows_for(cells, *limits, confidence) / share for cells, share, limits in _judged(proba, within, relative)
    )
    if math.isinf(needed):
        raise ParameterError(
            f"within: no number of rows up to {_MOST_ROWS:.0e} is enough for {within!r}; pass a larger one."
        )
    return round_rows(needed)


def rows_for(cells: ProbabilityCells, within: float, relative: float | None, confidence: float) -> float:
    """Return the least number of independent rows whose bound is typically within the tolerance; it may be infinite."""
    rate = float(cells.weight @ cells.proba) / cells.total

    def is_within(n_rows: float) -> bool:
        base = (n_rows * min(rate, 1.0 - rate) + 0.5) / (n_rows + 1.0)
        tolerance = within if relative is None else min(within, relative * base)
        return typical_gap_bound(cells, n_rows, confidence) <= tolerance

    low, high = 1.0, 8.0
    while not is_within(high):
        if high >= _MOST_ROWS:
            return math.inf
        low, high = high, 2.0 * high
    while high / low > _PRECISION:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_within(middle) else (middle, high)
    return high


def round_rows(n_rows: float) -> int:
    """Return a number of rows rounded up to three significant digits.

    Examples
    --------
    >>> round_rows(1234.5), round_rows(17.2)
    (1240, 18)
    """
    digits = max(10.0 ** (math.floor(math.log10(n_rows)) - 2), 1.0)
    return int(math.ceil(n_rows / digits) * digits)


def _read(y_proba: Any) -> NDArray[np.float64]:
    try:
        proba = as_floats(y_proba)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y_proba must hold numbers: probabilities of the positive class, or of each.") from error
    if not proba.size or proba.ndim > 2 or not ((proba >= 0.0) & (proba <= 1.0)).all():
        raise DataError("y_proba must hold probabilities, at least one; found none, NaN, or values outside [0, 1].")
    return proba


def _judged(
    proba: NDArray[np.float64], within: float, relative: float | None
) -> Iterator[tuple[ProbabilityCells, float, tuple[float, float | None]]]:
    """Yield the cells of everything that a verdict judges, with its fraction of the rows and its tolerance.

    That of a predicted class is by the rate of the class among all rows.
    """
    if proba.ndim == 1 or proba.shape[1] <= 2:
        yield _cells(proba if proba.ndim == 1 else proba[:, -1]), 1.0, (within, relative)
        return
    predicted = proba.argmax(axis=1)
    for which, column in enumerate(proba.T):
        if not column.any():  # a class without rows is not judged
            continue
        yield _cells(column), 1.0, (within, relative)
        is_predicted = predicted == which
        if is_predicted.any():
            rate = float(column.mean())
            tolerance = within if relative is None else min(within, relative * min(rate, 1.0 - rate))
            yield _cells(column[is_predicted]), float(is_predicted.mean()), (tolerance, None)


def _cells(proba: NDArray[np.float64]) -> ProbabilityCells:
    return group_rows(BinaryRows(np.ascontiguousarray(proba), np.zeros(len(proba), dtype=bool)))[0]
