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

    def add(self, document: Any) -> Any:
        """Return the object of the next document."""
        if type(document) is not dict or document.keys() != {"form", "fields"}:
            raise wrong("an object with its form and fields", document)
        form = form_named(document["form"])
        try:
            value = form.read(document["fields"], self)
        except ModelFileError as error:
            joint = "" if str(error).startswith((".", "[")) else " "
            raise ModelFileError(f"{form.name}{joint}{error}") from None
        self._objects.append((form.name, value))
        return value

    def object(self, number: Any) -> tuple[str, Any]:
        """Return the name of the form of an object that was read before, and the object."""
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise wrong("the number of an object before it", number)
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
        return spec.view(base64.b64decode(content, validate=True), 0)
    except (binascii.Error, ValueError) as error:
        raise wrong("an array in base64", content) from error
