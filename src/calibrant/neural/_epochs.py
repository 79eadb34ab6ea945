"""The rule for epochs that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibrant._params import Int, Rule

__all__ = ["Epochs"]

_EPOCH = Int(1, 10**9)


@dataclass(frozen=True)
class Epochs(Rule):
    """A sequence of numbers of epochs.

    Examples
    --------
    >>> [1, 2, 4] in Epochs(), [0] in Epochs(), "12" in Epochs()
    (True, False, False)
    """

    def __contains__(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        is_sequence = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        return is_sequence and all(each in _EPOCH for each in value)  # type: ignore[attr-defined]

    def _words(self) -> tuple[str, ...]:
        return ("a sequence of numbers of epochs, each an int >= 1",)
