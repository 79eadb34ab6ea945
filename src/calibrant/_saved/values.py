"""Fields of values of any type: objects, the parameters of estimators, categories."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._estimator import EstimatorMixin
from calibrant._params import Rule, check_params
from calibrant._saved.fields import NOT_FINITE, Field, MapOf, named, wrong
from calibrant.exceptions import ModelFileError, ParameterError

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer

_MAX_DEPTH = 16
_MAX_LABEL_BYTES = 2**26  # of an array of strings, which are as wide as the widest
_MANY = 200  # strings; from here on their text is an array, so that headers stay small
_MAX_KEYS = 10_000  # of a dict; ints can be chosen so that a dict of them takes time by the square of their number


def form_name(cls: type) -> str:
    """Return the name of a class of calibrant in model files."""
    return f"{cls.__module__.split('.')[1]}.{cls.__name__}"


class Object(Field):
    """An object of one of these classes, or names of them, or of any if there are none."""

    def __init__(self, *classes: type | str) -> None:
        self.names = [each if isinstance(each, str) else form_name(each) for each in classes]

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
        if self.names and name not in self.names:
            raise ModelFileError(f"must be {' or '.join(self.names)}; got {name}")


def _is_fitted(estimator: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

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
            return LabelArray().read(content, source)
        array = source.array(content)
        if kind == "scalar" and array.shape != (1,):
            raise wrong("a scalar", array)
        return array if kind == "array" else array[0]


class Plain(Value):
    """None, numbers, strings and booleans, in lists, tuples and dicts."""

    objects = False


def _check_scalars(items: list[Any]) -> list[Any]:
    """Return the items; raise unless they are strings, numbers or booleans."""
    for item in items:
        if type(item) not in _TYPES["O"]:
            raise wrong("strings, numbers or booleans", item)
    return items


class LabelArray(Field):
    """A one-dimensional array of class labels or names with its exact type: strings, ints, floats, booleans.

    Arrays of objects hold strings, numbers or booleans.
    """

    def write(self, value: Any, out: Writer) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "OUbiuf":
            raise wrong("a one-dimensional array of strings, numbers or booleans", value)
        items = _check_scalars(value.tolist())
        return {"dtype": value.dtype.newbyteorder("<").str.lstrip("<|"), "values": Plain().write(items, out)}

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        if type(document) is not dict or document.keys() != {"dtype", "values"} or type(document["values"]) is not list:
            raise wrong("labels and their type", document)
        values = _check_scalars(Plain().read(document["values"], source))
        dtype = _label_dtype(document["dtype"], values)
        labels = np.empty(len(values), dtype=dtype)
        try:
            labels[:] = values
        except (OverflowError, ValueError, TypeError) as error:
            raise wrong(f"labels of type {dtype}", values) from error
        if labels.tolist() != values and dtype.kind != "f":
            raise wrong(f"labels of type {dtype}", values)
        return labels


_EXACT = {"O", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}
_TYPES = {"O": (str, bool, int, float), "b": (bool,), "i": (int,), "u": (int,), "f": (float, int), "U": (str,)}


def _label_dtype(name: Any, values: list[Any]) -> np.dtype[Any]:
    """Return the type of labels by its name; raise if values are not of it or strings would be too wide."""
    is_text = isinstance(name, str) and re.fullmatch("U[0-9]{1,8}", name) is not None
    if not is_text and not (isinstance(name, str) and name in _EXACT):
        raise wrong("a type of labels", name)
    if is_text:
        width = max((len(value) for value in values if isinstance(value, str)), default=0)
        if int(name[1:]) < width or 4 * int(name[1:]) * len(values) > max(_MAX_LABEL_BYTES, 4 * width * len(values)):
            raise wrong("strings of this width", name)
    if not all(type(value) in _TYPES[name[0]] for value in values):
        raise wrong(f"labels of type {name}", values)
    dtype: np.dtype[Any] = np.dtype(name)
    return dtype


class Parameters(MapOf):
    """The parameters of an estimator by name."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(Value())
        self.names = tuple(names)

    def read(self, document: Any, source: Reader) -> dict[str, Any]:
        if type(document) is not dict or not document.keys() <= set(self.names):
            raise wrong(f"the parameters {', '.join(self.names)}", document)
        return super().read(document, source)


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


class Snapshot(Field):
    """The parameters that trees were grown with, by the rules that they meet."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules, self.parameters = rules, Parameters(tuple(rules))

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        return self.parameters.write({name: getattr(value, name) for name in self.rules}, out)

    def read(self, document: Any, source: Reader) -> SimpleNamespace:
        values = self.parameters.read(document, source)
        if values.keys() != self.rules.keys():
            raise wrong(f"the parameters {', '.join(self.rules)}", sorted(values))
        params = SimpleNamespace(**values)
        try:
            check_params(params, self.rules)
        except ParameterError as error:
            raise ModelFileError(f"has a wrong parameter: {error}") from None
        return params


class WithRows(Object):
    """An object and whether its training rows are saved whatever the user requests, because it predicts from them."""

    def write(self, value: Any, out: Writer) -> int:
        held, keeps_rows = value
        before, n_notes = out.training_rows, len(out.notes)
        out.training_rows = before or keeps_rows
        try:
            return super().write(held, out)
        finally:
            out.training_rows = before
            if keeps_rows:
                out.notes[n_notes:] = [f"{note}, from which it predicts" for note in out.notes[n_notes:]]
