"""The look of C4.5 Release 8: what it printed, to the letter, on every run that agrees node for node."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from calibrant.data import read_table
from calibrant.trees import ProbabilityTreeClassifier

NAMES = ["golf", "labor-neg", "monk1", "monk3", "soybean", "vote"]
NAMES += [
    f"weka_{name}"
    for name in ["credit-g", "glass", "ionosphere", "iris", "labor", "segment-challenge", "soybean", "vote"]
]


def printed(run: dict[str, Any]) -> str:
    tree = run["stdout"].split("Decision Tree:\n", 1)[1]
    return re.split(r"\n\n\n(?:Tree saved|Simplified)", tree)[0].strip("\n")


def params_of(options: str) -> dict[str, Any]:
    min_leaf = re.search(r"-m (\d+)", options)
    criterion = "entropy" if "-g" in options else "gain_ratio"
    return {"criterion": criterion, "min_leaf": int(min_leaf[1]) if min_leaf else 2}


@pytest.mark.parametrize("name", NAMES)
def test_an_unpruned_tree_is_written_as_c45_prints_it(name: str, goldens: Path) -> None:
    agreeing = {
        (run["options"], run["build"])
        for run in json.loads((goldens / "c45/AGREEMENT.json").read_text())
        if run["dataset"] == name and run["float64_tolerant_reimplementation_agrees"]
    }
    table = read_table(goldens / f"data/c45_{name}.data", names=goldens / f"data/c45_{name}.names")
    for run in json.loads((goldens / f"c45/{name}.json").read_text())["runs"]:
        if (run["options"], run["build"]) in agreeing and not run["collapse"]:
            model = ProbabilityTreeClassifier(**params_of(run["options"])).fit(table.X, table.y)
            assert model.export_text(style="c45") == printed(run)
