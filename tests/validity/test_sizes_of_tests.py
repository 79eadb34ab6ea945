"""The size of every test at 5 %: how often it rejects a true null hypothesis, as in docs/size_of_tests.md."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sizes_of_tests", Path(__file__).with_name("sizes_of_tests.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "n"),
    [
        ("nearest centroid", 500),
        ("nearest neighbour", 200),
        ("tree", 100),
        ("many tables", 500),
        ("separate tables", 500),
    ],
)
def test_other_draws_have_the_sizes_of_the_documentation(simulation: ModuleType, kind: str, n: int) -> None:
    """Printed with its Monte Carlo error; 4.5 errors of the difference of two runs are allowed."""
    counts = simulation.sizes(n, kind, first_seed=10**6)
    print("\n" + simulation.table_of(kind, counts))
    documented = simulation.documented()[kind]
    assert documented.keys() == counts.keys()
    for name, count in counts.items():
        mean, error = simulation.share(*count)
        assert abs(mean - documented[name][0]) <= 4.5 * np.hypot(error, documented[name][1]) + 0.0005, name


def test_the_documentation_has_every_learner_and_the_corrected_test_keeps_its_size(simulation: ModuleType) -> None:
    found = simulation.documented()
    assert tuple(found) == simulation.KINDS
    plan = "10 x 10-fold cross-validation"
    for learner in simulation.LEARNERS:
        plain, corrected = found[learner][f"{plan}: paired t, 100 folds"][0], found[learner]
        assert plain > 0.4
        assert corrected[f"{plan}: corrected t, chapter: k = 10, df = 9"][0] < 0.05


def test_a_few_draws_run_every_test(simulation: ModuleType) -> None:
    for kind in ("nearest centroid", "many tables", "separate tables"):
        counts = simulation.sizes(2, kind)
        assert all(n == 2 and 0 <= found <= 2 for found, n in counts.values())
        assert counts.keys() == simulation.documented()[kind].keys()
