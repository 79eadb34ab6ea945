"""JSON of headers: written one way only, read without NaN, repeated keys, deep nesting or endless numbers."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from calibrant.exceptions import ModelFileError

__all__ = ["MAX_HEADER", "parse_json", "to_json"]

MAX_HEADER = 2**26  # bytes
_MAX_VALUES = 3_000_000  # a value takes up to 100 bytes of memory


def to_json(document: dict[str, Any]) -> bytes:
    """Return a document as compact UTF-8 text.

    Examples
    --------
    >>> to_json({"a": [1, 0.1]})
    b'{"a":[1,0.1]}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    content = text.encode("utf-8", "surrogatepass")
    _check_size(content)
    return content


def parse_json(content: bytes) -> dict[str, Any]:
    """Return the document of UTF-8 text.

    Examples
    --------
    >>> parse_json(b'{"a":NaN}')
    Traceback (most recent call last):
    calibrant.exceptions.ModelFileError: its header is not JSON: NaN is none of its numbers.
    """
    _check_size(content)
    try:
        document = json.loads(
            content.decode("utf-8", "surrogatepass"), parse_constant=_refuse, object_pairs_hook=_object
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ModelFileError(f"its header is not JSON: {what:.200}.") from error
    if not isinstance(document, dict):
        raise ModelFileError("its header is not a JSON object.")
    return document


def _check_size(content: bytes) -> None:
    """Raise if a header is so large, or has so many values, that reading it would take gigabytes."""
    n_values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if len(content) > MAX_HEADER or n_values > _MAX_VALUES:
        raise ModelFileError(
            f"its header has {len(content):,} bytes and about {n_values:,} values; at most {MAX_HEADER:,} and "
            f"{_MAX_VALUES:,} are read."
        )


def _refuse(name: str) -> NoReturn:
    raise ModelFileError(f"its header is not JSON: {name} is none of its numbers.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ModelFileError("its header has a key twice.")
    return document
