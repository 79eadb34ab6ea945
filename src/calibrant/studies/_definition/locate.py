"""The part of a document that an error is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from calibrant.studies._definition.build import DocumentError, Path

__all__ = ["locate"]

# Words that messages open with, and the key that they are about
_SECTIONS = {"data": "datasets", "two": "", "method": "methods", "tests_training": "training_metrics"}
_SECTIONS |= {"keeps_predictions": "keep_predictions", "the": "name"}
_QUOTED = re.compile(r"'([^']*)'")
_WORD = re.compile(r"[A-Za-z_]+")


def locate(error: Exception, document: Any) -> tuple[Path, str]:
    """Return the path of the part that an error is about, as far as it is known, and the problem.

    Examples
    --------
    >>> from calibrant.exceptions import StudyError
    >>> document = {"metrics": ["mse", "acu"], "seed": 0}
    >>> locate(StudyError("metrics: there is no metric 'acu'."), document)
    (('metrics', 1), "metrics: there is no metric 'acu'.")
    """
    if isinstance(error, DocumentError):
        return _to_parameter(error.path, error.problem, document), error.problem
    problem = str(error)
    if not isinstance(document, Mapping):
        return (), problem
    opening = _WORD.match(problem)
    section = _SECTIONS.get(opening[0], opening[0]) if opening else ""
    if problem.startswith("two "):
        section = "datasets" if "data set" in problem else "methods"
    if section not in document:
        return (), problem
    return _deepest((section,), problem, document), problem


def _deepest(path: Path, problem: str, document: Any) -> Path:
    """Go on from a path to the names that the problem quotes, and to the parameter that it names."""
    for name in _QUOTED.findall(problem):
        key = _key_of(_part(path, document), name)
        path = path if key is None else (*path, key)
    return _to_parameter(path, problem, document)


def _to_parameter(path: Path, problem: str, document: Any) -> Path:
    words = set(_WORD.findall(problem))
    return next((path + found for found in _parameters(_part(path, document)) if found[-1] in words), path)


def _part(path: Path, document: Any) -> Any:
    for key in path:
        document = _child(document, key)
    return document


def _child(part: Any, key: Any) -> Any:
    if isinstance(part, Mapping):
        return part.get(key)
    return part[key] if isinstance(part, list) and isinstance(key, int) and key < len(part) else None


def _key_of(part: Any, name: str) -> Any:
    """Return the key or position of a name in a part: as a key, an item, or the name or source of an item."""
    if isinstance(part, Mapping):
        return name if name in part else None
    if isinstance(part, list):
        for position, each in enumerate(part):
            named = [each.get("name"), each.get("source")] if isinstance(each, Mapping) else [each]
            if name in named:
                return position
    return None


def _parameters(part: Any) -> Iterator[Path]:
    """Yield the paths of the parameters inside a part, outer ones first."""
    if isinstance(part, Mapping):
        for name in part.get("params") or {} if isinstance(part.get("params"), Mapping) else {}:
            yield "params", name
        for key, each in part.items():
            yield from ((key, *found) for found in _parameters(each))
    elif isinstance(part, list):
        for position, each in enumerate(part):
            yield from ((position, *found) for found in _parameters(each))
