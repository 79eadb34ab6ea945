"""JSON inside an HTML page: nothing in it can end the script element that holds it."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["embed_json"]

# Escaped as JSON escapes them: the text means the same, and HTML finds no tag, entity or line break in it
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def embed_json(value: Any) -> str:
    r"""Return a value as JSON that is safe inside a script element; numbers that are not finite become null.

    Examples
    --------
    >>> embed_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    try:
        written = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        written = json.dumps(_finite(value), separators=(",", ":"))
    return written.translate(_ESCAPES)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
