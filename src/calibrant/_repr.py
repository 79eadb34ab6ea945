"""Short representations of values for error messages, and what to write where a class is passed for an instance."""

from __future__ import annotations

import inspect
import reprlib

__all__ = ["instance_hint", "short_repr"]

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
