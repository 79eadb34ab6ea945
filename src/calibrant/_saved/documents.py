"""The objects and arrays of a model file as JSON documents, while it is written or read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from calibrant._saved.arrays import ArraySpec
from calibrant._saved.fields import within, wrong
from calibrant._saved.form import form_named, form_of
from calibrant.exceptions import ModelFileError

_INLINE = 2048  # bytes; an entry of the zip costs about 200 and its padding
_MAX_DEPTH = 100  # of objects in objects
_MAX_PARTS = 1_000_000


class Writer:
    """Collects documents of objects and arrays; what is added twice is written once.

    Examples
    --------
    >>> import numpy as np
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
            raise within(type(value).__name__, error) from None
        self.objects.append({"form": form.name, "fields": document})
        self.form_names.append(form.name)
        self._numbers[id(value)] = len(self.objects) - 1, value
        return len(self.objects) - 1

    def add_array(self, array: NDArray[Any]) -> int | dict[str, Any]:
        """Return the number of an array, or a small one itself."""
        spec = ArraySpec.of(array)
        if array.nbytes <= _INLINE:
            return {**spec.to_json(), "data": base64.b64encode(spec.content(array).data).decode("ascii")}
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


class Reader:
    """Makes objects of their documents in order; one refers only to objects before it, so that there are no circles.

    Examples
    --------
    >>> source = Reader([])
    >>> source.array({'dtype': 'f8', 'shape': [1], 'data': 'AAAAAAAA8D8='})
    array([1.])
    """

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self.objects: list[tuple[str, Any]] = []  # each with the name of its form
        self._arrays = arrays
        self._used_arrays: set[int] = set()
        self._used_objects: set[int] = set()
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
            raise within(form.name, error) from None
        self.objects.append((form.name, value))
        self._depths.append(self._depth + 1)
        self._parts.append(self._n_parts + 1)
        return value

    def _check_size(self) -> None:
        """Raise if models are in models too deeply or too often: a small file could predict forever."""
        if self._depth > _MAX_DEPTH or self._n_parts > _MAX_PARTS:
            raise ModelFileError(f"has {self._n_parts:,} objects inside, {self._depth} deep; no model has so many")

    def check_all_used(self, *besides: int | None) -> None:
        """Raise if there are arrays, or objects other than these, to which nothing refers: a place to hide content."""
        n_arrays = len(self._arrays) - len(self._used_arrays)
        n_objects = len(set(range(len(self.objects))) - self._used_objects - {*besides})
        if n_arrays or n_objects:
            raise ModelFileError(f"has {n_objects:,} objects and {n_arrays:,} arrays to which nothing refers")

    def object(self, number: Any) -> tuple[str, Any]:
        """Return the name of the form of an object that was read before, and the object."""
        if type(number) is not int or not 0 <= number < len(self.objects):
            raise wrong("the number of an object before it", number)
        self._depth = max(self._depth, self._depths[number])
        self._n_parts += self._parts[number]
        self._used_objects.add(number)
        return self.objects[number]

    def array(self, document: Any) -> NDArray[Any]:
        """Return an array of the file, or one that stands in the document."""
        if type(document) is dict:
            return _read_inline(document)
        if type(document) is not int or not 0 <= document < len(self._arrays):
            raise wrong("the number of an array", document)
        self._used_arrays.add(document)
        return self._arrays[document]


def _read_inline(document: dict[str, Any]) -> NDArray[Any]:
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
