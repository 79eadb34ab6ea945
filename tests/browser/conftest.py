"""Reports in a real Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.pages import PageOf, opened_pages
from tests.browser.reports import classes_html, money_html


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield Chromium: one for all tests of a process, in which playwright can be started only once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("needs Chromium: run make browser, or apt-get install chromium")
    quiet = ["--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-gpu"]
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=path, args=quiet + as_root)
        yield launched
        launched.close()


@pytest.fixture
def page_of(browser: Any, tmp_path: Path) -> Iterator[PageOf]:
    """Yield a function that opens a report, or HTML, in a page."""
    with opened_pages(browser, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield the page of a report with money; its tests leave it as it was."""
    with opened_pages(browser, tmp_path_factory.mktemp("page")) as opened:
        yield opened(money_html())


@pytest.fixture(scope="module")
def page_of_classes(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield the page of a report on three classes."""
    with opened_pages(browser, tmp_path_factory.mktemp("classes")) as opened:
        yield opened(classes_html())
