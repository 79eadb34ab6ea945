"""What tests against other programs share: the folder of their output, where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def goldens() -> Path:
    folder = os.environ.get("CALIBRANT_GOLDENS")
    if not folder:
        pytest.skip("needs the goldens: set CALIBRANT_GOLDENS to their folder")
    if not Path(folder).is_dir():
        pytest.skip(f"needs the goldens: CALIBRANT_GOLDENS is {folder!r}, which is no folder")
    return Path(folder)
