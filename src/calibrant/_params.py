"""Rules of parameters as data beside a class, checked on the first line of ``fit``; ``str(rule)`` is its wording."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError, nearest

T = TypeVar("T")
Closed = Literal["both", "left", "right", "neither"]

_ENDS = {"both": ("[", "]"), "left": ("[", ")"), "right": ("(", "]"), "neither": ("(", ")")}
_MAX_INT = 2**31 - 1  # of the core's integers
_MAX_INT64 = 2**63 - 1  # NumPy has no functions of larger ones
_SIZES = 1e-100, 1e100  # powers and products of two such numbers are floats


class Rule(ABC):
    """The values that a parameter may have; ``|`` joins alternatives.

    Examples
    --------
    >>> rule = Int(1) | Nothing()
    >>> None in rule, 0 in rule, str(rule)
    (True, False, 'an int >= 1 or None')
    """

    @abstractmethod
    def __contains__(self, value: object) -> bool: ...

    @abstractmethod
    def _words(self) -> tuple[str, ...]:
        """Return the wording of what is accepted, a phrase for each alternative."""

    def _choices(self) -> tuple[str, ...]:
        """Return the accepted strings, to suggest the nearest to a misspelt one."""
        return ()

    def _hint(self, _value: object, /) -> str:
        """Return a hint for a rejected value where the wording of the rule is not enough."""
        return ""

    def __or__(self, other: Rule) -> AnyOf:
        return AnyOf(self, other) if isinstance(other, Rule) else NotImplemented

    def __str__(self) -> str:
        *rest, last = dict.fromkeys(self._words())
        return f"{', '.join(rest)} or {last}" if rest else last


@dataclass(frozen=True, init=False)
class AnyOf(Rule):
    """At least one of several rules; made by ``|``.

    Examples
    --------
    >>> str(Choice("sqrt", "log2") | Int(1) | Nothing())
    "'sqrt', 'log2', an int >= 1 or None"
    """

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        object.__setattr__(self, "rules", rules)

    def __contains__(self, value: object) -> bool:
        return any(value in rule for rule in self.rules)

    def _words(self) -> tuple[str, ...]:
        return tuple(phrase for rule in self.rules for phrase in rule._words())

    def _choices(self) -> tuple[str, ...]:
        return tuple(name for rule in self.rules for name in rule._choices())

    def _hint(self, value: object, /) -> str:
        return next(filter(None, (rule._hint(value) for rule in self.rules)), "")


@dataclass(frozen=True)
class Int(Rule):
    """An int, of Python or NumPy, from ``low`` to ``high`` inclusive; not a bool.

    Without a limit a side reaches to the largest integer of 32 bits, which the core takes.

    Examples
    --------
    >>> 3 in Int(1), True in Int(1), 3.0 in Int(1)
    (True, False, False)
    >>> str(Int(1, 5))
    'an int in [1, 5]'
    """

    low: int | None = None
    high: int | None = None

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            return False
        low = -_MAX_INT if self.low is None else self.low
        return low <= int(value) <= (_MAX_INT if self.high is None else self.high)

    def _words(self) -> tuple[str, ...]:
        return ("an int" + _limits(self.low, self.high, "both"),)

    def _hint(self, value: object, /) -> str:
        is_large = isinstance(value, numbers.Integral) and abs(int(value)) > _MAX_INT
        return f" The largest int is {_MAX_INT}." if is_large and None in (self.low, self.high) else ""


@dataclass(frozen=True)
class Real(Rule):
    """A number, int or float, of Python or NumPy, between two limits; never NaN.

    Without a limit a side excludes infinity; write ``Real(0, math.inf)`` to include it. A number without both limits is
    0 or of a size from 1e-100 to 1e100, so that its powers are finite and not 0.

    Examples
    --------
    >>> 0 in Real(0, 1, closed="left"), 1.0 in Real(0, 1, closed="left")
    (True, False)
    >>> str(Real(0, 1, closed="left")), str(Real(0))
    ('a number in [0, 1)', 'a finite number >= 0')
    """

    low: float | None = None
    high: float | None = None
    closed: Closed = "both"

    def __contains__(self, value: object) -> bool:
        number = _as_float(value)
        if self._is_too_large_or_small(number):
            return False
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        above = number > low or (self.closed in ("both", "left") and number == self.low)
        return above and (number < high or (self.closed in ("both", "right") and number == self.high))

    def _words(self) -> tuple[str, ...]:
        what = "a finite number" if self.low is None or self.high is None else "a number"
        return (what + _limits(self.low, self.high, self.closed),)

    def _hint(self, value: object, /) -> str:
        if isinstance(value, int) and abs(value) > _MAX_INT64:
            return f" The largest int is {_MAX_INT64}; pass a float."
        words = " A number other than 0 must be of a size from 1e-100 to 1e+100."
        return words if self._is_too_large_or_small(_as_float(value)) else ""

    def _is_too_large_or_small(self, number: float) -> bool:
        is_outside = number != 0 and math.isfinite(number) and not _SIZES[0] <= abs(number) <= _SIZES[1]
        return is_outside and None in (self.low, self.high)


@dataclass(frozen=True)
class Bool(Rule):
    """True or False, of Python or NumPy.

    Examples
    --------
    >>> False in Bool(), 0 in Bool(), str(Bool())
    (True, False, 'a bool')
    """

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (bool, np.bool_))

    def _words(self) -> tuple[str, ...]:
        return ("a bool",)


CONFIDENCE = Real(0, 1, closed="neither")  # of any interval or bound


@dataclass(frozen=True)
class Nothing(Rule):
    """None.

    Examples
    --------
    >>> None in Nothing(), 0 in Nothing(), str(Nothing())
    (True, False, 'None')
    """

    def __contains__(self, value: object) -> bool:
        return value is None

    def _words(self) -> tuple[str, ...]:
        return ("None",)


@dataclass(frozen=True, init=False)
class Choice(Rule):
    """One of several strings; the error for a misspelt one suggests the nearest.

    Examples
    --------
    >>> "gini" in Choice("gini", "dkm"), str(Choice("gini", "dkm"))
    (True, "'gini' or 'dkm'")
    """

    options: tuple[str, ...]

    def __init__(self, *options: str) -> None:
        object.__setattr__(self, "options", options)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.options

    def _words(self) -> tuple[str, ...]:
        return tuple(map(repr, self.options))

    def _choices(self) -> tuple[str, ...]:
        return self.options


@dataclass(frozen=True)
class InstanceOf(Rule):
    """An instance of a type; ``words`` replace the name of the type in messages.

    Examples
    --------
    >>> str(InstanceOf(int)), str(InstanceOf(Mapping, words="a dict of class to weight"))
    ('an int', 'a dict of class to weight')
    """

    kind: type[Any]
    words: str = ""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, self.kind)

    def _hint(self, value: object, /) -> str:
        return instance_hint(value) if isinstance(value, type) and issubclass(value, self.kind) else ""

    def _words(self) -> tuple[str, ...]:
        name = self.kind.__name__
        return (self.words or f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}",)


@dataclass(frozen=True, init=False)
class HasMethods(Rule):
    """An object with some methods, not a class that has them; ``words`` name such an object in messages.

    Examples
    --------
    >>> [] in HasMethods("append"), list in HasMethods("append")
    (True, False)
    >>> str(HasMethods("fit", "predict"))
    'an object with fit() and predict()'
    """

    names: tuple[str, ...]
    words: str

    def __init__(self, *names: str, words: str = "") -> None:
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "words", words)

    def __contains__(self, value: object) -> bool:
        return all(callable(getattr(value, name, None)) for name in self.names) and not isinstance(value, type)

    def _hint(self, value: object, /) -> str:
        return instance_hint(value) if all(hasattr(value, name) for name in self.names) else ""

    def _words(self) -> tuple[str, ...]:
        return (self.words or f"an object with {' and '.join(f'{name}()' for name in self.names)}",)


@dataclass(frozen=True)
class Seed(Rule):
    """A ``random_state``: None, an int, or one of NumPy's sources of randomness.

    Examples
    --------
    >>> 0 in Seed(), -1 in Seed(), np.random.default_rng(0) in Seed()
    (True, False, True)
    """

    def __contains__(self, value: object) -> bool:
        sources = (np.random.Generator, np.random.RandomState, np.random.SeedSequence)
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            return int(value) >= 0
        return value is None or isinstance(value, sources)

    def _words(self) -> tuple[str, ...]:
        return "an int >= 0", "a numpy Generator", "a RandomState", "a SeedSequence", "None"


def check_param(name: str, value: object, rule: Rule) -> None:
    """Raise a ParameterError if the value breaks the rule.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        Its value.
    rule : Rule
        The rule it must follow.

    Examples
    --------
    >>> check_param("max_depth", 0, Int(1) | Nothing())
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: max_depth must be an int >= 1 or None; got 0.
    """
    if value not in rule:
        hint = nearest(value, rule._choices()) if isinstance(value, str) else rule._hint(value)
        raise ParameterError(f"{name} must be {rule}; got {short_repr(value)}.{hint}")


def check_params(owner: Any, rules: Mapping[str, Rule] | None = None) -> None:
    """Check the attributes of an object that have a rule, in the order of the rules.

    Parameters
    ----------
    owner : object
        An estimator or any object with an attribute of each name.
    rules : mapping of str to Rule, optional
        The rule of each parameter; those that the class declares as ``_rules`` if None.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_params(SimpleNamespace(how="laplas"), {"how": Choice("m", "laplace")})
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: how must be 'm' or 'laplace'; got 'laplas'. Did you mean 'laplace'?
    """
    for name, rule in (owner._rules if rules is None else rules).items():
        check_param(name, getattr(owner, name), rule)


def choose(what: str, name: str, options: Mapping[str, T]) -> T:
    """Return the entry of a registry by name, or raise with the names there are and the nearest.

    Parameters
    ----------
    what : str
        What the names stand for, in the words of the caller: ``"criterion"``.
    name : str
        The name to look up.
    options : mapping of str to object
        The registry.

    Returns
    -------
    object
        The entry.

    Examples
    --------
    >>> choose("how", "largest", {"largest": max, "total": sum})([1, 2, 3])
    3
    >>> choose("how", "totals", {"largest": max, "total": sum})
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: how must be 'largest' or 'total'; got 'totals'. Did you mean 'total'?
    """
    check_param(what, name, Choice(*options))
    return options[name]


def _limits(low: float | None, high: float | None, closed: Closed) -> str:
    left, right = _ENDS[closed]
    if low is not None and high is not None:
        return f" in {left}{low}, {high}{right}"
    if low is not None:
        return f" {'>=' if left == '[' else '>'} {low}"
    return f" {'<=' if right == ']' else '<'} {high}" if high is not None else ""


def _as_float(value: object) -> float:
    """Return a number as a float; NaN, which no rule accepts, for anything else and for ints beyond 64 bits."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or (isinstance(value, int) and abs(value) > _MAX_INT64):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.nan
