"""Fields of many values: categories, of which large columns have thousands."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ModelFileError
from calibrant.files._codec.fields import Field, wrong
from calibrant.files._codec.values import Plain

if TYPE_CHECKING:
    from calibrant.files._codec.reader import Reader
    from calibrant.files._codec.writer import Writer

__all__ = ["Values"]

_MANY = 200  # strings; from here on their text is an array, so that headers stay small


class Values(Field):
    """A tuple of strings, numbers or booleans; the text of many strings stands in an array."""

    def write(self, value: Any, out: Writer) -> Any:
        if type(value) is not tuple:
            raise wrong("a tuple", value)
        if len(value) < _MANY or not all(type(item) is str for item in value):
            return Plain().write(value, out)
        content = b"".join(item.encode("utf-8", "surrogatepass") for item in value)
        lengths = np.array([len(item) for item in value], dtype=np.uint32)
        text = np.frombuffer(content, dtype=np.uint8)
        return {"text": out.add_array(text), "lengths": out.add_array(lengths)}

    def read(self, document: Any, source: Reader) -> tuple[Any, ...]:
        if type(document) is not dict or document.keys() != {"text", "lengths"}:
            return self._plain(Plain().read(document, source))
        content, lengths = source.array(document["text"]), source.array(document["lengths"])
        if content.dtype != np.uint8 or lengths.dtype != np.uint32 or content.ndim != 1 or lengths.ndim != 1:
            raise ModelFileError("must be text and the lengths of its parts")
        try:
            text = content.tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise ModelFileError("must be text in UTF-8") from error
        ends = [0, *np.cumsum(lengths, dtype=np.int64).tolist()]
        if ends[-1] != len(text):
            raise ModelFileError(f"must have lengths that add up to {len(text):,}; got {ends[-1]:,}")
        return tuple(text[start:end] for start, end in pairwise(ends))

    def _plain(self, value: Any) -> tuple[Any, ...]:
        if type(value) is not tuple or not all(type(item) in (str, bool, int, float) for item in value):
            raise wrong("a tuple of strings, numbers or booleans", value)
        return value
