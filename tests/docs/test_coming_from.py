"""Every line of calibrant and of scikit-learn in docs/coming_from.md runs; values that are called the same are."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.utils.fixes import parse_version

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "coming_from.md").read_text("utf-8")
SKLEARN = {
    "calibration": ["CalibratedClassifierCV", "CalibrationDisplay", "calibration_curve"],
    "dummy": ["DummyClassifier"],
    "ensemble": ["AdaBoostClassifier", "RandomForestClassifier", "VotingClassifier"],
    "frozen": ["FrozenEstimator"],
    "isotonic": ["IsotonicRegression"],
    "linear_model": ["LogisticRegression"],
    "metrics": [
        "RocCurveDisplay",
        "average_precision_score",
        "brier_score_loss",
        "classification_report",
        "cohen_kappa_score",
        "log_loss",
        "roc_auc_score",
    ],
    "model_selection": [
        "RepeatedStratifiedKFold",
        "StratifiedShuffleSplit",
        "TunedThresholdClassifierCV",
        "cross_val_predict",
        "cross_val_score",
    ],
    "naive_bayes": ["GaussianNB"],
    "neighbors": ["KNeighborsClassifier"],
    "pipeline": ["make_pipeline"],
    "preprocessing": ["StandardScaler"],
    "tree": ["DecisionTreeClassifier", "export_text"],
}


def rows_of(text: str) -> list[tuple[str, str, str]]:
    """Return the rows of all tables: theirs, ours, the note."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("|---")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [(row[0].strip(), row[1].strip(), row[2].strip(" |")) for row in cells if "`" in row[1]]


def code_of(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def section(name: str) -> str:
    return PAGE.split(f"## {name}\n")[1].split("\n## ")[0]


ROWS = rows_of(PAGE)
SCIKIT_LEARN = [row for row in rows_of(section("scikit-learn")) if row[0] != "scikit-learn"]


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    """Return the names that the page has defined, by running its examples."""
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(PAGE):
        exec(compile(example.source, "coming_from.md", "exec"), names)  # noqa: S102
    return names


@pytest.fixture(scope="module")
def theirs(ours: dict[str, Any]) -> dict[str, Any]:
    """Return the same, with the names of scikit-learn above those of calibrant."""
    found = {
        name: getattr(importlib.import_module(f"sklearn.{module}"), name)
        for module, names in SKLEARN.items()
        for name in names
    }
    return {**ours, **found, "joblib": joblib}


def run(code: str, names: dict[str, Any]) -> Any:
    return fitted_if_needed(eval(code, dict(names)), names)  # noqa: S307


def fitted_if_needed(item: Any, names: dict[str, Any]) -> Any:
    """Fit what is an estimator: that its parameters are valid shows in `fit` only."""
    if hasattr(item, "fit") and hasattr(item, "get_params") and not hasattr(item, "classes_"):
        return item.fit(names["X_train"][:150], names["y_train"][:150])
    return item


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:60])
def test_our_line_runs(
    row: tuple[str, str, str], ours: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for code in code_of(row[1]):
        Path("table.arff").write_text("@relation a\n@attribute x numeric\n@attribute y {no,yes}\n@data\n1,no\n2,yes\n")
        run(code, ours)


@pytest.mark.parametrize("row", SCIKIT_LEARN, ids=lambda row: row[0][:60])
def test_the_line_of_scikit_learn_runs(
    row: tuple[str, str, str],
    ours: dict[str, Any],
    theirs: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if (since := re.match(r"since scikit-learn (\S+)", row[2])) and parse_version(sklearn.__version__) < parse_version(
        since[1]
    ):
        pytest.skip(row[2])
    value = run(code_of(row[0])[0], theirs)
    if row[2].startswith("same value"):
        np.testing.assert_allclose(run(code_of(row[1])[0], ours), value, rtol=1e-9)


def test_every_table_has_been_read() -> None:
    assert [len(rows_of(section(name))) > 8 for name in ("scikit-learn", "Weka", "R", "netcal")] == [True] * 4
    assert sum(note.startswith("same value") for _, _, note in SCIKIT_LEARN) >= 6
