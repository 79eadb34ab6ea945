"""`calibrant inspect`: what a model file says, without running anything of it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command_line import run, run_json

import calibrant
from calibrant import ProbabilityClassifier
from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.cli import main
from calibrant.data import load
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_description_names_columns_classes_origin_and_score(capsys: Capture) -> None:
    table = load("appeal")
    model = NaiveBayesClassifier().fit(table.X, table.y)
    expected = {"metric": "log_loss", "value": 0.282, "low": 0.244, "high": 0.328, "confidence": 0.95}
    made_from = {"name": "appeal", "n_rows": 1500, "fingerprint": "abc123"}
    described = calibrant.save(model, "m.calibrant", made_from=made_from, expected=expected, made_by="ada")
    text = run(capsys, "inspect", "m.calibrant")
    for part in (
        "model: NaiveBayesClassifier()",
        "by ada, with calibrant",
        "from: 1,500 rows of appeal (fingerprint abc123)",
        "expected: log_loss 0.282 (95 % interval 0.244 to 0.328)",
        "classes: no, yes",
        described.sha256,
    ):
        assert part in text
    assert all(name in text for name in table.X)
    found = run_json(capsys, "inspect", "m.calibrant")
    assert found["sha256"] == described.sha256
    assert [column["name"] for column in found["columns"]] == list(table.X)


@pytest.mark.usefixtures("folder")
def test_a_tree_is_printed_as_text_with_importances(capsys: Capture) -> None:
    table = load("appeal")
    model = ProbabilityTreeClassifier().fit(table.X, table.y)
    calibrant.save(model, "tree.calibrant")
    text = run(capsys, "inspect", "tree.calibrant", "--tree", "--importances", "--depth", "2")
    assert model.export_text(max_depth=2).splitlines()[0] in text
    found = run_json(capsys, "inspect", "tree.calibrant", "--tree", "--importances")
    assert found["tree"] == model.export_text()
    assert {row["column"]: row["importance"] for row in found["importances"]} == dict(
        zip(table.X, model.feature_importances_.tolist(), strict=True)
    )


@pytest.mark.usefixtures("folder")
def test_a_forest_has_importances_and_a_first_tree(capsys: Capture) -> None:
    table = load("appeal")
    calibrant.save(BaggedTreesClassifier(n_trees=5, random_state=0).fit(table.X, table.y), "f.calibrant")
    found = run_json(capsys, "inspect", "f.calibrant", "--importances", "--tree")
    assert found["tree"].startswith("The first of 5 trees:")
    assert sum(row["importance"] for row in found["importances"]) == pytest.approx(1)


@pytest.mark.usefixtures("folder")
def test_the_calibration_map_and_the_members_of_a_blend_are_shown(capsys: Capture) -> None:
    table = load("appeal")
    calibrated = CalibratedClassifier(NaiveBayesClassifier(), "isotonic", cv=3).fit(table.X, table.y)
    calibrant.save(calibrated, "c.calibrant")
    assert "Calibration: Isotonic" in run(capsys, "inspect", "c.calibrant")
    blend = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(table.X, table.y)
    calibrant.save(blend, "b.calibrant")
    found = run_json(capsys, "inspect", "b.calibrant")
    assert {row["member"] for row in found["members"]} == {"bayes", "logistic", "blend"}
    assert found["expected"][0]["metric"] == "log_loss"
    assert "Members" in run(capsys, "inspect", "b.calibrant")


@pytest.mark.usefixtures("folder")
def test_what_a_model_does_not_have_is_a_usage_error(capsys: Capture) -> None:
    table = load("appeal")
    calibrant.save(NaiveBayesClassifier().fit(table.X, table.y), "m.calibrant")
    assert main(["inspect", "m.calibrant", "--tree"]) == 2
    assert main(["inspect", "m.calibrant", "--importances"]) == 2
    assert "NaiveBayesClassifier has no tree to print" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"\x80\x04K\x01.", b"PK\x03\x04", b"age,zone\n1,2\n"])
def test_other_files_are_refused_with_exit_code_3(folder: Path, content: bytes, capsys: Capture) -> None:
    (folder / "m.calibrant").write_bytes(content)
    assert main(["inspect", "m.calibrant"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "m.calibrant" in captured.err
    assert run_json(capsys, "inspect", "m.calibrant", code=3)["error"]["kind"] == "bad_data"


@pytest.mark.usefixtures("folder")
def test_names_from_a_file_do_not_steer_the_terminal(capsys: Capture) -> None:
    frame = pd.DataFrame({"a\x1b[31m": ["x\x1b]0;title\x07", "y"]})
    calibrant.save(ConstantClassifier().fit(frame, ["\x1b[2Jno", "yes"]), "m.calibrant")
    text = run(capsys, "inspect", "m.calibrant")
    assert "\x1b" not in text
    assert "classes: \\x1b[2Jno, yes" in text
