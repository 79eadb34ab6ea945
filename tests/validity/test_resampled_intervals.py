"""The coverage of intervals over splits, of the mean performance over training sets of that size, as documented."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "coverage_over_splits", Path(__file__).with_name("coverage_over_splits.py")
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_documented_coverage_is_at_least_nominal_within_its_error(simulation: ModuleType) -> None:
    """300 tables: 95 % less three standard errors of 1.26 points."""
    found = simulation.documented()
    assert list(found) == [f"{kind}: {plan}" for kind in simulation.KINDS for plan in simulation.PLANS]
    assert min(share for shares in found.values() for share in shares) >= 0.91


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.LittleDataWarning")
def test_intervals_of_few_rows_cover_and_stay_within_the_range(simulation: ModuleType) -> None:
    """60 rows, tenfold: Student's t covers the error in 85 % of the tables and the area in 76 %."""
    counts = simulation.coverage("60 rows", "CrossValidation(10)", 60, first_seed=10**6)
    for name in ("error", "auc"):
        ours, _, _, _, _, n_sets = counts[name]
        assert ours / n_sets >= 0.87  # 95 % less three standard errors of 60 tables


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.LittleDataWarning")
@pytest.mark.parametrize("plan", ["CrossValidation(10)", "CrossValidation(10, 10)"])
@pytest.mark.parametrize("kind", ["200 rows", "60 rows", "60 rows, nearly separable", "30 rows, separable"])
def test_other_tables_have_the_coverage_of_the_documentation(simulation: ModuleType, kind: str, plan: str) -> None:
    """4.5 standard errors of the difference of two runs are allowed."""
    counts, documented = simulation.coverage(kind, plan, 150, 10**6), simulation.documented()[f"{kind}: {plan}"]
    for (name, found), share in zip(counts.items(), documented, strict=True):
        pooled = (found[0] + 300 * share + 2) / (found[5] + 304)
        error = np.sqrt(pooled * (1 - pooled) * (1 / found[5] + 1 / 300))
        assert abs(found[0] / found[5] - share) <= 4.5 * error + 0.01, name
