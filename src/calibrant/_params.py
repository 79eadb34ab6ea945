"""Rules of parameters as data beside a class, checked on the first line of ``fit``; ``str(rule)`` is its wording."""

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
    "init_arguments",
]

T = TypeVar("T")
Closed = Literal["both", "left", "right", "neither"]

_ENDS = {"both": ("[", "]"), "left": ("[", ")"), "right": ("(", "]"), "neither": ("(", ")")}
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _WIDTH = 80


class Rule(ABC):
    """What values a parameter may have; ``|`` joins alternatives.

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


@dataclass(frozen=True)
class Int(Rule):
    """An int, of Python or NumPy, from ``low`` to ``high`` inclusive; not a bool.

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
        number = int(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def _words(self) -> tuple[str, ...]:
        return ("an int" + _limits(self.low, self.high, "both"),)


@dataclass(frozen=True)
class Real(Rule):
    """A number, int or float, of Python or NumPy, between two limits; never NaN.

    Without a limit a side excludes infinity; write ``Real(0, math.inf)`` to include it.

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
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        above = number > low or (self.closed in ("both", "left") and number == self.low)
        return above and (number < high or (self.closed in ("both", "right") and number == self.high))

    def _words(self) -> tuple[str, ...]:
        what = "a finite number" if self.low is None or self.high is None else "a number"
        return (what + _limits(self.low, self.high, self.closed),)


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
        has_all = all(callable(getattr(value, name, None)) for name in self.names)
        return has_all and not isinstance(value, type)

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
        return value is None or isinstance(value, sources) or value in Int(0)

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
        hint = nearest(value, rule._choices()) if isinstance(value, str) else ""
        raise ParameterError(f"{name} must be {rule}; got {_shown(value)}.{hint}")


def check_params(owner: object, rules: Mapping[str, Rule]) -> None:
    """Check the attributes of an object that have a rule, in the order of the rules.

    Parameters
    ----------
    owner : object
        An estimator or any object with an attribute of each name.
    rules : mapping of str to Rule
        The rule of each parameter.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_params(SimpleNamespace(how="laplas"), {"how": Choice("m", "laplace")})
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: how must be 'm' or 'laplace'; got 'laplas'. Did you mean 'laplace'?
    """
    for name, rule in rules.items():
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


def init_arguments(local: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an ``__init__``, which are its ``locals()`` except the instance and its class.

    For estimators that differ from their base class in their defaults only: scikit-learn reads the signature, so the
    parameters must be written out once.

    Examples
    --------
    >>> init_arguments({"self": object(), "max_depth": 3, "__class__": object})
    {'max_depth': 3}
    """
    return {name: value for name, value in local.items() if name not in ("self", "__class__")}


def _limits(low: float | None, high: float | None, closed: Closed) -> str:
    left, right = _ENDS[closed]
    if low is not None and high is not None:
        return f" in {left}{low}, {high}{right}"
    if low is not None:
        return f" {'>=' if left == '[' else '>'} {low}"
    return f" {'<=' if right == ']' else '<'} {high}" if high is not None else ""


def _as_float(value: object) -> float:
    """Return a number as a float; NaN, which no rule accepts, for anything else and for ints beyond the floats."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _shown(value: object) -> str:
    try:
        text = " ".join(_REPR.repr(value).split())
    except ValueError:  # Python raises for an int of more than 4,300 digits
        text = f"an {type(value).__name__} too long to show"
    return text if len(text) <= _WIDTH else f"{text[:60]}...{text[-17:]}"
