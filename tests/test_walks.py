"""The walks that people take most pass no more files than `tools/walks.py` allows."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("walks", Path(__file__).resolve().parents[1] / "tools" / "walks.py")
assert SPEC is not None
assert SPEC.loader is not None
walks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(walks)
QUICK = 4  # the walks after these fit models, run studies or draw a page


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if n < QUICK else pytest.mark.long) for n, name in enumerate(walks.GOALS)]
)
def test_a_walk_passes_few_files(name: str, tmp_path: Path) -> None:
    found = walks.walk(walks.walks(tmp_path)[name])
    assert len(found.files) <= walks.GOALS[name], sorted(found.files)
