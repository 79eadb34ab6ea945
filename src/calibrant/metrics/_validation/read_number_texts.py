"""Numbers written as text: decimal commas, percent signs, spaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_number_texts"]

_NUMBER = re.compile(r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(%?)\s*")
_MISSING = ("", "nan", "na", "n/a", "null", "none", "?")


def read_number_texts(texts: NDArray[Any], who: str) -> tuple[NDArray[np.float64], bool]:
    """Return the numbers of texts, and whether they have percent signs; missing ones are NaN.

    Examples
    --------
    >>> read_number_texts(np.array(["12,5 %", "3%", None], dtype=object), "column 'p'")
    (array([12.5,  3. ,  nan]), True)
    >>> read_number_texts(np.array(["high"]), "column 'p'")
    Traceback (most recent call last):
    calibrant.exceptions.DataError: column 'p' must hold probabilities; got 'high'.
    """
    read = {text: _read(text, who) for text in dict.fromkeys(texts.ravel().tolist())}
    signs = {has_sign for number, has_sign in read.values() if number == number}
    if len(signs) > 1:
        raise DataError(f"{who} has values with a percent sign and values without; write all of them the same way.")
    numbers = np.array([read[text][0] for text in texts.ravel().tolist()], dtype=np.float64)
    return numbers.reshape(texts.shape), signs == {True}


def _read(text: Any, who: str) -> tuple[float, bool]:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if text is None or text != text or (isinstance(text, str) and text.strip().lower() in _MISSING):
        return float("nan"), False
    if not isinstance(text, str):
        return float(text), False
    if not (found := _NUMBER.fullmatch(text)):
        raise DataError(f"{who} must hold probabilities; got {text!r}.")
    return float(found[1].replace(",", ".")), bool(found[2])
