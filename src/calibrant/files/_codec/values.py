"""Fields of any value: the parameters of estimators, with arrays and objects inside, each with its type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from calibrant._estimator import EstimatorMixin
from calibrant.exceptions import ModelFileError
from calibrant.files._codec.fields import NOT_FINITE, Field, named, wrong

if TYPE_CHECKING:
    from calibrant.files._codec.reader import Reader
    from calibrant.files._codec.writer import Writer

__all__ = ["Object", "Parameters", "Plain", "Value"]

_MAX_DEPTH = 16
_MAX_KEYS = 10_000  # of a dict; ints can be chosen so that a dict of them takes time by the square of their number


class Object(Field):
    """An object of one of the named forms, of a package's (``"trees.*"``), or of any if there are no names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def write(self, value: Any, out: Writer) -> int:
        number = out.add(value)
        self._check(out.form_names[number])
        return number

    def read(self, document: Any, source: Reader) -> Any:
        name, value = source.object(document)
        self._check(name)
        if isinstance(value, EstimatorMixin) and not _is_fitted(value):
            raise ModelFileError(f"must be fitted; got a {name} with its parameters alone")
        return value

    def _check(self, name: str) -> None:
        package = f"{name.partition('.')[0]}.*"
        if self.names and name not in self.names and package not in self.names:
            raise ModelFileError(f"must be {' or '.join(self.names)}; got {name}")


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


class Value(Field):
    """Any value: plain ones, NumPy's scalars and arrays, and objects that have a form, in lists, tuples and dicts."""

    objects = True

    def write(self, value: Any, out: Writer) -> Any:
        return self._write(value, out, 0)

    def read(self, document: Any, source: Reader) -> Any:
        return self._read(document, source, 0)

    def _write(self, value: Any, out: Writer, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ModelFileError("is nested too deeply")
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) in (list, tuple):
            items = []
            for number, item in enumerate(value):
                with named(number):
                    items.append(self._write(item, out, depth + 1))
            return items if type(value) is list else {"tuple": items}
        if type(value) is dict:
            return {"dict": [[self._write(each, out, depth + 1) for each in pair] for pair in value.items()]}
        return self._write_other(value, out)

    def _write_other(self, value: Any, out: Writer) -> Any:
        if not self.objects:
            raise wrong("None, a number, a string, or a list, tuple or dict of them", value)
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"scalar": out.add_array(np.asarray(value).reshape(1))}
        if type(value) is np.ndarray and value.dtype.kind in "biuf":
            return {"array": out.add_array(value)}
        if isinstance(value, np.ndarray) and value.ndim == 1:
            from calibrant.files._codec.arrays import LabelArray

            return {"labels": LabelArray().write(value, out)}
        if isinstance(value, np.str_):
            return str(value)
        return {"object": out.add(value)}

    def _read(self, document: Any, source: Reader, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ModelFileError("is nested too deeply")
        if document is None or type(document) in (bool, int, float, str):
            return document
        if type(document) is list:
            return [self._read(item, source, depth + 1) for item in document]
        if type(document) is not dict or len(document) != 1:
            raise wrong("a value", document)
        ((kind, content),) = document.items()
        return self._read_tagged(kind, content, source, depth + 1)

    def _read_tagged(self, kind: str, content: Any, source: Reader, depth: int) -> Any:
        if kind == "float" and isinstance(content, str) and content in NOT_FINITE:
            return NOT_FINITE[content]
        if kind == "tuple" and type(content) is list:
            return tuple(self._read(item, source, depth) for item in content)
        if kind == "dict" and type(content) is list:
            return self._read_dict(content, source, depth)
        return self._read_other(kind, content, source)

    def _read_dict(self, content: list[Any], source: Reader, depth: int) -> dict[Any, Any]:
        if len(content) > _MAX_KEYS or not all(type(pair) is list and len(pair) == 2 for pair in content):
            raise wrong("pairs of keys and values", content)
        pairs = [[self._read(each, source, depth) for each in pair] for pair in content]
        try:
            return dict(pairs)
        except TypeError as error:
            raise wrong("keys of a dict", content) from error

    def _read_other(self, kind: str, content: Any, source: Reader) -> Any:
        if not self.objects or kind not in ("scalar", "array", "labels", "object"):
            raise wrong("a value", {kind: content})
        if kind == "object":
            return source.object(content)[1]
        if kind == "labels":
            from calibrant.files._codec.arrays import LabelArray

            return LabelArray().read(content, source)
        array = source.array(content)
        if kind == "scalar" and array.shape != (1,):
            raise wrong("a scalar", array)
        return array if kind == "array" else array[0]


class Plain(Value):
    """None, numbers, strings and booleans, in lists, tuples and dicts."""

    objects = False


class Parameters(Field):
    """The parameters of an estimator by name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        document = {}
        for name in self.names:
            with named(name):
                document[name] = Value().write(value[name], out)
        return document

    def read(self, document: Any, source: Reader) -> dict[str, Any]:
        if type(document) is not dict or not document.keys() <= set(self.names):
            raise wrong(f"the parameters {', '.join(self.names)}", document)
        values = {}
        for name, each in document.items():
            with named(name):
                values[name] = Value().read(each, source)
        return values
