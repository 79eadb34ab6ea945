"""The objects and arrays of a file that is being read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calibrant.exceptions import ModelFileError
from calibrant.files._codec.fields import wrong
from calibrant.files._codec.registry import form_named
from calibrant.files._container.array_specs import ArraySpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reader"]

_MAX_DEPTH = 100  # of objects in objects
_MAX_PARTS = 1_000_000


class Reader:
    """Makes objects of their documents in order; one refers only to objects before it, so that there are no circles.

    Examples
    --------
    >>> source = Reader([])
    >>> source.array({'dtype': 'f8', 'shape': [1], 'data': 'AAAAAAAA8D8='})
    array([1.])
    """

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self._arrays = arrays
        self._objects: list[tuple[str, Any]] = []
        self._depths: list[int] = []
        self._parts: list[int] = []  # the number of objects in each, those that are there twice counted twice
        self._depth = self._n_parts = 0

    def add(self, document: Any) -> Any:
        """Return the object of the next document."""
        if type(document) is not dict or document.keys() != {"form", "fields"}:
            raise wrong("an object with its form and fields", document)
        form = form_named(document["form"])
        self._depth = self._n_parts = 0
        try:
            value = form.read(document["fields"], self)
            self._check_size()
        except ModelFileError as error:
            joint = "" if str(error).startswith((".", "[")) else " "
            raise ModelFileError(f"{form.name}{joint}{error}") from None
        self._objects.append((form.name, value))
        self._depths.append(self._depth + 1)
        self._parts.append(self._n_parts + 1)
        return value

    def _check_size(self) -> None:
        """Raise if models are in models too deeply or too often: a small file could predict forever."""
        if self._depth > _MAX_DEPTH or self._n_parts > _MAX_PARTS:
            raise ModelFileError(f"has {self._n_parts:,} objects inside, {self._depth} deep; no model has so many")

    def object(self, number: Any) -> tuple[str, Any]:
        """Return the name of the form of an object that was read before, and the object."""
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise wrong("the number of an object before it", number)
        self._depth = max(self._depth, self._depths[number])
        self._n_parts += self._parts[number]
        return self._objects[number]

    def array(self, document: Any) -> NDArray[Any]:
        """Return an array of the file, or one that stands in the document."""
        if type(document) is dict:
            return _inline(document)
        if type(document) is not int or not 0 <= document < len(self._arrays):
            raise wrong("the number of an array", document)
        return self._arrays[document]


def _inline(document: dict[str, Any]) -> NDArray[Any]:
    content = document.get("data")
    spec = ArraySpec.read({key: value for key, value in document.items() if key != "data"})
    if not isinstance(content, str) or spec.shuffled:
        raise wrong("an array in base64", content)
    try:
        decoded = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise wrong("an array in base64", content) from error
    if len(decoded) != spec.nbytes:
        raise ModelFileError(f"must be an array of {spec.nbytes:,} bytes; got {len(decoded):,}")
    return spec.view(decoded, 0)
