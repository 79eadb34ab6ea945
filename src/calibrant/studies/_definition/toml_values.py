"""TOML text as values, within the limits of a study file."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from calibrant.studies._definition.yaml_nodes import MAX_DEPTH, MAX_NODES, TextError

__all__ = ["read_toml"]

# tomllib takes quadratic time and memory for keys of many parts (CPython issue 149231).
_MAX_PARTS = 30
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}]")


def read_toml(text: str) -> dict[str, Any]:
    r"""Return the values of a TOML text.

    Raises
    ------
    TextError
        If the text is not TOML, or has more values or levels than a study needs.

    Examples
    --------
    >>> read_toml('name = "s"\n[plan]\nclass = "LeaveOneOut"\n')
    {'name': 's', 'plan': {'class': 'LeaveOneOut'}}
    """
    _check_keys(text)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, where = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", where)
        if line is None:
            raise TextError(f"is not valid TOML: {error}") from error
        raise TextError(f"is not valid TOML: {problem}", int(line[1])) from error
    except RecursionError as error:
        raise TextError(f"is nested more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:  # a number of thousands of digits, which Python does not read
        raise TextError(f"is not valid TOML: {error}") from error
    _check_size(values)
    return values


def _check_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") <= _MAX_PARTS or line.lstrip().startswith("#"):
            continue
        packed = line.replace(" ", "").replace("\t", "")
        if any(piece.count(".") > _MAX_PARTS for piece in _BETWEEN_KEYS.split(packed)):
            raise TextError(f"has a key of more than {_MAX_PARTS} parts", number)


def _check_size(values: Any) -> None:
    """Raise if there are too many values or levels; without recursion, which deep nesting would exhaust."""
    level, n_values = [values], 0
    for _ in range(MAX_DEPTH + 1):
        n_values += len(level)
        if n_values > MAX_NODES:
            raise TextError(f"has more than {MAX_NODES:,} values; a study needs fewer")
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [value for each in inner for value in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return
    raise TextError(f"is nested more than {MAX_DEPTH} levels deep")
