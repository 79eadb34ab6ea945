"""Fixtures of the tests of data: the data folder if there is one, and neither network nor a real cache."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _no_network_and_no_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALIBRANT_CACHE", str(tmp_path_factory.mktemp("cache")))
    # Nothing listens on the discard port of this machine.
    monkeypatch.setenv("CALIBRANT_OPENML_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def data_home() -> Path:
    folder = os.environ.get("CALIBRANT_DATA")
    if not folder:
        pytest.skip("needs the data folder: set CALIBRANT_DATA to it")
    return Path(folder)


@pytest.fixture
def manifest(data_home: Path) -> dict[str, dict[str, Any]]:
    entries = json.loads((data_home / "MANIFEST.json").read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in entries}


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALIBRANT_DATA", raising=False)
