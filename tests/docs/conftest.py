"""The script that writes the source of the site, and the pages of docs/."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def docs_source() -> ModuleType:
    """Return `tools/docs_source.py` as a module."""
    spec = importlib.util.spec_from_file_location("docs_source", ROOT / "tools" / "docs_source.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def source(docs_source: ModuleType) -> dict[str, str]:
    """Return the text of every page of the site, by its path."""
    pages = {**docs_source.copied_pages(), **docs_source.project_pages(), **docs_source.reference_pages()}
    return {name: text.decode() for name, text in pages.items() if name.endswith((".md", ".rst"))}
