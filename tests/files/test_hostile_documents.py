"""Hostile headers in intact zip files: wrong types, shapes and references, deep JSON, other versions."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.crafted import Document, file_of, parts, write

import calibrant
from calibrant.calibration import Chain, Platt
from calibrant.exceptions import CalibrantError, ModelFileError

JUNK = [None, True, -1, 0, 1, 2**70, 1.5, "", "nan", "x" * 100, [], {}, [[]], [0], {"a": 1}, {"object": 0}, "\ud800"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.calibrant"


def refused(path: Path, content: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words) as caught:
        calibrant.load_model(write(path, content))
    assert str(caught.value).startswith(f"{path}: ")


def with_array(spec: Any, content: bytes) -> bytes:
    """Return the file of a model whose probabilities are an array of the file."""
    header = parts()[0]
    header["objects"][-1]["fields"]["proba_"] = 0
    return file_of(header | {"arrays": [spec]}, [content])


HALVES = np.array([0.5, 0.5]).tobytes()


def test_the_crafted_file_itself_is_one(path: Path) -> None:
    model = calibrant.load_model(write(path, with_array({"dtype": "f8", "shape": [2]}, HALVES)))
    assert model.predict_proba([[1.0, "a"]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("spec", "content", "words"),
    [
        ({"dtype": "f8", "shape": [3]}, HALVES, "16 bytes for an array of 24"),
        ({"dtype": "f8", "shape": [2**40]}, HALVES, "bytes for an array of"),
        ({"dtype": "f8", "shape": [2**47, 2**47]}, HALVES, "impossible shape"),
        ({"dtype": "f8", "shape": [2**62, 2**62, 0]}, b"", "impossible shape"),
        ({"dtype": "f8", "shape": [-1, -2]}, HALVES, "impossible shape"),
        ({"dtype": "f8", "shape": [True, 2]}, HALVES, "impossible shape"),
        ({"dtype": "f8", "shape": [1] * 40 + [2]}, HALVES, "impossible shape"),
        ({"dtype": "f8", "shape": "2"}, HALVES, "impossible shape"),
        ({"dtype": "O", "shape": [2]}, HALVES, "unknown type"),
        ({"dtype": ["f8"], "shape": [2]}, HALVES, "unknown type"),
        ({"dtype": ">f8", "shape": [2]}, HALVES, "unknown type"),
        ({"dtype": "f8", "shape": [2], "order": "X"}, HALVES, "unknown type or order"),
        ({"dtype": "f8", "shape": [2], "extra": 1}, HALVES, "type and shape of an array"),
        ({"dtype": "b1", "shape": [16]}, HALVES, "booleans other than 0 and 1"),
        ({"dtype": "i8", "shape": [2]}, HALVES, r"proba_ must be an array of f8; got int64"),
        ({"dtype": "f8", "shape": [2, 1]}, HALVES, r"proba_ must be an array of 1 dimension"),
        ({"dtype": "f8", "shape": [1]}, HALVES[:8], "other probabilities than classes"),
        ({"dtype": "f8", "shape": [2]}, np.array([np.nan, 1]).tobytes(), "finite"),
        ({"dtype": "f8", "shape": [2]}, np.array([-1.0, 2]).tobytes(), ">= 0"),
        (None, HALVES, "type and shape of an array"),
    ],
)
def test_an_array_that_is_not_what_the_header_says_is_refused(
    path: Path, spec: Any, content: bytes, words: str
) -> None:
    refused(path, with_array(spec, content), words)


def test_arrays_that_are_not_listed_or_missing_are_refused(path: Path) -> None:
    header = parts()[0]
    refused(path, file_of(header, [b"x"]), "does not list its 1 arrays")
    refused(path, file_of(header | {"arrays": [{"dtype": "u1", "shape": [1]}]}), "does not list its 0 arrays")


@pytest.mark.parametrize("depth", [200, 5_000, 1_000_000])
@pytest.mark.parametrize("opened", [b"[", b'{"a":'])
def test_deep_json_is_refused(path: Path, depth: int, opened: bytes) -> None:
    refused(path, file_of(b'{"format":' + opened * depth), "not JSON")
    closed = {b"[": b"]", b'{"a":': b"0}"}[opened][-1:] * depth
    middle = b"0" if opened != b"[" else b""
    refused(path, file_of(b'{"format":' + opened * depth + middle + closed + b"}"), "not JSON|is not a model file")


def test_deep_parameters_are_refused(path: Path) -> None:
    header = parts()[0]
    value: Any = 1
    for _ in range(100):
        value = [value]
    header["objects"][-1]["fields"]["parameters"]["positive"] = value
    refused(path, file_of(header), "nested too deeply")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"\xff\xfe", "not JSON"),
        (b'{"format":NaN}', "NaN is none of its numbers"),
        (b'{"format":Infinity}', "Infinity is none of its numbers"),
        (b'{"format":1,"format":2}', "key twice"),
        (b'{"format":' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"format":"calibrant model"}', "does not have the header"),
        (b"{}", "is not a model file"),
    ],
)
def test_other_json_is_refused(path: Path, text: bytes, words: str) -> None:
    refused(path, file_of(text), words)


def test_a_file_of_a_later_version_says_to_update(path: Path) -> None:
    refused(path, file_of(parts()[0] | {"schema_version": 2, "new": 1}), "later version .* pip install --upgrade")


@pytest.mark.parametrize("version", [0, -1, True, "1", 1.0, None])
def test_other_versions_are_refused(path: Path, version: Any) -> None:
    refused(path, file_of(parts()[0] | {"schema_version": version}), "does not have the header")


def change_each(document: Any, replace: Callable[[Any], None]) -> None:
    """Call a function with a setter for every value of a document, at any depth."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in list(items):
        replace(lambda new, key=key: document.__setitem__(key, new))
        document[key] = value
        if isinstance(value, dict | list):
            change_each(value, replace)


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk)[:12])
def test_junk_anywhere_in_the_header_is_refused_or_harmless(path: Path, junk: Any) -> None:
    header: Document = parts()[0]

    def tried(put: Callable[[Any], None]) -> None:
        put(junk)
        write(path, file_of(header))
        try:
            model = calibrant.load_model(path)
        except ModelFileError:
            return
        with suppress(CalibrantError):  # as for columns that are now of another kind
            proba = model.predict_proba(np.array([[1.0, "a"]], dtype=object))
            assert np.isfinite(proba).all()

    change_each(header, tried)


@pytest.mark.parametrize("form", ["os.system", "builtins.eval", "bayes", "bayes.", "data.Schema.x", "", None, 3, ["x"]])
def test_a_class_that_is_not_in_the_registry_is_refused(path: Path, form: Any) -> None:
    header = parts()[0]
    header["objects"][-1]["form"] = form
    refused(path, file_of(header), "there is no class")


@pytest.mark.parametrize("number", [-1, 1, 2, 10**9, True, "0", None, 0.0])
def test_references_forward_or_to_itself_are_refused(path: Path, number: Any) -> None:
    header = parts()[0]
    header["objects"][-1]["fields"]["_schema"] = number
    refused(path, file_of(header), "_schema must be the number of an object before it")


def test_an_object_of_another_form_is_refused(path: Path) -> None:
    header = parts()[0]
    header["objects"].insert(1, {"form": "random.SeedSequence", "fields": seed_fields()})
    header["objects"][-1]["fields"]["_schema"] = 1
    refused(path, file_of(header), r"_schema must be data\.Schema; got random\.SeedSequence")


def seed_fields() -> Document:
    return {"entropy": [0, 7], "spawn_key": [], "pool_size": 4, "n_children_spawned": 0}


def test_strings_of_an_immense_type_are_refused_before_they_are_allocated(path: Path) -> None:
    header = parts()[0]
    header["objects"][-1]["fields"]["classes_"] = {"dtype": "U99999999", "values": ["no", "yes"]}
    tracemalloc.start()
    refused(path, file_of(header), "strings of this width")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_parameter_that_must_be_there_is_missed(path: Path) -> None:
    header, _ = parts(Chain(Platt(), Platt()).fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]))
    del header["objects"][-1]["fields"]["parameters"]["first"]
    refused(path, file_of(header), "lacks a parameter")
