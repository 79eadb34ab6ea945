"""Predictions that are not on the scale of probabilities: percent and log-odds, recognized by values and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_unmasked_floats
from calibrant.data._internal import column_names
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest

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


_ROUNDING = 1e-6  # how far rounding may take a value outside the range of its scale, in single precision
_SUM = 1e-6  # how far rows may sum from 1, as the metrics have it
_DIGITS = range(1, 7)  # more digits than that are not those of a rounded file


def _from_log_odds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logistic function of log-odds; the softmax of several columns that are not log-odds of each class."""
    with np.errstate(over="ignore"):
        proba = 1.0 / (1.0 + np.exp(-values))
    if values.ndim == 1 or np.allclose(proba.sum(axis=1), 1.0, atol=1e-3):
        return np.asarray(proba)
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class _Scale:
    """A scale: its range, the names of columns that mean it, and the map to probabilities."""

    low: float
    high: float
    names: str
    what: str
    to_proba: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def holds(self, low: float, high: float) -> bool:
        return low >= self.low - _ROUNDING and high <= self.high + _ROUNDING

    def is_named(self, names: Iterable[str]) -> bool:
        return any(re.search(self.names, _words(name)) for name in names)


_SCALES = {
    "probability": _Scale(0.0, 1.0, r"$^", "probabilities", lambda values: values),
    "percent": _Scale(
        0.0,
        100.0,
        r"%| (percent|percentage|pct|perc|prozent|pourcent|porcentaje) ",
        "percent",
        lambda values: values / 100,
    ),
    "logit": _Scale(
        -np.inf, np.inf, r" (logits?|log odds?|logodds?|margins?|decision function) ", "log-odds", _from_log_odds
    ),
}


@dataclass(frozen=True, eq=False)
class ScaledProbabilities:
    """Probabilities, and the scale on which they were passed.

    Parameters
    ----------
    proba : array of shape (n_rows,) or (n_rows, n_classes)
        The probabilities.
    scale : {"probability", "percent", "logit"}
        The scale of the values that were passed.
    notes : tuple of str
        What was done to the values, and why, as sentences; none if they were probabilities already.

    Examples
    --------
    >>> to_probabilities([0.2, 0.7])
    ScaledProbabilities(scale='probability', notes=())
    """

    proba: NDArray[np.float64] = field(repr=False)
    scale: str
    notes: tuple[str, ...] = ()


def to_probabilities(values: Any, *, scale: str = "auto", name: str | None = None) -> ScaledProbabilities:
    """Convert percent or log-odds, as files from elsewhere have them, to probabilities.

    Values in [0, 1] are probabilities. Text with percent signs, and values in [0, 100] of a column whose name says
    percent (``percent``, ``pct``, ``%``), are percent. A column whose name says so (``logit``, ``log_odds``,
    ``margin``) holds log-odds. Everything else must be said by `scale`, because scores of no known scale are better
    calibrated than guessed at.

    Parameters
    ----------
    values : array, frame or series of shape (n_rows,) or (n_rows, n_classes)
        Numbers, or text such as ``"12.5 %"`` or ``"0,125"``. Missing values stay missing.
    scale : {"auto", "probability", "percent", "logit"}
        The scale of the values. Log-odds of more than one column are those of each class if the probabilities then sum
        to 1, and the arguments of a softmax otherwise.
    name : str, optional
        The name of the column; by default that of a series, or the columns of a frame.

    Returns
    -------
    ScaledProbabilities
        The probabilities, the scale and notes. Rows that sum to 1 only up to the digits that they were rounded to are
        divided by their sum.

    Examples
    --------
    >>> found = to_probabilities(["12.5 %", "80 %"])
    >>> found.proba, found.notes
    (array([0.125, 0.8  ]), ('The values are read as percent, because of their percent signs.',))
    >>> to_probabilities([-1.0, 0.0, 3.0], name="log_odds").proba.round(4)
    array([0.2689, 0.5   , 0.9526])
    >>> to_probabilities([-4.2, 3.1], name="score")
    Traceback (most recent call last):
    calibrant.exceptions.DataError: column 'score' goes from -4.2 to 3.1, outside [0, 1], so it is not a probability:
    pass scale="logit" if it holds log-odds, or calibrate it first.
    """
    if scale not in ("auto", *_SCALES):
        scales = ", ".join(map(repr, ("auto", *_SCALES)))
        raise ParameterError(f"scale must be one of {scales}; got {scale!r}.{nearest(scale, ('auto', *_SCALES))}")
    if name is None:
        name = getattr(values, "name", None)
        names = [str(each) for each in column_names(values)] or ([] if name is None else [str(name)])
    else:
        names = [name]
    numbers, has_signs = _numbers(values, names)
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        return ScaledProbabilities(numbers, "probability" if scale == "auto" else scale)
    low, high = float(known.min()), float(known.max())
    found, why = _recognized(low, high, names, has_signs) if scale == "auto" else (scale, f'of scale="{scale}"')
    if found is None or not _SCALES[found].holds(low, high):
        raise DataError(_question(low, high, names, scale))
    proba, rounded = _divided_by_sums(np.clip(_SCALES[found].to_proba(numbers), 0.0, 1.0))
    return ScaledProbabilities(proba, found, tuple(_notes(found, why, names, rounded, (low, high))))


def _recognized(low: float, high: float, names: list[str], has_signs: bool) -> tuple[str | None, str]:
    """Return the scale of values, None if nothing says it, and the reason for it."""
    if has_signs:
        return "percent", "its percent signs" if len(names) == 1 else "their percent signs"
    if _SCALES["probability"].holds(low, high):
        return "probability", ""
    for scale in ("percent", "logit"):
        if _SCALES[scale].is_named(names) and _SCALES[scale].holds(low, high):
            return scale, "the name"
    return None, ""


def _notes(scale: str, why: str, names: list[str], rounded: str, limits: tuple[float, float]) -> list[str]:
    notes = []
    who, verb = _who(names), "are" if len(names) != 1 else "is"
    if scale != "probability":
        notes.append(f"{who} {verb} read as {_SCALES[scale].what}, because of {why.removeprefix('of ')}.")
    elif other := next((each for each in ("percent", "logit") if _SCALES[each].is_named(names)), None):
        notes.append(
            f"{who} {verb} read as probabilities, because the values go from {limits[0]:.3g} to {limits[1]:.3g}; "
            f'pass scale="{other}" if they are {_SCALES[other].what}.'
        )
    if rounded:
        notes.append(f"{who}: {rounded}")
    return [note[0].upper() + note[1:] for note in notes]


def _question(low: float, high: float, names: list[str], scale: str) -> str:
    """Return one sentence that asks what values are which are no probabilities."""
    one = len(names) == 1
    goes, it, holds = ("goes", "it is", "it holds") if one else ("go", "they are", "they hold")
    limits = f"[{_SCALES[scale].low:g}, {_SCALES[scale].high:g}]" if scale != "auto" else "[0, 1]"
    noun = "in percent" if scale == "percent" else "a probability" if one else "probabilities"
    found = f"{_who(names)} {goes} from {_shown(low)} to {_shown(high)}, outside {limits}, so {it} not {noun}: "
    if scale == "percent":
        return found + 'pass scale="logit" for log-odds, or calibrate the scores first.'
    if _SCALES["percent"].holds(low, high):
        return found + f'pass scale="percent" if {holds} percent, or calibrate {"it" if one else "them"} first.'
    return found + f'pass scale="logit" if {holds} log-odds, or calibrate {"it" if one else "them"} first.'


def _shown(value: float) -> str:
    """Return a number with three digits, or with as many as show that it is outside [0, 1] or [0, 100]."""
    texts = (f"{value:.{n_digits}g}" for n_digits in (3, 6, 17))
    return next(text for text in texts if float(text) not in (0.0, 1.0, 100.0) or float(text) == value)


def _who(names: list[str]) -> str:
    if not names:
        return "the values"
    shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown}"


def _words(name: str) -> str:
    """Return a column's name in lower case with spaces around its words."""
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return f" {re.sub(r'[^a-z%]+', ' ', split.lower()).strip()} "


def _numbers(values: Any, names: list[str]) -> tuple[NDArray[np.float64], bool]:
    """Return values as numbers, and whether they have percent signs."""
    array = values.to_numpy(na_value=np.nan) if type(values).__module__.startswith("pandas") else values
    try:
        array = np.asarray(array) if not isinstance(array, np.ma.MaskedArray) else array
        if array.dtype.kind in "OUST":
            numbers, has_signs = read_number_texts(array, _who(names))
        else:
            numbers, has_signs = as_unmasked_floats(array), False
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, DataError | DataTypeError):
            raise
        raise DataTypeError(f"{_who(names)} must hold numbers: probabilities, percent or log-odds.") from error
    if numbers.ndim not in (1, 2):
        raise DataError(f"values have shape {numbers.shape}; expected (n_rows,) or (n_rows, n_classes).")
    return numbers[:, 0] if numbers.ndim == 2 and numbers.shape[1] == 1 else numbers, has_signs


def _divided_by_sums(proba: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    """Return rows divided by their sums where rounding explains why these are not 1, and what was done."""
    if proba.ndim == 1:
        return proba, ""
    sums = proba.sum(axis=1, keepdims=True)
    largest = float(np.nanmax(np.abs(sums - 1.0), initial=0.0))
    is_rounded = (np.allclose(proba, proba.round(n), rtol=0.0, atol=1e-9, equal_nan=True) for n in _DIGITS)
    digits = next((n for n, is_so in zip(_DIGITS, is_rounded, strict=True) if is_so), None)
    if largest <= _SUM or digits is None or largest > proba.shape[1] * 0.5 * 10.0**-digits + _ROUNDING:
        return proba, ""
    return proba / sums, f"the probabilities are rounded to {digits} digits, so that each row is divided by its sum."
