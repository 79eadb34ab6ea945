"""Cut points of Weka's supervised discretisation, by both of its rules."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibrant.data import MDLDiscretizer, read_table


@pytest.mark.parametrize("criterion", ["fayyad_irani", "kononenko"])
@pytest.mark.parametrize("name", ["glass", "ionosphere", "iris", "labor", "soybean", "vote"])
def test_cut_points_are_wekas(name: str, criterion: str, goldens: Path) -> None:
    written = json.loads((goldens / "weka" / f"{name}.json").read_text())[f"mdl_cutpoints_{criterion}"]
    rows = json.loads((goldens / "splits.json").read_text())[name]["train"]
    table = read_table(goldens / "data" / f"{name}.arff").take(rows)
    discretizer = MDLDiscretizer(criterion=criterion).fit(table.X, table.y)
    for column, cuts in zip(table.X.columns, discretizer.cut_points_, strict=True):
        np.testing.assert_allclose(cuts, written.get(column) or [], rtol=1e-12, atol=1e-15)
