"""Rows of predictions as base64 text: columns that models share, probabilities of each model."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._random import seed_sequence, stream

if TYPE_CHECKING:
    from calibrant.report._analyser.entered_costs import EnteredCosts
    from calibrant.report._predictions.report_data import ReportData

Packed = dict[str, Any]  # {"type", "size", "scale", "data"}: analyser_numbers.js unpacks it
_MOST_STEPS = 16  # of the codes, that a probability may be moved by
_DIGITS = range(2, 10)  # of decimals that an unsigned integer of 32 bits holds
_INTEGERS = {"u8": 2**8, "u16": 2**16, "u24": 2**24, "u32": 2**32}


def pack_bits(values: NDArray[np.bool_]) -> Packed:
    """Return a bit for each value.

    Examples
    --------
    >>> pack_bits(np.array([True, False, True]))["data"]
    'BQ=='
    """
    return _packed("bits", np.packbits(values, bitorder="little"), len(values))


def pack_floats(values: NDArray[np.float64]) -> Packed:
    """Return numbers exactly: as whole numbers or cents where they are, else as floats.

    Examples
    --------
    >>> pack_floats(np.array([0.25, 7.0]))["type"], pack_floats(np.array([1 / 3]))["type"]
    ('u16', 'f64')
    """
    for scale in (1.0, 100.0):
        codes = np.round(values * scale)
        if np.array_equal(codes / scale, values):
            if codes.min(initial=0.0) >= 0.0 and codes.max(initial=0.0) < 2**32:
                return pack_codes(codes, scale)
            if np.abs(codes).max() < 2**31:
                return _packed("i32", codes.astype("<i4"), len(values), scale)
    return _packed("f64", values.astype("<f8"), len(values))


def pack_rounded(values: NDArray[np.float64]) -> Packed:
    """Return numbers in single precision, for what only intervals are made of."""
    return _packed("f32", values.astype("<f4"), len(values))


def pack_probabilities(values: NDArray[np.float64], n_bytes: int) -> Packed:
    """Return probabilities exactly or, in less than eight bytes each, rounded with their order and ties kept.

    Examples
    --------
    >>> pack_probabilities(np.array([0.25, 0.5]), 8)["type"]
    'u8'
    >>> third = np.array([1 / 3])
    >>> pack_probabilities(third, 8)["type"], pack_probabilities(third, 4)["type"]
    ('f64', 'u32')
    """
    for digits in _DIGITS:
        codes = np.round(values * 10.0**digits)
        if np.array_equal(codes / 10.0**digits, values):
            return pack_codes(codes, 10.0**digits)
    if np.array_equal(values.astype(np.float32), values):
        return pack_rounded(values)
    return pack_floats(values) if n_bytes == 8 else _pack_ranked(values, n_bytes)


def _pack_ranked(values: NDArray[np.float64], n_bytes: int) -> Packed:
    """Return probabilities as codes that are distinct where these are; floats where that moves one too far."""
    distinct, which = np.unique(values, return_inverse=True)
    scale, steps = 2.0 ** (8 * n_bytes) - 1, np.arange(float(len(distinct)))
    codes = np.maximum.accumulate(np.round(distinct * scale) - steps) + steps  # at least one above the code before
    codes = np.minimum.accumulate((np.minimum(codes, scale) - steps)[::-1])[::-1] + steps
    slack = float(np.abs(codes / scale - distinct).max())
    if slack > _MOST_STEPS / scale:
        return pack_floats(values) if n_bytes == 4 else _pack_ranked(values, 4)
    return {**pack_codes(codes[which], scale, f"u{8 * n_bytes}"), "slack": slack}


def pack_quantized(values: NDArray[np.float64], n_bytes: int) -> Packed:
    """Return probabilities rounded to so many bytes.

    Examples
    --------
    >>> pack_quantized(np.array([0.5]), 2)["type"]
    'u16'
    """
    scale = 2.0 ** (8 * n_bytes) - 1
    return pack_codes(np.round(values * scale), scale, f"u{8 * n_bytes}")


def pack_codes(codes: NDArray[np.float64], scale: float, kind: str = "") -> Packed:
    """Return whole numbers, which stand for themselves divided by the scale, in as few bytes as hold them."""
    largest = codes.max(initial=0.0)
    kind = kind or next(name for name, end in _INTEGERS.items() if largest < end)
    words = codes.astype("<u4")
    n_bytes = int(kind[1:]) // 8
    return _packed(kind, words.view(np.uint8).reshape(-1, 4)[:, :n_bytes], len(codes), scale)


def _packed(kind: str, values: NDArray[Any], size: int, scale: float = 1.0) -> Packed:
    return {"type": kind, "size": size, "scale": scale, "data": b64encode(values.tobytes()).decode()}


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
    positive = data.is_positive
    weight, cost, amount = (
        None if each is None else pack_floats(each[rows])
        for each, rows in ((data.sample_weight, order), (costs.cost, order), (costs.amount, order[positive[order]]))
    )
    expected = np.broadcast_to(costs.expected, positive.shape)[positive]
    is_expected = costs.amount is not None and np.array_equal(costs.amount[positive], expected)
    shared = {
        "label": pack_bits(positive[order]),
        "weight": weight,
        "amount": "expected" if is_expected else amount,  # of the positive rows
        "cost": cost,
        "expected": costs.expected if isinstance(costs.expected, float) else pack_floats(costs.expected[order]),
    }
    # The most exact numbers of bytes that the report has room for
    taken = sum(len(column["data"]) * 3 // 4 for column in shared.values() if isinstance(column, dict))
    n_values, room = data.n_rows * len(data.names), byte_budget(n_pages) / n_pages
    fitting = (level for level in _LEVELS if taken + n_values * sum(level) <= room)
    proba_bytes, again_bytes = next(fitting, _LEVELS[-1])
    models = []
    for name, proba in data.probas.items():
        other = again[name]
        is_same = other is not None and np.array_equal(proba, other)
        recalibrated = None if other is None else "same" if is_same else pack_quantized(other[order], again_bytes)
        models.append({"proba": pack_probabilities(proba[order], proba_bytes), "recalibrated": recalibrated})
    return shared, models
