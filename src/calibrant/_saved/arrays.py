"""Fields of arrays: numbers, class labels, bytes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._repr import short_repr
from calibrant._saved.fields import Field, wrong
from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._saved.documents import Reader, Writer

__all__ = ["Array", "Bytes", "LabelArray"]

_KINDS = {"b": "booleans", "u": "unsigned ints", "i": "ints", "f": "floats"}
_MAX_LABEL_BYTES = 2**26  # of an array of strings, which are as wide as the widest


class Array(Field):
    """An array of numbers; ``kinds`` are NumPy's ("b", "u", "i", "f") or exact types ("f8"), separated by spaces.

    ``low`` and ``high`` bound all values (NaN passes unless ``finite``). ``shape`` has a number or None a dimension.
    """

    def __init__(
        self,
        kinds: str = "f",
        *,
        ndim: int | None = 1,
        shape: tuple[int | None, ...] | None = None,
        finite: bool = False,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self.kinds, self.ndim, self.shape = kinds.split(), ndim if shape is None else len(shape), shape
        self.finite, self.low, self.high = finite, low, high

    def write(self, value: Any, out: Writer) -> Any:
        self._check(value)
        return out.add_array(value)

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        array = source.array(document)
        self._check(array)
        return array

    def _check(self, array: Any) -> None:
        if not isinstance(array, np.ndarray) or not {array.dtype.kind, array.dtype.str[1:]} & {*self.kinds}:
            expected = " or ".join(_KINDS.get(kind, kind) for kind in self.kinds)
            got = array.dtype if isinstance(array, np.ndarray) else short_repr(array)
            raise ModelFileError(f"must be an array of {expected}; got {got}")
        if not self._has_shape(array.shape):
            expected = f"{self.ndim} dimension(s)" if self.shape is None else str(self.shape)
            raise ModelFileError(f"must be an array of {expected}; its shape is {array.shape}")
        self._check_values(array)

    def _has_shape(self, shape: tuple[int, ...]) -> bool:
        if self.ndim is not None and len(shape) != self.ndim:
            return False
        return self.shape is None or all(want in (None, has) for want, has in zip(self.shape, shape, strict=True))

    def _check_values(self, array: NDArray[Any]) -> None:
        if self.finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelFileError("must hold finite numbers")
        if (
            array.size
            and self.low is not None
            and not (np.fmin.reduce(array, axis=None).item() >= self.low or _all_nan(array))
        ):
            raise ModelFileError(f"must hold numbers >= {self.low:g}")
        if (
            array.size
            and self.high is not None
            and not (np.fmax.reduce(array, axis=None).item() <= self.high or _all_nan(array))
        ):
            raise ModelFileError(f"must hold numbers <= {self.high:g}")


def _all_nan(array: NDArray[Any]) -> bool:
    return math.isnan(np.fmax.reduce(array, axis=None))


class Bytes(Field):
    """A bytes object."""

    def write(self, value: Any, out: Writer) -> Any:
        if not isinstance(value, bytes):
            raise wrong("bytes", value)
        return out.add_array(np.frombuffer(value, dtype=np.uint8) if value else np.empty(0, dtype=np.uint8))

    def read(self, document: Any, source: Reader) -> bytes:
        array = source.array(document)
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ModelFileError(f"must be bytes; got {array.dtype} of shape {array.shape}")
        return array.tobytes()


class LabelArray(Field):
    """A one-dimensional array of class labels or names with its exact type: strings, ints, floats, booleans.

    Arrays of objects hold strings, numbers or booleans.
    """

    def write(self, value: Any, out: Writer) -> Any:  # noqa: ARG002
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "OUbiuf":
            raise wrong("a one-dimensional array of strings, numbers or booleans", value)
        items = [_item(item) for item in value.tolist()]
        return {"dtype": value.dtype.newbyteorder("<").str.lstrip("<|"), "values": items}

    def read(self, document: Any, source: Reader) -> NDArray[Any]:  # noqa: ARG002
        if type(document) is not dict or document.keys() != {"dtype", "values"} or type(document["values"]) is not list:
            raise wrong("labels and their type", document)
        values = [_back(item) for item in document["values"]]
        dtype = _label_dtype(document["dtype"], values)
        labels = np.empty(len(values), dtype=dtype)
        try:
            labels[:] = values
        except (OverflowError, ValueError, TypeError) as error:
            raise wrong(f"labels of type {dtype}", values) from error
        if labels.tolist() != values and dtype.kind != "f":
            raise wrong(f"labels of type {dtype}", values)
        return labels


def _item(item: Any) -> Any:
    if type(item) not in (str, bool, int, float):
        raise wrong("strings, numbers or booleans", item)
    return {"float": repr(item)} if isinstance(item, float) and not math.isfinite(item) else item


def _back(item: Any) -> Any:
    if type(item) is dict and item.keys() == {"float"} and item["float"] in ("nan", "inf", "-inf"):
        return float(item["float"])
    if type(item) not in (str, bool, int, float):
        raise wrong("strings, numbers or booleans", item)
    return item


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
