"""The objects and arrays of a file that is being written."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ModelFileError
from calibrant.files._codec.registry import form_of
from calibrant.files._container.array_specs import dtype_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Writer"]

_INLINE = 2048  # bytes; an entry of the zip costs about 200 and its padding


class Writer:
    """Collects documents of objects and arrays; what is added twice is written once.

    Examples
    --------
    >>> out = Writer()
    >>> out.add_array(np.array([1.0]))
    {'dtype': 'f8', 'shape': [1], 'data': 'AAAAAAAA8D8='}
    """

    def __init__(self, *, training_rows: bool = False) -> None:
        self.training_rows = training_rows
        self.objects: list[dict[str, Any]] = []
        self.form_names: list[str] = []
        self.arrays: list[NDArray[Any]] = []
        self.notes: list[str] = []
        self._numbers: dict[int, tuple[int | None, Any]] = {}  # by id; the object too, so that ids stay its own
        self._array_numbers: dict[int, tuple[int, Any]] = {}

    def add(self, value: Any) -> int:
        """Return the number of an object, whose document is added unless it was before."""
        if id(value) in self._numbers:
            number = self._numbers[id(value)][0]
            if number is None:
                raise ModelFileError(f"{type(value).__name__} refers to itself")
            return number
        form = form_of(value)
        self._numbers[id(value)] = None, value
        try:
            document = form.write(value, self)
        except ModelFileError as error:
            del self._numbers[id(value)]
            joint = "" if str(error).startswith((".", "[")) else " "
            raise ModelFileError(f"{type(value).__name__}{joint}{error}") from None
        self.objects.append({"form": form.name, "fields": document})
        self.form_names.append(form.name)
        self._numbers[id(value)] = len(self.objects) - 1, value
        return len(self.objects) - 1

    def add_array(self, array: NDArray[Any]) -> int | dict[str, Any]:
        """Return the number of an array, or a small one itself."""
        code = dtype_code(array)
        if array.nbytes <= _INLINE:
            return _inline(array, code)
        if id(array) not in self._array_numbers:
            self._array_numbers[id(array)] = len(self.arrays), array
            self.arrays.append(array)
        return self._array_numbers[id(array)][0]

    @contextmanager
    def undone_by_errors(self) -> Iterator[None]:
        """Forget what was added in a block that raises."""
        n_objects, n_arrays, n_notes = len(self.objects), len(self.arrays), len(self.notes)
        try:
            yield
        except ModelFileError:
            del self.objects[n_objects:], self.form_names[n_objects:], self.arrays[n_arrays:], self.notes[n_notes:]
            self._numbers = {k: v for k, v in self._numbers.items() if v[0] is None or v[0] < n_objects}
            self._array_numbers = {k: v for k, v in self._array_numbers.items() if v[0] < n_arrays}
            raise


def _inline(array: NDArray[Any], code: str) -> dict[str, Any]:
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    document: dict[str, Any] = {"dtype": code, "shape": list(array.shape)}
    if is_fortran:
        document["order"] = "F"
    content = np.asarray(array, dtype=f"<{code}").tobytes(order="F" if is_fortran else "C")
    return {**document, "data": base64.b64encode(content).decode("ascii")}
