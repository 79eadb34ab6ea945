"""Fields of plain values: numbers, texts, flags, and lists, tuples and mappings of other fields."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._repr import short_repr
from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer

# JSON has no such numbers; they are spelled as these strings.
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def printable(text: str) -> str:
    r"""Return a text with characters that cannot be shown escaped.

    Examples
    --------
    >>> print(printable("red \x1b[31m"))
    red \x1b[31m
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def need(holds: object, what: str) -> None:
    """Raise a `ModelFileError` if the fields of an object do not agree."""
    if not holds:
        raise ModelFileError(what)


def wrong(expected: str, value: object) -> ModelFileError:
    """Return the error for a value that a field does not hold."""
    return ModelFileError(f"must be {expected}; got {short_repr(value)}")


def within(name: str, error: ModelFileError) -> ModelFileError:
    """Return an error with the name of an object, or of its field, before the message."""
    return ModelFileError(f"{name}{'' if str(error).startswith(('.', '[')) else ' '}{error}")


class named:  # noqa: N801 - used as contextlib's functions are, at a third of the time of one
    """Put the name of a field before the message of an error in it."""

    def __init__(self, name: object) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ModelFileError):
            raise within(f".{self._name}" if isinstance(self._name, str) else f"[{self._name}]", error) from None


class Field(ABC):
    """The values that an attribute may have, and their documents; ``|`` joins alternatives, of which None is one."""

    may_be_missing: ClassVar[bool] = False

    @abstractmethod
    def write(self, value: Any, out: Writer) -> Any:
        """Return a value as JSON; raise `ModelFileError` if the field does not hold it."""

    @abstractmethod
    def read(self, document: Any, source: Reader) -> Any:
        """Return the value; raise `ModelFileError` if the document is not one of this field."""

    def __or__(self, other: Field | None) -> Field:
        if other is None:
            return OrNone(self)
        return Either(self, other) if isinstance(other, Field) else NotImplemented


class Number(Field):
    """A float or int from ``low`` to ``high``; only finite ones unless ``finite`` is False."""

    def __init__(self, low: float = -math.inf, high: float = math.inf, *, finite: bool = True) -> None:
        self.low, self.high, self.finite = low, high, finite

    def write(self, value: Any, out: Writer) -> Any:  # noqa: ARG002
        if isinstance(value, np.generic):
            value = value.item()
        self._check(value)
        return value if math.isfinite(value) else repr(value)

    def read(self, document: Any, source: Reader) -> Any:  # noqa: ARG002
        value = NOT_FINITE.get(document, document) if isinstance(document, str) else document
        self._check(value)
        return value

    def _check(self, value: Any) -> None:
        is_number = type(value) is float or (type(value) is int and abs(value) < 2**63)  # NumPy has no larger ints
        if not is_number or not (math.isfinite(value) or not self.finite) or value < self.low or value > self.high:
            raise wrong(f"a number from {self.low:g} to {self.high:g}", value)


class _Same(Field):
    """A value that is its own document."""

    @abstractmethod
    def _checked(self, value: Any) -> Any:
        """Return the value as a type of JSON; raise if the field does not hold it."""

    def write(self, value: Any, out: Writer) -> Any:  # noqa: ARG002
        return self._checked(value)

    def read(self, document: Any, source: Reader) -> Any:  # noqa: ARG002
        return self._checked(document)


class Integer(_Same):
    """An int from ``low`` to ``high``; not a bool."""

    def __init__(self, low: int = -(2**63), high: int = 2**63 - 1) -> None:
        self.low, self.high = low, high

    def _checked(self, value: Any) -> int:
        is_int = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not is_int or not self.low <= int(value) <= self.high:
            raise wrong(f"an int from {self.low} to {self.high}", value)
        return int(value)


class Flag(_Same):
    """True or False."""

    def _checked(self, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise wrong("true or false", value)
        return bool(value)


class Text(_Same):
    """A string, one of ``options`` if there are any."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def _checked(self, value: Any) -> str:
        if not isinstance(value, str) or (self.options and value not in self.options):
            raise wrong(f"one of {', '.join(map(repr, self.options))}" if self.options else "a string", value)
        return str(value)


class Line(Text):
    """A string that can be shown: other characters, such as those that steer a terminal, are escaped."""

    def write(self, value: Any, out: Writer) -> str:  # noqa: ARG002
        return printable(self._checked(value))

    def read(self, document: Any, source: Reader) -> str:  # noqa: ARG002
        if not self._checked(document).isprintable():
            raise wrong("a line of text", document)
        return str(document)


class Maybe(Field):
    """A field of an attribute that an object need not have."""

    may_be_missing = True

    def __init__(self, field: Field) -> None:
        self.field = field

    def write(self, value: Any, out: Writer) -> Any:
        return self.field.write(value, out)

    def read(self, document: Any, source: Reader) -> Any:
        return self.field.read(document, source)


class RowsOnly(Maybe):
    """An attribute that is saved with the training rows only; a loaded estimator without it says so."""


class OrNone(Field):
    """None, or what another field holds; made by ``| None``."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def write(self, value: Any, out: Writer) -> Any:
        return None if value is None else self.field.write(value, out)

    def read(self, document: Any, source: Reader) -> Any:
        return None if document is None else self.field.read(document, source)


class Either(Field):
    """A value of the first field that accepts it; made by ``|``."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def __or__(self, other: Field | None) -> Field:
        return Either(*self.fields, other) if isinstance(other, Field) else super().__or__(other)

    def write(self, value: Any, out: Writer) -> list[Any]:
        errors = []
        for number, field in enumerate(self.fields):
            try:
                with out.undone_by_errors():
                    return [number, field.write(value, out)]
            except ModelFileError as error:
                errors.append(str(error))
        raise ModelFileError(" and ".join(errors))

    def read(self, document: Any, source: Reader) -> Any:
        if type(document) is not list or len(document) != 2 or type(document[0]) is not int:
            raise wrong("the number of an alternative and its value", document)
        if not 0 <= document[0] < len(self.fields):
            raise wrong(f"one of {len(self.fields)} alternatives", document)
        return self.fields[document[0]].read(document[1], source)


class ListOf(Field):
    """A list whose items another field holds; ``least`` to ``most`` of them."""

    kind: ClassVar[type] = list

    def __init__(self, field: Field, least: int = 0, most: int | None = None) -> None:
        self.field, self.least, self.most = field, least, most

    def write(self, value: Any, out: Writer) -> list[Any]:
        if type(value) is not self.kind:
            raise wrong(f"a {self.kind.__name__}", value)
        return self._each(value, lambda item: self.field.write(item, out))

    def read(self, document: Any, source: Reader) -> Any:
        if type(document) is not list:
            raise wrong("a list", document)
        return self.kind(self._each(document, lambda item: self.field.read(item, source)))

    def _each(self, items: Any, convert: Any) -> list[Any]:
        if len(items) < self.least or (self.most is not None and len(items) > self.most):
            raise ModelFileError(
                f"must have from {self.least} to {self.most or 'any number of'} items; has {len(items)}"
            )
        converted = []
        for number, item in enumerate(items):
            with named(number):
                converted.append(convert(item))
        return converted


class TupleOf(ListOf):
    """A tuple whose items another field holds; ``least`` to ``most`` of them."""

    kind = tuple


class MapOf(Field):
    """A dict of strings to what another field holds."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        return self._each(value, lambda item: self.field.write(item, out))

    def read(self, document: Any, source: Reader) -> dict[str, Any]:
        return self._each(document, lambda item: self.field.read(item, source))

    def _each(self, value: Any, convert: Any) -> dict[str, Any]:
        if type(value) is not dict or not all(isinstance(key, str) for key in value):
            raise wrong("a dict with strings as keys", value)
        converted = {}
        for key, item in value.items():
            with named(key):
                converted[key] = convert(item)
        return converted
