"""Saving and loading: the same model comes back, and the file says what it is."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calibrant
from calibrant.bayes import ConstantClassifier
from calibrant.calibration import Platt
from calibrant.exceptions import ModelFileError, ParameterError
from calibrant.files import ExpectedScore, describe_model

ROWS = [[1.0, "a"], [2.0, "b"], [None, "a"]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.calibrant"


def constant(y: Any = ("no", "yes", "no")) -> ConstantClassifier:
    return ConstantClassifier().fit(ROWS, list(y))


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("y", [("no", "yes", "no"), (1, 0, 1), (1.0, -2.0, 1.0), (True, False, True)])
def test_a_loaded_model_predicts_the_same(path: Path, y: tuple[Any, ...], compress: bool) -> None:
    model = constant(y)
    calibrant.save(model, path, compress=compress)
    loaded = calibrant.load_model(path)
    assert loaded.predict_proba(ROWS).tobytes() == model.predict_proba(ROWS).tobytes()
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict(ROWS).tolist() == model.predict(ROWS).tolist()


def test_a_loaded_calibrator_maps_the_same(path: Path) -> None:
    scores = np.linspace(0, 1, 50)
    platt = Platt().fit(scores, np.arange(50) % 3 == 0)
    calibrant.save(platt, path)
    assert calibrant.load_model(path).predict(scores).tobytes() == platt.predict(scores).tobytes()


def test_other_programs_can_open_the_zip(path: Path) -> None:
    calibrant.save(constant(), path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["model.json"]


def test_the_file_says_what_it_is(path: Path) -> None:
    expected = [ExpectedScore("log_loss", 0.6, 0.5, 0.7, 0.95), {"metric": "auc", "value": 0.5}]
    saved = calibrant.save(constant(), path, made_from={"name": "rows", "n_rows": 3}, expected=expected, made_by="ada")
    described = describe_model(path)
    assert described == saved
    assert (described.class_name, described.classes, described.made_by) == ("ConstantClassifier", ("no", "yes"), "ada")
    assert [column.kind for column in described.columns] == ["numeric", "nominal"]
    assert described.columns[1].categories == ("a", "b")
    assert described.expected[0] == expected[0]
    assert "log_loss 0.6 (95 % interval 0.5 to 0.7)" in str(described)


def test_a_digest_pins_the_file(path: Path) -> None:
    sha256 = calibrant.save(constant(), path).sha256
    calibrant.load_model(path, sha256=sha256.upper())
    with pytest.raises(ModelFileError, match=r"model\.calibrant: its SHA-256 digest is .*another file"):
        calibrant.load_model(path, sha256="0" * 64)


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(ModelFileError, match="there is no such file"):
        calibrant.load_model(path)


def test_a_model_that_is_not_fitted_cannot_be_saved(path: Path) -> None:
    with pytest.raises(ModelFileError, match="is it fitted"):
        calibrant.save(ConstantClassifier(), path)
    assert not path.exists()


def test_what_is_said_of_the_data_is_checked(path: Path) -> None:
    with pytest.raises(ParameterError, match="made_from must be"):
        calibrant.save(constant(), path, made_from={"rows": 3})


def test_a_table_is_named_by_its_fingerprint(path: Path) -> None:
    table = calibrant.data.load("appeal")
    made_from = calibrant.save(constant(), path, made_from=table).made_from
    assert (made_from.name, made_from.n_rows) == ("appeal", 1500)
    assert describe_model(path).made_from == made_from
    same = [{"X": table.X.copy()}, {"name": "other"}]
    others = [{"y": table.y[::-1]}, *({"sample_weight": np.arange(n, n + 1500)} for n in (0, 1))]
    found = [calibrant.save(constant(), path, made_from=replace(table, **each)).made_from for each in same + others]
    assert found[0].fingerprint == found[1].fingerprint == made_from.fingerprint
    assert len({each.fingerprint for each in found}) == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compress": "yes"}, "compress must be a bool; got 'yes'"),
        ({"training_rows": 1}, "training_rows must be a bool; got 1"),
        ({"made_by": 3}, "made_by must be a string or None; got 3"),
        ({"expected": "good"}, r"expected must be ExpectedScore\(\.\.\.\) or a dict of metric"),
        ({"expected": {"value": 1.0}}, "expected lacks a value"),
        ({"expected": {"metric": "auc", "value": "x"}}, r"cannot be saved: expected\[0\]\.value must be a number"),
    ],
)
def test_wrong_options_are_named(path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calibrant.save(constant(), path, **options)
    assert not path.exists()


@pytest.mark.parametrize("sha256", ["", "abc", "g" * 64, 3, b"0" * 64])
def test_a_digest_that_is_none_is_named(path: Path, sha256: Any) -> None:
    with pytest.raises(ParameterError, match="sha256 must be a digest of 64 hexadecimal digits"):
        calibrant.load_model(path, sha256=sha256)
