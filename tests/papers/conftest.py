"""The data sets of the papers, without which some tests are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def papers_data() -> Path:
    """The folder of the papers' data sets."""
    folder = os.environ.get("CALIBRANT_DATA")
    if not folder:
        pytest.skip("needs the papers' data: set CALIBRANT_DATA to their folder")
    return Path(folder)
