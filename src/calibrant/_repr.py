"""Values as short text for messages."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Iterable

__all__ = ["instance_hint", "listed", "short_repr"]

_WIDTH = 80
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _WIDTH


def short_repr(value: object) -> str:
    """Return the repr of a value on one line of at most 80 characters; a class goes by its name.

    Examples
    --------
    >>> short_repr(dict)
    'the class dict'
    >>> short_repr("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        text = " ".join(_REPR.repr(value).split())
    except ValueError:  # Python raises for an int of more than 4,300 digits
        text = f"an {type(value).__name__} too long to show"
    return text if len(text) <= _WIDTH else f"{text[:60]}...{text[-17:]}"


def listed(items: Iterable[object], most: int | None = None, last: str = " and ") -> str:
    """Return items as a list in words, of which at most ``most`` are named; ``last`` stands before the last one.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    texts = [str(item) for item in items]
    if most is not None and len(texts) > most:
        texts[most:] = [f"{len(texts) - most:,} more"]
    *rest, end = texts
    return f"{', '.join(rest)}{last}{end}" if rest else end


def instance_hint(value: object) -> str:
    """Return how a class becomes the instance that is needed; an empty string where the value is not a class.

    Examples
    --------
    >>> from calibrant.calibration import Chain, Platt
    >>> instance_hint(Platt), instance_hint(Chain), instance_hint(Platt())
    (' Pass an instance: write Platt().', ' Pass an instance: write Chain(...).', '')
    """
    if not isinstance(value, type):
        return ""
    return f" Pass an instance: write {value.__name__}({'...' if _needs_arguments(value) else ''})."


def _needs_arguments(kind: type) -> bool:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # of a class written in C
        return False
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(each.default is each.empty and each.kind not in variable for each in parameters)
