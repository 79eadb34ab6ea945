"""The stub of the native module is the one that nanobind generates."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

import pytest

STUB = Path(__file__).resolve().parents[1] / "src" / "calibrant" / "_core.pyi"
COMMAND = "python -m nanobind.stubgen -m calibrant._core -o src/calibrant/_core.pyi"


def test_the_stub_is_what_nanobind_generates() -> None:
    stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind writes the stub: pip install nanobind")
    generator = stubgen.StubGen(module=importlib.import_module("calibrant._core"), quiet=True)
    generator.put(generator.module)
    written, generated = STUB.read_text("utf-8").splitlines(), generator.get().splitlines()
    diff = "\n".join(difflib.unified_diff(written, generated, str(STUB), "generated", lineterm="", n=1))
    assert not diff, f"{diff}\n\nIf the change is meant: {COMMAND}"
