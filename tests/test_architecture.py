"""ARCHITECTURE.md names what exists, and every package and folder has its place in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "calibrant"
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
NAMED = sorted(
    {name for name in re.findall(r"`([^`\s]+)`", TEXT) if "/" in name or re.search(r"\.(py|md|json|[ch]pp)$", name)}
)
PRIVATE_FOLDERS = sorted(path.parent for path in SOURCE.glob("*/_*/__init__.py"))


@pytest.mark.parametrize("name", NAMED)
def test_what_it_names_exists(name: str) -> None:
    shorthand = {"_internal.py", "__init__.py"}  # one in each package
    assert name in shorthand or (ROOT / name).exists() or (SOURCE / name).exists()


@pytest.mark.parametrize("folder", [path.relative_to(SOURCE).as_posix() for path in PRIVATE_FOLDERS])
def test_every_folder_has_its_place(folder: str) -> None:
    assert f"`{folder}/`" in TEXT


@pytest.mark.parametrize("package", sorted(path.parent.name for path in SOURCE.glob("[a-z]*/__init__.py")))
def test_every_package_has_a_paragraph(package: str) -> None:
    assert f"**`{package}`**" in TEXT


@pytest.mark.parametrize(
    "folder", sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "core").rglob("*/") if "tests" not in p.parts)
)
def test_every_folder_of_the_core_has_its_place(folder: str) -> None:
    assert f"`{folder}/`" in TEXT
