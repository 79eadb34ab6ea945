"""Documents of values as the Python expressions that people would write."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from calibrant._repr import short_repr

__all__ = ["default_text", "document_text"]

_LONGEST = 200  # characters of a text


def document_text(document: Any) -> str:
    """Return a described value as it is written in Python.

    Examples
    --------
    >>> document_text({"class": "calibrant.estimates.MEstimate", "params": {"m": 2}})
    'MEstimate(m=2)'
    >>> document_text({"tuple": [1, {"float": "inf"}, "a"]}), document_text({"function": "numpy.mean"})
    ("(1, inf, 'a')", 'numpy.mean')
    """
    text = _text(document)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}...{text[-17:]}"


def _text(document: Any) -> str:
    if isinstance(document, list):
        return f"[{', '.join(map(_text, document))}]"
    if not isinstance(document, Mapping):
        return repr(document)
    if "class" in document:
        params = (f"{name}={_text(each)}" for name, each in document.get("params", {}).items())
        return f"{document['class'].rpartition('.')[2]}({', '.join(params)})"
    if "tuple" in document:
        items = ", ".join(map(_text, document["tuple"]))
        return f"({items},)" if len(document["tuple"]) == 1 else f"({items})"
    if "array" in document:
        return f"array({_text(document['array']) if isinstance(document['array'], list) else '...'})"
    for form in ("function", "type", "float", "opaque", "column", "load", "file"):
        if form in document:
            return str(document[form])
    if "partial" in document:
        return f"partial({_text(document['partial'])}, ...)"
    return f"{{{', '.join(f'{short_repr(key)}: {_text(each)}' for key, each in document.items())}}}"


def default_text(kind: str, name: str) -> str:
    """Return the default of a parameter of a class, in words where the class is not imported.

    Examples
    --------
    >>> import calibrant.calibration
    >>> default_text("calibrant.calibration.Binning", "n_bins"), default_text("nowhere.Model", "depth")
    ('10', 'its default')
    """
    module, _, class_name = kind.rpartition(".")
    found = getattr(sys.modules.get(module), class_name, None)
    try:
        default = inspect.signature(found).parameters[name].default  # type: ignore[arg-type]
    except (TypeError, ValueError, KeyError):
        return "its default"
    return "its default" if default is inspect.Parameter.empty else short_repr(default)
