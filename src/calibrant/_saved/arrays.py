"""Arrays in model files: their type, shape and order, and the fields that hold them."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant._saved.fields import Field, wrong
from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer

_KINDS = {"b": "booleans", "u": "unsigned ints", "i": "ints", "f": "floats"}


class Array(Field):
    """An array of numbers; ``kinds`` are NumPy's ("b", "u", "i", "f") or exact types ("f8"), separated by spaces.

    ``low`` and ``high`` bound all values (NaN passes unless ``finite``).
    """

    def __init__(
        self,
        kinds: str = "f",
        *,
        ndim: int | None = 1,
        finite: bool = False,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self.kinds, self.ndim, self.finite, self.low, self.high = kinds.split(), ndim, finite, low, high

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
        if self.ndim is not None and array.ndim != self.ndim:
            raise ModelFileError(f"must be an array of {self.ndim} dimension(s); its shape is {array.shape}")
        if self.finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelFileError("must hold finite numbers")
        # Where all numbers are NaN, so is the least, which is not below any limit.
        if array.size and self.low is not None and np.fmin.reduce(array, axis=None).item() < self.low:
            raise ModelFileError(f"must hold numbers >= {self.low:g}")
        if array.size and self.high is not None and np.fmax.reduce(array, axis=None).item() > self.high:
            raise ModelFileError(f"must hold numbers <= {self.high:g}")


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


def narrowest(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as the narrowest unsigned or float type that has the same numbers, to the bit.

    Examples
    --------
    >>> [narrowest(np.array(numbers)).dtype.str for numbers in ([1.0, 300.0], [0.5, -0.0], [0.1])]
    ['<u2', '<f4', '<f8']
    """
    for dtype in (np.uint8, np.uint16, np.uint32, np.float32):
        with np.errstate(invalid="ignore", over="ignore"):
            narrow = array.astype(dtype)
        if narrow.astype(array.dtype).tobytes() == array.tobytes():
            return narrow
    return array


class Narrowed(Field):
    """An array of numbers in the narrowest type that has them all, read as one type again."""

    def __init__(self, dtype: str, *, ndim: int = 1, high: float | None = None) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.field = Array("u1 u2 u4" if self.dtype.kind == "u" else "u1 u2 u4 f4 f8", ndim=ndim, high=high)

    def write(self, value: Any, out: Writer) -> Any:
        return self.field.write(narrowest(np.ascontiguousarray(value)), out)

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        array = self.field.read(document, source)
        if array.dtype.itemsize > self.dtype.itemsize:
            raise wrong(f"numbers of type {self.dtype}", array)
        return array.astype(self.dtype, copy=False)


class NarrowFloats(Narrowed):
    """An array of finite numbers from ``low`` to ``high`` in the narrowest type that has them all."""

    def __init__(self, *, ndim: int = 1, low: float = 0.0, high: float = 1e280) -> None:
        super().__init__("f8", ndim=ndim)
        self.field = Array("u1 u2 u4 f4 f8", ndim=ndim, finite=True, low=low, high=high)


DTYPES = ("b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")  # little-endian
_MAX_NDIM = 8
_SAMPLE = 1 << 16  # bytes; enough to see whether shuffling helps, at a hundredth of the time of trying it


def dtype_code(array: NDArray[Any]) -> str:
    """Return the code of an array's type; raise if files do not hold it.

    Examples
    --------
    >>> dtype_code(np.array([1.0])), dtype_code(np.array([True]))
    ('f8', 'b1')
    """
    code = array.dtype.str[1:]
    if code not in DTYPES:
        raise ModelFileError(f"is an array of {array.dtype}, which model files do not hold")
    return code


@dataclass(frozen=True)
class ArraySpec:
    """Type, shape and order ("C" or "F") of an array, and whether its bytes are shuffled.

    Shuffled are all first bytes of the numbers, then all second ones, and so on: they compress better.

    Examples
    --------
    >>> ArraySpec.of(np.zeros((2, 3))).to_json()
    {'dtype': 'f8', 'shape': [2, 3]}
    """

    dtype: str
    shape: tuple[int, ...]
    order: str = "C"
    shuffled: bool = False

    @classmethod
    def of(cls, array: NDArray[Any], *, compress: bool = False) -> ArraySpec:
        """Return the spec of an array; its bytes are shuffled if they are compressed and smaller so."""
        is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        spec = cls(dtype_code(array), array.shape, "F" if is_fortran else "C")
        return spec._shuffled_if_smaller(array) if compress else spec

    @classmethod
    def read(cls, document: Any) -> ArraySpec:
        """Return the spec of a document; raise if it is not one of an array that can be."""
        known = {"dtype", "shape", "order", "shuffled"}
        if type(document) is not dict or not {"dtype", "shape"} <= document.keys() <= known:
            raise ModelFileError(f"must be the type and shape of an array; got {short_repr(document)}")
        shape, order, shuffled = document["shape"], document.get("order", "C"), document.get("shuffled", False)
        if document["dtype"] not in DTYPES or order not in ("C", "F") or type(shuffled) is not bool:
            raise ModelFileError(f"is an array of an unknown type or order; got {short_repr(document)}")
        are_sizes = type(shape) is list and len(shape) <= _MAX_NDIM and all(type(n) is int and n >= 0 for n in shape)
        if not are_sizes or math.prod(max(n, 1) for n in shape) >= 2**48:
            raise ModelFileError(f"is an array of an impossible shape; got {short_repr(shape)}")
        return cls(document["dtype"], tuple(shape), order, shuffled)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return math.prod(self.shape) * int(self.dtype[1:])

    def to_json(self) -> dict[str, Any]:
        """Return the document of the spec."""
        document: dict[str, Any] = {"dtype": self.dtype, "shape": list(self.shape)}
        return document | ({"order": "F"} if self.order == "F" else {}) | ({"shuffled": True} if self.shuffled else {})

    def content(self, array: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the bytes of an array in the order of the file; a view where that is possible."""
        plain = np.asarray(array, dtype=f"<{self.dtype}")
        values = np.ascontiguousarray(plain.T if self.order == "F" else plain).reshape(-1).view(np.uint8)
        return np.ascontiguousarray(values.reshape(-1, int(self.dtype[1:])).T).reshape(-1) if self.shuffled else values

    def view(self, buffer: Any, offset: int) -> NDArray[Any]:
        """Return the array at an offset of a buffer, read-only; shuffled bytes are copied into order."""
        if self.nbytes > len(buffer) - offset:
            raise ModelFileError(f"has {len(buffer) - offset} bytes for an array of {self.nbytes}")
        if self.shuffled:
            columns = np.frombuffer(buffer, np.uint8, self.nbytes, offset).reshape(int(self.dtype[1:]), -1)
            buffer, offset = np.ascontiguousarray(columns.T), 0
        dtype = np.dtype(f"<{self.dtype}")
        if self.nbytes == 0:
            array = np.empty(self.shape, dtype, order=self.order)  # type: ignore[call-overload]
        else:
            array = np.ndarray(self.shape, dtype, buffer, offset, order=self.order)  # type: ignore[arg-type]
        if self.dtype == "b1" and array.size and array.view(np.uint8).max() > 1:
            raise ModelFileError("is an array of booleans other than 0 and 1")
        array.flags.writeable = False
        return np.asarray(array)

    def _shuffled_if_smaller(self, array: NDArray[Any]) -> ArraySpec:
        if self.dtype[1:] == "1":
            return self
        shuffled = ArraySpec(self.dtype, self.shape, self.order, shuffled=True)
        start = max(array.size // 2 * array.itemsize - _SAMPLE // 2, 0) // array.itemsize * array.itemsize
        middle = self.content(array)[start : start + _SAMPLE]
        columns = np.ascontiguousarray(middle.reshape(-1, array.itemsize).T)
        return shuffled if len(zlib.compress(columns.data)) < len(zlib.compress(middle.data)) else self
