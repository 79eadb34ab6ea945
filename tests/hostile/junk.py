"""Twenty values that no parameter expects, and what may come of passing one."""

from __future__ import annotations

import math
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from calibrant.exceptions import CalibrantError, CalibrantWarning

__all__ = ["JUNK", "outcome"]

JUNK: dict[str, Any] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "1.5": 1.5,
    "10**30": 10**30,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "1e308": 1e308,
    "5e-324": 5e-324,
    "1j": 1j,
    "empty string": "",
    "string": "junk",
    "bytes": b"junk",
    "empty list": [],
    "tuple": (1, 2),
    "dict": {"a": 1},
    "array with nan": np.array([1.0, math.nan]),
    "array of zero dimensions": np.array(3),
    "object": object(),
    "class": int,
}


def outcome(call: Callable[[], Any]) -> str:
    """Return an empty string if the call returns or raises an error of calibrant, else what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        warnings.simplefilter("ignore", CalibrantWarning)
        try:
            with _limit(20):
                return _not_finite(call())
        except CalibrantError as error:
            return "" if "; got" in str(error) or len(str(error)) > 20 else f"an error without words: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:300]


@contextmanager
def _limit(seconds: int) -> Iterator[None]:
    """Raise if the block takes longer, where the system has such alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _raise_timeout)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _raise_timeout(*_: object) -> None:
    raise TimeoutError("it did not return")


def _not_finite(result: Any) -> str:
    """Return the fault of a table of probabilities; empty where it has none."""
    if not isinstance(result, np.ndarray) or result.dtype.kind != "f":
        return ""
    return "" if np.isfinite(result).all() else "probabilities that are not finite"
