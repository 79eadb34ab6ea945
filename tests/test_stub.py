"""The stubs of the native modules are those that nanobind generates."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "src" / "calibrant"


@pytest.mark.parametrize("name", ["_core", "_lazy_core"])
def test_the_stub_is_what_nanobind_generates(name: str) -> None:
    stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind writes the stub: pip install nanobind")
    generator = stubgen.StubGen(module=importlib.import_module(f"calibrant.{name}"), quiet=True)
    generator.put(generator.module)
    stub = FOLDER / f"{name}.pyi"
    written, generated = stub.read_text("utf-8").splitlines(), generator.get().splitlines()
    diff = "\n".join(difflib.unified_diff(written, generated, str(stub), "generated", lineterm="", n=1))
    assert not diff, f"{diff}\n\nIf the change is meant: make stub"
