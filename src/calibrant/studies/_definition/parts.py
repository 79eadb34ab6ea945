"""Parts of a definition: an object and the document that describes it, each made from the other when needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from calibrant.studies._definition.build import Path, build_value
from calibrant.studies._definition.describe import describe_value

__all__ = ["DefinitionPart"]

_NOT_BUILT = object()


class DefinitionPart:
    """A value with its document; made of one of them, it makes the other when it is first used.

    Examples
    --------
    >>> DefinitionPart((1, 2)).document, DefinitionPart.described({"tuple": [1, 2]}).value
    ({'tuple': [1, 2]}, (1, 2))
    """

    def __init__(self, value: Any, document: Any = None, path: Path = ()) -> None:
        self._value = value
        self._document = document
        self._path = path

    @classmethod
    def described(cls, document: Any, path: Path = ()) -> DefinitionPart:
        """Return a part made of a document; nothing that it names is imported before its value is used."""
        return cls(_NOT_BUILT, document, path)

    @cached_property
    def value(self) -> Any:
        """The object."""
        return build_value(self._document, self._path) if self._value is _NOT_BUILT else self._value

    @cached_property
    def document(self) -> Any:
        """The JSON document."""
        return self._document if self._value is _NOT_BUILT else describe_value(self._value)

    def __reduce__(self) -> Any:
        if self._value is _NOT_BUILT:
            return _described, (self._document, self._path)
        return type(self), (self._value,)


def _described(document: Any, path: Path) -> DefinitionPart:
    return DefinitionPart.described(document, path)
