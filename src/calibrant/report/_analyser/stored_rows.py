"""Rows of the analyser, packed: shared columns, and the probabilities of each model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._random import seed_sequence, stream
from calibrant.report._analyser.packing import Packed, pack_bits, pack_floats, pack_probabilities, pack_quantized

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.report._analyser.entered_costs import EnteredCosts
    from calibrant.report._predictions.report_data import ReportData

__all__ = ["byte_budget", "stored_rows"]

_MOST_BYTES = 1_300_000  # of all rows of a report before base64, which adds a third: the page stays below 3 MB
_PAGE_BYTES = 90_000  # that the figures of a class take, with three quarters of the tables of their numbers
_FEWEST_BYTES = 300_000
# Bytes of a probability and of a recalibrated one, from the most exact to the smallest
_LEVELS = ((8, 4), (4, 4), (4, 3), (4, 2), (3, 2))
_STREAM = 20  # of random numbers, apart from those of folds and bootstraps


def byte_budget(n_pages: int) -> int:
    """Return the bytes of all rows or cuts of a report that has a page for each of some classes.

    Examples
    --------
    >>> byte_budget(1), byte_budget(7), byte_budget(30)
    (1300000, 670000, 300000)
    """
    return _MOST_BYTES if n_pages == 1 else max(_MOST_BYTES - _PAGE_BYTES * n_pages, _FEWEST_BYTES)


def stored_rows(
    data: ReportData, costs: EnteredCosts, again: dict[str, NDArray[np.float64] | None], n_pages: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the columns that models share and those of each model, in a random order of the rows."""
    order = stream(seed_sequence(data.random_state), _STREAM).permutation(data.n_rows)
    weight = data.sample_weight
    shared = {
        "label": pack_bits(data.is_positive[order]),
        "weight": None if weight is None else pack_floats(weight[order]),
        "amount": _amount(costs, data.is_positive, order),
        "cost": _packed(costs.cost, order),
        "expected": _expected(costs, order),
    }
    proba_bytes, again_bytes = _level(shared, data.n_rows * len(data.names), n_pages)
    models = [
        {
            "proba": pack_probabilities(data.probas[name][order], proba_bytes),
            "recalibrated": _recalibrated(data.probas[name], again[name], order, again_bytes),
        }
        for name in data.names
    ]
    return shared, models


def _packed(values: NDArray[np.float64] | None, order: NDArray[np.intp]) -> Packed | None:
    return None if values is None else pack_floats(values[order])


def _amount(costs: EnteredCosts, is_positive: NDArray[np.bool_], order: NDArray[np.intp]) -> Packed | str | None:
    """Return the amounts of the positive rows; "expected" where they are what is expected."""
    if costs.amount is None or not np.array_equal(costs.amount[is_positive], costs.expected_of(is_positive)):
        return _packed(costs.amount, order[is_positive[order]])
    return "expected"


def _expected(costs: EnteredCosts, order: NDArray[np.intp]) -> Any:
    """Return what is expected of positive rows: a number, or one for each row."""
    return costs.expected if isinstance(costs.expected, float) else pack_floats(costs.expected[order])


def _recalibrated(
    proba: NDArray[np.float64], again: NDArray[np.float64] | None, order: NDArray[np.intp], n_bytes: int
) -> Packed | str | None:
    if again is None:
        return None
    return "same" if np.array_equal(proba, again) else pack_quantized(again[order], n_bytes)


def _level(shared: dict[str, Any], n_values: int, n_pages: int) -> tuple[int, int]:
    """Return the numbers of bytes of a probability and of a recalibrated one that a report has room for."""
    taken = sum(len(column["data"]) * 3 // 4 for column in shared.values() if isinstance(column, dict))
    fitting = [level for level in _LEVELS if n_pages * (taken + n_values * sum(level)) <= byte_budget(n_pages)]
    return fitting[0] if fitting else _LEVELS[-1]
