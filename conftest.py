"""What every test shares: no test reads or writes the cache folder of the person who runs it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point the cache of downloaded data sets at a folder that is thrown away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALIBRANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Let Ctrl-C raise, also where the tests run in the background and SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
