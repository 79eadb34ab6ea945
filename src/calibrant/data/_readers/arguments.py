"""The arguments of `read_table`, checked before any file is opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from calibrant._params import Bool, Choice, InstanceOf, Int, Nothing, Rule, check_param
from calibrant.data._frames.columns import Nominal, choose_nominal
from calibrant.exceptions import DataTypeError, ParameterError

TYPES = ("nominal", "number", "date", "text", "drop")

Target: TypeAlias = str | int | Literal[False] | None


@dataclass(frozen=True)
class _False(Rule):
    """False itself."""

    def __contains__(self, value: object) -> bool:
        return value is False

    def _words(self) -> tuple[str, ...]:
        return ("False",)


@dataclass(frozen=True)
class _Separator(Rule):
    """One ASCII character that can separate columns."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0'

    def _words(self) -> tuple[str, ...]:
        return ("one ASCII character",)


@dataclass(frozen=True)
class _Names(Rule):
    """A path, or names of columns."""

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str | os.PathLike):
            return True
        return _is_sequence(value) and all(isinstance(name, str) for name in value)  # type: ignore[attr-defined]

    def _words(self) -> tuple[str, ...]:
        return "a path", "a sequence of strings"


@dataclass(frozen=True)
class _Mark(Rule):
    """One character that may stand in a number."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and len(value) == 1 and not value.isalnum() and value not in "+-"

    def _words(self) -> tuple[str, ...]:
        return ("one character that is no digit",)


@dataclass(frozen=True)
class _Texts(Rule):
    """A sequence of texts."""

    def __contains__(self, value: object) -> bool:
        return _is_sequence(value) and all(isinstance(text, str) for text in value)  # type: ignore[attr-defined]

    def _words(self) -> tuple[str, ...]:
        return ("a sequence of texts",)


@dataclass(frozen=True)
class _Types(Rule):
    """A mapping of columns to their types."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(
            isinstance(name, str) and kind in TYPES for name, kind in value.items()
        )

    def _words(self) -> tuple[str, ...]:
        return (f"a dict of column to {', '.join(map(repr, TYPES))}",)


_RULES: dict[str, Rule] = {
    "target": InstanceOf(str, words="the name of a column") | Int() | _False() | Nothing(),
    "names": _Names() | Nothing(),
    "sep": _Separator() | Nothing(),
    "decimal": Choice(".", ",") | Nothing(),
    "thousands": _Mark() | Nothing(),
    "header": Bool() | Nothing(),
    "encoding": InstanceOf(str) | Nothing(),
    "dates": Choice("dmy", "mdy", "ymd") | Nothing(),
    "missing": _Texts() | Nothing(),
    "sheet": InstanceOf(str, words="the name of a sheet") | Int(1) | Nothing(),
    "types": _Types() | Nothing(),
    "drop_ids": Bool(),
}


def check_arguments(**arguments: object) -> None:
    """Raise if an argument is not allowed.

    Examples
    --------
    >>> check_arguments(sep=", ")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: sep must be one ASCII character or None; got ', '.
    """
    for name, value in arguments.items():
        check_param(name, value, _RULES[name])


def as_path(path: object, name: str = "path") -> Path:
    """Return a path; raise if it is of another type or empty.

    Examples
    --------
    >>> as_path(b"a.csv")
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: path must be a str or a pathlib.Path; got bytes. Pass the path of the file.
    """
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    if not isinstance(path, str):
        kind = "None" if path is None else type(path).__name__
        raise DataTypeError(f"{name} must be a str or a pathlib.Path; got {kind}. Pass the path of the file.")
    if not path:
        raise ParameterError(f"{name} is empty. Pass the path of the file.")
    return Path(path)


def as_target(target: Any) -> Target:
    """Return a target with NumPy integers converted to Python's."""
    return target if target is None or isinstance(target, str) or target is False else int(target)


def as_nominal_items(nominal: Any) -> Nominal:
    """Return names, positions or a mask as a list of Python values.

    Examples
    --------
    >>> as_nominal_items(("a", "b")), as_nominal_items("all")
    (['a', 'b'], 'all')
    >>> as_nominal_items(0)
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: nominal must be 'all' or a sequence of names, positions or booleans; got 0.
    """
    if nominal is None or isinstance(nominal, str):
        return nominal
    if not _is_sequence(nominal):
        expected = "'all' or a sequence of names, positions or booleans"
        raise ParameterError(f"nominal must be {expected}; got {nominal!r:.60}.")
    return nominal.tolist() if hasattr(nominal, "tolist") else list(nominal)


def _is_sequence(value: object) -> bool:
    is_sized = isinstance(value, Iterable) and isinstance(value, Sized)
    return is_sized and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) == 1


def nominal_names(nominal: Nominal, columns: Sequence[str]) -> set[str]:
    """Return the names of the columns that ``nominal`` specifies; positions index ``columns``.

    Examples
    --------
    >>> sorted(nominal_names([0, 2], ["a", "b", "c"])), nominal_names("auto", ["a"])
    (['a', 'c'], set())
    """
    if nominal is not None and not isinstance(nominal, str):
        # names become positions here, because a search through a list for each name is quadratic in wide tables
        position_of = {name: position for position, name in enumerate(columns)}
        items: Any = [position_of.get(item, item) if isinstance(item, str) else item for item in nominal]
        nominal = items
    return {columns[position] for position in choose_nominal(nominal, columns)}


def nominal_features(columns: Sequence[str], *, target: Target, nominal: Nominal) -> set[str]:
    """Return the features among ``columns`` that ``nominal`` specifies, the class excluded."""
    position = -1 if target is None else target
    by_position = isinstance(position, int) and position is not False and -len(columns) <= position < len(columns)
    label = columns[position] if by_position else target  # type: ignore[index]
    return nominal_names(nominal, [name for name in columns if name != label])
