"""Fixtures of the tests of the examples: the papers' data, where they are available."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def papers_data() -> Path:
    folder = os.environ.get("CALIBRANT_DATA")
    if not folder:
        pytest.skip("needs the papers' data: set CALIBRANT_DATA to their folder")
    return Path(folder)
