"""Files that earlier versions wrote: they load forever and predict what they predicted; see ``kept/write_kept.py``."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import InconsistentVersionWarning
from tests.files.kept.write_kept import FOLDER, OF_NUMBERS, kept_rows

import calibrant
from calibrant.bayes import ConstantClassifier
from calibrant.files import describe_model

FILES = sorted(FOLDER.glob("schema_*/*.calibrant"))


def test_files_of_this_schema_are_kept(tmp_path: Path) -> None:
    written = calibrant.save(ConstantClassifier().fit([[0], [1]], [0, 1]), tmp_path / "m.calibrant")
    assert {path.parent.name for path in FILES} >= {f"schema_{written.schema_version}"}
    assert all(path.stat().st_size < 30_000 for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_kept_file_predicts_what_it_predicted(path: Path) -> None:
    expected = json.loads((path.parent / "expected.json").read_text("utf-8"))
    kept = expected["models"][path.stem]
    if path.stem in OF_NUMBERS:
        pytest.importorskip("skops" if "sklearn" in path.stem else path.stem)
    rows = np.array(expected["numbers"]) if path.stem in OF_NUMBERS else kept_rows(expected["rows"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        model = calibrant.load_model(path)
    assert type(model).__name__ == kept["class"] == describe_model(path).class_name
    assert np.asarray(model.classes_).tolist() == kept["classes"]
    # Logarithms differ in the last bit from one processor to another.
    np.testing.assert_allclose(model.predict_proba(rows), kept["proba"], rtol=1e-10, atol=1e-12)
    assert model.predict(rows[:1]).tolist()[0] in kept["classes"]
