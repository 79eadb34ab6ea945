"""Reports in a real Chromium: no network, and nothing on the console."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from calibrant.report import Report

# Before any script of the page: what a browser refuses by the content security policy is an error here.
LISTEN = (
    """addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`))"""
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield Debian's Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("needs Chromium: run make browser, or apt-get install chromium")
    quiet = ["--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-gpu"]
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=path, args=quiet + as_root)
        yield launched
        launched.close()


@pytest.fixture
def page_of(browser: Any, tmp_path: Any) -> Iterator[Callable[..., Any]]:
    """Yield a function that opens a report, or HTML, in a page of some size; its charts near the viewport are drawn.

    Afterwards the pages have asked for nothing but themselves, have shown no dialog and logged nothing.
    """
    contexts, found = [], []

    def opened(report: Report | str, *, width: int = 1280, height: int = 900, refused: int = 0, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.add_init_script(LISTEN)
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(report if isinstance(report, str) else report.to_html(), encoding="utf-8")
        context.route("**/*", lambda route: _only(route, file.as_uri(), found))
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: found.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: found.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (found.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=true]")
        assert sum("policy: script-src" in each for each in found) == refused, found
        found[:] = [] if refused else found
        return page

    yield opened
    for context in contexts:
        context.close()
    assert found == []


def _only(route: Any, allowed: str, found: list[str]) -> None:
    """Abort requests of anything but one file, blobs that a page saves, and its own data."""
    url = route.request.url
    if url.partition("#")[0] == allowed or url.startswith(("data:", "blob:")):
        route.continue_()
        return
    found.append(f"network: {url}")
    route.abort()
