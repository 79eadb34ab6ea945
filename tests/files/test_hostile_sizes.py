"""Small files that would take forever, or all memory, to read, to predict from or to show."""

from __future__ import annotations

import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.crafted import Document, deflated, file_of, parts, small_model, write

import calibrant
from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import ModelFileError
from calibrant.files import describe_model
from calibrant.neighbors import NeighborsClassifier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.calibrant"


def refused(path: Path, content: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        calibrant.load_model(write(path, content))


def calibrated() -> tuple[Document, int]:
    """Return the header of a calibrated model, and the number of the model inside it."""
    X = np.arange(40.0).reshape(-1, 1)
    inner = NaiveBayesClassifier(numeric="gaussian")
    model = CalibratedClassifier(inner, "platt", cv=2, ensemble=True).fit(X, np.arange(40) % 2)
    return parts(model)[0], len(parts(model)[0]["objects"]) - 1


@pytest.mark.parametrize("levels", [40, 150])
def test_models_in_models_without_end_are_refused(path: Path, levels: int) -> None:
    header, number = calibrated()
    objects, outer = header["objects"], header["objects"][-1]
    n_inside = len(outer["fields"]["estimators_"]) if levels < 100 else 1
    for _ in range(levels):
        fields = {**outer["fields"], "estimators_": [number] * n_inside}
        fields["calibrators_"] = fields["calibrators_"][:n_inside]
        objects.append({"form": outer["form"], "fields": fields})
        number += 1
    refused(path, file_of(header), "objects inside, .* no model has so many")


def test_a_header_of_millions_of_values_is_refused_before_it_is_read(path: Path) -> None:
    text = b'{"format":[' + b"[]," * 5_000_000 + b"[]]}"
    assert len(text) < 2**26
    tracemalloc.start()
    refused(path, file_of(text), "about 10,000,00[0-9] values; at most 3,000,000 are read|and 3,000,000 are read")
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()


def test_a_header_that_is_too_long_is_refused(path: Path) -> None:
    refused(path, file_of(b'{"format":"' + b"x" * 2**26 + b'"}'), "its header has .* bytes")
    assert len(deflated(bytes(2**26))) < 100_000


def test_an_array_to_which_nothing_refers_is_refused(path: Path) -> None:
    header = parts()[0] | {"arrays": [{"dtype": "u1", "shape": [100]}]}
    refused(path, file_of(header, [bytes(100)]), "0 objects and 1 arrays to which nothing refers")


def test_an_object_to_which_nothing_refers_is_refused(path: Path) -> None:
    header = parts()[0]
    header["objects"].insert(0, header["objects"][0])
    header["description"]["columns"] = 1
    header["objects"][-1]["fields"]["_schema"] = 1
    refused(path, file_of(header), "1 objects and 0 arrays to which nothing refers")


def test_a_compressed_file_expands_at_most_twenty_times(path: Path) -> None:
    X, rng = np.zeros((20_000, 4)), np.random.default_rng(0)
    X[:, 0] = rng.normal(size=len(X))
    model = NeighborsClassifier(attribute_weights=None).fit(X, np.arange(len(X)) % 2)
    calibrant.save(model, path, compress=True)
    with zipfile.ZipFile(path) as archive:
        sizes = [entry.file_size for entry in archive.infolist()]
        assert any(entry.compress_size < entry.file_size for entry in archive.infolist())
    assert path.stat().st_size < sum(sizes) <= 20 * path.stat().st_size
    assert calibrant.load_model(path).predict_proba(X[:3]).tobytes() == model.predict_proba(X[:3]).tobytes()


def test_a_class_twice_is_refused(path: Path) -> None:
    header, arrays = parts(NeighborsClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "b"]))
    header["objects"][-1]["fields"]["classes_"]["values"] = ["a", "a"]
    refused(path, file_of(header, [array.tobytes() for array in arrays]), "has a class twice")


def test_an_int_beyond_64_bits_is_refused(path: Path) -> None:
    header, arrays = parts(NeighborsClassifier(attribute_weights=None).fit([["a"], ["b"]], [0, 1]))
    space = next(each["fields"]["space"] for each in header["objects"] if "space" in each["fields"])
    space["nominal_weights"] = [2**70]
    refused(path, file_of(header, [array.tobytes() for array in arrays]), "must be a number")


def test_a_dict_of_numbers_with_one_hash_is_refused(path: Path) -> None:
    header = parts()[0]
    pairs = [[number * (2**61 - 1), 0] for number in range(50_000)]
    header["objects"][-1]["fields"]["parameters"]["positive"] = {"dict": pairs}
    start = time.process_time()
    refused(path, file_of(header), "pairs of keys and values")
    assert time.process_time() - start < 5


def test_categories_with_one_hash_are_refused(path: Path) -> None:
    header = parts()[0]
    feature = header["objects"][0]["fields"]["features"][1]
    feature["categories"] = {"tuple": [number * (2**61 - 1) for number in range(50_000)]}
    start = time.process_time()
    refused(path, file_of(header), "categories of 'x1' beyond")
    assert time.process_time() - start < 5


@pytest.mark.parametrize("field", ["made_by", "model", "created"])
def test_texts_that_steer_a_terminal_are_refused(path: Path, field: str) -> None:
    header = parts()[0]
    header["description"][field] = "\x1b[2J\x1b]0;gotcha\x07"
    refused(path, file_of(header), "must be a line of text")


def test_texts_that_steer_a_terminal_are_escaped_when_saved_and_shown(path: Path) -> None:
    X = [["a"], ["b"]]
    described = calibrant.save(ConstantClassifier().fit(X, ["\x1b[2J", "b"]), path, made_by="ada\nand bob")
    assert described.made_by == "ada\\nand bob"
    assert "\x1b" not in str(described)
    assert "\x1b" not in str(describe_model(path))
    assert describe_model(path).classes[0] == "\x1b[2J"


def frame_of(categories: list[Any]) -> Any:
    import pandas as pd

    return pd.DataFrame({"town": pd.Categorical(categories[:50], categories=categories)})


@pytest.mark.parametrize("compress", [False, True])
def test_many_categories_stand_in_an_array(path: Path, compress: bool) -> None:
    names = [f"grün {number} \U0001f7e2" for number in range(20_000)]
    model = ConstantClassifier().fit(frame_of(names), np.arange(50) % 2)
    calibrant.save(model, path, compress=compress)
    assert calibrant.load_model(path)._schema == model._schema
    assert describe_model(path).columns[0].categories == tuple(names)
    assert b"19999" not in path.read_bytes()[:5_000]


@pytest.mark.parametrize(
    ("text", "lengths", "words"),
    [
        (np.frombuffer(b"abc", np.uint8), np.array([1, 1], np.uint32), "lengths that add up to 3; got 2"),
        (np.frombuffer(b"abc", np.uint8), np.array([2**32 - 1] * 2, np.uint32), "lengths that add up to 3"),
        (np.frombuffer(b"\xff\xfe", np.uint8), np.array([1, 1], np.uint32), "text in UTF-8"),
        (np.zeros(3), np.array([1, 1], np.uint32), "text and the lengths"),
        (np.frombuffer(b"aa", np.uint8), np.array([1, 1], np.uint32), "twice"),
    ],
)
def test_categories_that_do_not_add_up_are_refused(path: Path, text: Any, lengths: Any, words: str) -> None:
    header = parts()[0]
    header["objects"][0]["fields"]["features"][1]["categories"] = {"text": 0, "lengths": 1}
    header["arrays"] = [{"dtype": each.dtype.str.lstrip("<|"), "shape": list(each.shape)} for each in (text, lengths)]
    refused(path, file_of(header, [text.tobytes(), lengths.tobytes()]), words)


def test_a_model_that_could_not_be_loaded_is_not_saved(path: Path) -> None:
    model = small_model()
    model.proba_ = np.array([0.5, 0.25, 0.25])
    with pytest.raises(ModelFileError, match=r"cannot be saved: bayes\.ConstantClassifier has other probabilities"):
        calibrant.save(model, path)
    assert not path.exists()
