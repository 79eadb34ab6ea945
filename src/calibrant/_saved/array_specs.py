"""Type, shape and order of an array in a file."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._repr import short_repr
from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArraySpec", "dtype_code"]

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
        if type(document) is not dict or not {"dtype", "shape"} <= document.keys() <= {
            "dtype",
            "shape",
            "order",
            "shuffled",
        }:
            raise ModelFileError(f"must be the type and shape of an array; got {short_repr(document)}")
        shape, order, shuffled = document["shape"], document.get("order", "C"), document.get("shuffled", False)
        if document["dtype"] not in DTYPES or order not in ("C", "F") or type(shuffled) is not bool:
            raise ModelFileError(f"is an array of an unknown type or order; got {short_repr(document)}")
        if (
            type(shape) is not list
            or len(shape) > _MAX_NDIM
            or not all(type(n) is int and 0 <= n < 2**48 for n in shape)
        ):
            raise ModelFileError(f"is an array of an impossible shape; got {short_repr(shape)}")
        if math.prod(max(n, 1) for n in shape) >= 2**48:
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
        plain = (
            np.asarray(array, dtype=f"<{self.dtype}").T if self.order == "F" else np.asarray(array, f"<{self.dtype}")
        )
        values = np.ascontiguousarray(plain).reshape(-1).view(np.uint8)
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
