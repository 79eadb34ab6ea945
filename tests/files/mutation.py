"""Mutations of model files that keep their structure: documents and arrays are changed, and the checksums made right.

The choices come from a function, so that a seed and a fuzzer can both make them.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.files.crafted import file_of, parts

import calibrant
from calibrant.exceptions import CalibrantError, ModelFileError

__all__ = ["ModelParts", "check_file", "mutate"]

Choose = Callable[[int], int]  # a number below its argument

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, -(2**63), 2**70),
    *(0.5, -0.5, 1e-300, 1e300, -1e300, 1.7e308, "nan", "inf", "-inf", {"float": "nan"}, {"float": "inf"}),
    *("", "a", "no", "logit", "score", "numeric", "nominal", "x" * 50, [], {}, [0], [[]], {"tuple": []}, {"object": 0}),
)
_NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 255.0, 2.0**31, 2.0**32, 2.0**63)
_DTYPES = ("b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")


@dataclass(frozen=True)
class ModelParts:
    """A model's file as its header and arrays, and rows to predict."""

    name: str
    header: dict[str, Any]
    arrays: tuple[np.ndarray, ...]
    rows: Any
    is_foreign: bool = False

    @classmethod
    def of(cls, name: str, model: Any, rows: Any, *, is_foreign: bool = False) -> ModelParts:
        header, arrays = parts(model)
        return cls(name, header, tuple(arrays), rows, is_foreign)


def mutate(model: ModelParts, choose: Choose) -> bytes:
    """Return the file of a model with one to three changes."""
    header, contents = copy.deepcopy(model.header), [array.tobytes() for array in model.arrays]
    for _ in range(1 + (choose(6) == 0) + (choose(6) == 0)):
        kind = choose(16)
        if "objects" in header and (kind < 10 or not contents):
            _change_document(header, choose)
        elif kind < 15 and contents and isinstance(header.get("arrays"), list):
            _change_array(header["arrays"], contents, choose)
        else:
            return _change_bytes(_file(header, contents), choose)
    return _file(header, contents)


def _file(header: dict[str, Any], contents: list[bytes]) -> bytes:
    with suppress(UnicodeEncodeError, ValueError):
        return file_of(header, contents)
    return file_of({"objects": []}, contents)


def _change_document(header: dict[str, Any], choose: Choose) -> None:
    """Change one value somewhere in the objects of a header, rarely elsewhere in it."""
    parent: Any = header
    key: Any = "objects" if choose(20) else list(header)[choose(len(header))]
    while isinstance(parent[key], dict | list) and parent[key] and choose(12):
        parent = parent[key]
        if isinstance(parent, dict) and isinstance(parent.get("data"), str) and "dtype" in parent and choose(4):
            _change_inline(parent, choose)
            return
        key = choose(len(parent)) if isinstance(parent, list) else list(parent)[choose(len(parent))]
    _replace(parent, key, choose)


def _replace(parent: Any, key: Any, choose: Choose) -> None:
    value, kind = parent[key], choose(12)
    siblings = list(range(len(parent))) if isinstance(parent, list) else list(parent)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(choose(len(parent) + 1), copy.deepcopy(value))
    elif kind == 2:
        other = siblings[choose(len(siblings))]
        parent[key], parent[other] = parent[other], value
    elif kind < 8 and type(value) in (int, float):
        parent[key] = value + (1, -1, 7, -value, value, type(value)(choose(2000) / 1000))[choose(6)]
    elif kind == 8 and isinstance(value, str) and value:
        parent[key] = value[: choose(len(value))] + "0" + value[choose(len(value)) :]
    else:
        parent[key] = copy.deepcopy(_VALUES[choose(len(_VALUES))])


def _change_inline(document: dict[str, Any], choose: Choose) -> None:
    """Change an array that stands in the document."""
    try:
        specs, contents = [document], [base64.b64decode(document["data"])]
    except ValueError:
        return
    _change_array(specs, contents, choose)
    document["data"] = base64.b64encode(contents[0]).decode()


def _change_array(specs: list[Any], contents: list[bytes], choose: Choose) -> None:
    number = choose(len(contents))
    if not (len(specs) > number and isinstance(specs[number], dict) and specs[number].get("dtype") in _DTYPES):
        return
    spec, kind = specs[number], choose(9)
    array = (
        np.frombuffer(contents[number], dtype=f"<{spec['dtype']}").copy()
        if not _is_odd(spec, contents[number])
        else None
    )
    if array is None or kind == 0:
        spec["dtype"] = _DTYPES[choose(len(_DTYPES))]
    elif spec["dtype"] == "u1" and kind < 5 and array.size > 40:
        contents[number] = _change_payload(array.tobytes(), choose)
        spec["shape"] = [len(contents[number])]
    elif kind == 1:
        spec["shape"] = ([*spec["shape"][:-1]], [*spec["shape"], 1], [0], [-1], [2**40], spec["shape"][::-1])[choose(6)]
    elif kind == 2:
        size = choose(array.size + 2)
        contents[number], spec["shape"] = np.resize(array, size).tobytes(), [size]
    elif array.size:
        _set_numbers(array, choose)
        contents[number] = array.tobytes()


def _is_odd(spec: Any, content: bytes) -> bool:
    return len(content) % int(spec["dtype"][1:]) != 0


def _set_numbers(array: np.ndarray, choose: Choose) -> None:
    for _ in range(1 + choose(3)):
        at = choose(array.size)
        if choose(3) == 0:
            other = choose(array.size)
            array[at], array[other] = array[other], array[at]
        elif array.dtype.kind == "f":
            array[at] = _NUMBERS[choose(len(_NUMBERS))]
        else:
            raw = array.view(np.uint8)
            raw[at * array.itemsize + choose(array.itemsize)] = (0, 1, 2, 127, 128, 254, 255, choose(256))[choose(8)]


def _change_payload(content: bytes, choose: Choose) -> bytes:
    """Change what other packages wrote: the archive of skops, or a text with numbers."""
    if content.startswith(b"PK"):
        with suppress(Exception):  # it may have been changed before
            return _change_archive(content, choose)
    numbers = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", content))
    if not numbers or choose(6) == 0:
        return _change_bytes(content, choose)
    found = numbers[choose(len(numbers))]
    value = (b"0", b"-1", b"1", b"2", b"7", b"99999", b"2147483647", b"-2147483648", b"1e308", b"nan", b"", b"3 4")[
        choose(12)
    ]
    return content[: found.start()] + value + content[found.end() :]


def _change_archive(content: bytes, choose: Choose) -> bytes:
    """Change the document or an array of an archive of skops, which is written again."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    names = [name for name in entries if name != "schema.json"]
    if names and choose(2):
        name = names[choose(len(names))]
        header = 10 + int.from_bytes(entries[name][8:10], "little")
        body = bytearray(entries[name])
        for _ in range(1 + choose(4)):
            if len(body) > header:
                body[header + choose(len(body) - header)] = choose(256)
        entries[name] = bytes(body)
    else:
        document = json.loads(entries["schema.json"])
        _change_document({"objects": document}, choose)
        entries["schema.json"] = json.dumps(document).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return written.getvalue()


def _change_bytes(content: bytes, choose: Choose) -> bytes:
    """Change a few bytes anywhere: flipped, cut off, removed or repeated."""
    found = bytearray(content)
    at, kind = choose(max(len(found), 1)), choose(5)
    if kind == 0:
        return bytes(found[:at])
    if kind == 1:
        del found[at : at + 1 + choose(64)]
    elif kind == 2:
        found[at:at] = found[at : at + 1 + choose(64)]
    elif at < len(found):
        found[at] = choose(256)
    return bytes(found)


def check_file(model: ModelParts, path: Path) -> str:
    """Load a file and predict by its model; raise unless it is refused, or another valid model."""
    try:
        loaded = calibrant.load_model(path)
    except ModelFileError:
        return "refused"
    try:
        proba = loaded.predict_proba(model.rows) if hasattr(loaded, "predict_proba") else loaded.predict(model.rows)
    except CalibrantError:
        return "other rows"
    except ValueError:  # an estimator of another package that now has other columns or categories says so itself
        if model.is_foreign:
            return "other rows"
        raise
    _check_probabilities(np.asarray(proba), model)
    return "another model"


def _check_probabilities(proba: np.ndarray, model: ModelParts) -> None:
    if model.is_foreign and (proba.dtype.kind != "f" or not np.isfinite(proba).all()):
        return  # classes, or what scikit-learn makes of huge numbers
    assert np.isfinite(proba).all(), f"{model.name}: NaN or infinite probabilities"
    assert (proba >= 0).all(), f"{model.name}: negative probabilities"
    assert (proba <= 1 + 1e-9).all(), f"{model.name}: probabilities above 1"
    if proba.ndim == 2 and not model.is_foreign:
        assert np.abs(proba.sum(axis=1) - 1).max() < 1e-6, f"{model.name}: probabilities that do not sum to 1"
