"""A data set full of markup and scripts makes a harmless report."""

from __future__ import annotations

from tests.browser.pages import PageOf
from tests.browser.reports import MARKUP, TALL, hostile_html, hover

from calibrant.report import Report


def test_names_of_markup_are_texts_and_every_control_is_harmless(page_of: PageOf) -> None:
    """The fixture sees dialogs, requests, errors and breaches of the policy."""
    page = page_of(hostile_html(), height=TALL)
    assert page.title() == MARKUP[1]
    assert page.locator("h1").inner_text() == MARKUP[1]
    assert page.locator("[data-model-switch] span").all_inner_texts() == list(MARKUP[:2])
    assert page.locator("img[src=x], [onerror], [onload]").count() == 0
    assert page.locator("script").count() == page.evaluate("document.body.querySelectorAll(':scope > script').length")
    drawn = page.locator("[data-figure] svg.marks").count()
    assert drawn == page.locator("[data-figure]").count()
    segments = page.locator('[data-figure^="segments"] svg').inner_html().replace("&lt;", "<").replace("&gt;", ">")
    assert MARKUP[2][:12] in segments  # a wide font leaves no room for the rest
    figure = page.locator('[data-figure="precision-recall"]')
    assert hover(page, figure.locator(".chart")).startswith(MARKUP[:2])
    page.locator('[data-model-switch="1"]').click()
    with page.expect_download() as download:
        figure.locator('[data-save="svg"]').click()
    assert "<script>" not in download.value.path().read_text(encoding="utf-8")


def test_a_script_that_gets_in_is_not_run(page_of: PageOf) -> None:
    """The policy holds by itself: a script put into the body is refused."""
    html = Report("Nothing", ()).to_html().replace("<main", "<script>window.ran = true</script><main", 1)
    assert page_of(html, refused=1).evaluate("window.ran") is None
