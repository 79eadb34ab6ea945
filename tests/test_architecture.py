"""ARCHITECTURE.md is one page, names what exists, and every package has its place in it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "calibrant"
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_what_it_names_exists() -> None:
    quoted = re.findall(r"`([^`\s]+)`", TEXT)
    paths = {name for name in quoted if "/" in name or re.search(r"\.(py|md|json|[ch]pp)$", name)}
    in_each_package = {"_internal.py", "__init__.py"}
    assert [name for name in paths - in_each_package if not any((top / name).exists() for top in (ROOT, SOURCE))] == []


def test_every_package_has_a_paragraph() -> None:
    packages = [path.parent.name for path in SOURCE.glob("[a-z]*/__init__.py")]
    assert [package for package in packages if f"**`{package}`**" not in TEXT] == []


def test_it_is_one_page() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 110
    assert max(map(len, lines)) <= 120
