"""Pages in Chromium that have no network and must leave the console empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibrant.report import Report

__all__ = ["PageOf", "opened_pages"]

PageOf = Callable[..., Any]
# Before any script of the page: what the browser refuses by the content security policy is an error here.
_LISTEN = (
    """addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`))"""
)


@contextmanager
def opened_pages(browser: Any, folder: Path) -> Iterator[PageOf]:
    """Yield a function that opens a report, or HTML, in a page of some size; its charts near the viewport are drawn.

    At the end the pages have requested nothing but themselves, have shown no dialog and logged nothing.
    """
    contexts: list[Any] = []
    found: list[str] = []

    def opened(report: Report | str, *, width: int = 1280, height: int = 900, refused: int = 0, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        file = folder / f"{len(contexts)}.html"
        file.write_text(report if isinstance(report, str) else report.to_html(), encoding="utf-8")
        page = _watched(context, file.as_uri(), found)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=true]")
        assert sum("policy: script-src" in each for each in found) == refused, found
        found[:] = [] if refused else found
        return page

    yield opened
    for context in contexts:
        context.close()
    assert found == []


def _watched(context: Any, address: str, found: list[str]) -> Any:
    """Return a page that may load one address only, and that notes what it must not do."""
    context.add_init_script(_LISTEN)
    context.route("**/*", lambda route: _only(route, address, found))
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("console", lambda message: found.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: found.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (found.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    return page


def _only(route: Any, allowed: str, found: list[str]) -> None:
    """Abort requests of anything but one file, blobs that a page saves, and its own data."""
    url = route.request.url
    if url.partition("#")[0] == allowed or url.startswith(("data:", "blob:")):
        route.continue_()
        return
    found.append(f"network: {url}")
    route.abort()
