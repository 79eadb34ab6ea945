"""Numbers as base64 text of little-endian integers or floats, as small as is exact or as precise as asked for."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Packed", "pack_bits", "pack_floats", "pack_probabilities", "pack_quantized", "pack_rounded"]

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
    scale, steps = _scale(n_bytes), np.arange(float(len(distinct)))
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
    scale = _scale(n_bytes)
    return pack_codes(np.round(values * scale), scale, f"u{8 * n_bytes}")


def pack_codes(codes: NDArray[np.float64], scale: float, kind: str = "") -> Packed:
    """Return whole numbers, which stand for themselves divided by the scale, in as few bytes as hold them."""
    largest = codes.max(initial=0.0)
    kind = kind or next(name for name, end in _INTEGERS.items() if largest < end)
    words = codes.astype("<u4")
    n_bytes = int(kind[1:]) // 8
    return _packed(kind, words.view(np.uint8).reshape(-1, 4)[:, :n_bytes], len(codes), scale)


def _scale(n_bytes: int) -> float:
    return float(2 ** (8 * n_bytes) - 1)


def _packed(kind: str, values: NDArray[Any], size: int, scale: float = 1.0) -> Packed:
    return {"type": kind, "size": size, "scale": scale, "data": b64encode(values.tobytes()).decode()}
