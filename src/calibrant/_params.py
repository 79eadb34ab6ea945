"""Parameter rules as data beside a class, checked on the first line of ``fit``; each rule says itself in words."""

from __future__ import annotations

import math
import numbers
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from calibrant.exceptions import ParameterError, nearest

__all__ = [
    "AnyOf",
    "Bool",
    "Choice",
    "HasMethods",
    "InstanceOf",
    "Int",
    "Nothing",
    "Real",
    "Rule",
    "Seed",
    "check_param",
    "check_params",
    "choose",
]

T = TypeVar("T")
Closed = Literal["both", "left", "right", "neither"]

_ENDS = {"both": "[]", "left": "[)", "right": "(]", "neither": "()"}
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _WIDTH = 80


class Rule(ABC):
    """What a parameter may be; ``|`` joins alternatives.

    Examples
    --------
    >>> rule = Int(1) | Nothing()
    >>> rule.accepts(None), rule.accepts(0), str(rule)
    (True, False, 'an int >= 1 or None')
    """

    @abstractmethod
    def accepts(self, value: object) -> bool:
        """Whether the value keeps the rule."""

    @abstractmethod
    def alternatives(self) -> tuple[str, ...]:
        """What is accepted, in words, one phrase each."""

    def choices(self) -> tuple[str, ...]:
        """The strings that are accepted by name, to find the nearest to a misspelt one."""
        return ()

    def __or__(self, other: Rule) -> AnyOf:
        return AnyOf(self, other) if isinstance(other, Rule) else NotImplemented

    def __str__(self) -> str:
        *rest, last = dict.fromkeys(self.alternatives())
        return f"{', '.join(rest)} or {last}" if rest else last


@dataclass(frozen=True, init=False)
class AnyOf(Rule):
    """Keeps at least one of some rules; made by ``|``.

    Examples
    --------
    >>> str(Choice("sqrt", "log2") | Int(1) | Nothing())
    "'sqrt', 'log2', an int >= 1 or None"
    """

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        object.__setattr__(self, "rules", rules)

    def accepts(self, value: object) -> bool:
        """Whether any of the rules accepts the value."""
        return any(rule.accepts(value) for rule in self.rules)

    def alternatives(self) -> tuple[str, ...]:
        """The phrases of all rules."""
        return tuple(phrase for rule in self.rules for phrase in rule.alternatives())

    def choices(self) -> tuple[str, ...]:
        """The names of all rules."""
        return tuple(name for rule in self.rules for name in rule.choices())

    __str__ = Rule.__str__


@dataclass(frozen=True)
class Int(Rule):
    """An int, of Python or NumPy, from ``low`` to ``high`` inclusive; a bool is none.

    Examples
    --------
    >>> Int(1).accepts(3), Int(1).accepts(True), Int(1).accepts(3.0)
    (True, False, False)
    >>> str(Int(1, 5))
    'an int in [1, 5]'
    """

    low: int | None = None
    high: int | None = None

    def accepts(self, value: object) -> bool:
        """Whether the value is an int within the limits."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def alternatives(self) -> tuple[str, ...]:
        """``an int`` and its limits."""
        return ("an int" + _limits(self.low, self.high, "both"),)

    __str__ = Rule.__str__


@dataclass(frozen=True)
class Real(Rule):
    """A number, int or float, of Python or NumPy, between two limits; never NaN.

    A side without a limit is open at infinity; write ``Real(0, math.inf)`` where infinity itself is meant.

    Examples
    --------
    >>> Real(0, 1, closed="left").accepts(0), Real(0, 1, closed="left").accepts(1.0)
    (True, False)
    >>> str(Real(0, 1, closed="left")), str(Real(0))
    ('a number in [0, 1)', 'a finite number >= 0')
    """

    low: float | None = None
    high: float | None = None
    closed: Closed = "both"

    def accepts(self, value: object) -> bool:
        """Whether the value is a number within the limits."""
        number = _as_float(value)
        low, high = (-math.inf if self.low is None else self.low), (math.inf if self.high is None else self.high)
        return low < number < high or number in self._ends_included()

    def alternatives(self) -> tuple[str, ...]:
        """``a number`` and its limits."""
        what = "a finite number" if self.low is None or self.high is None else "a number"
        return (what + _limits(self.low, self.high, self.closed),)

    def _ends_included(self) -> list[float]:
        sides = zip("[]", _ENDS[self.closed], (self.low, self.high), strict=True)
        return [limit for closed, end, limit in sides if end == closed and limit is not None]

    __str__ = Rule.__str__
