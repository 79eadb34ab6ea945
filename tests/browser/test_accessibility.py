"""Keyboard, screen readers, a phone's width, paper."""

from __future__ import annotations

from typing import Any

import pytest
from tests.browser.pages import PageOf
from tests.browser.reports import TALL, classes_html, money_html

from calibrant.report import Report

FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const { top, bottom } = element.getBoundingClientRect();
  return {
    what: element.name || element.id || element.dataset.save || element.dataset.modelSwitch || element.localName,
    isMarked: outlineStyle !== "none" || boxShadow !== "none", isSeen: bottom > 0 && top < innerHeight,
  };
}"""


def violations(page: Any) -> list[str]:
    """Return the violations that axe-core finds, with their elements."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


def test_axe_finds_nothing(page: Any) -> None:
    assert violations(page) == []


@pytest.mark.long
def test_axe_finds_nothing_in_the_dark_on_a_phone_nor_on_the_page_of_a_class(page_of: PageOf) -> None:
    page = page_of(classes_html(), color_scheme="dark", width=360)
    page.get_by_role("navigation", name="Classes").get_by_role("link", name="high").click()
    assert violations(page) == []


def test_everything_can_be_reached_and_used_by_the_keyboard(page: Any) -> None:
    focused = []
    for _ in range(400):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at is None:
            break
        assert at["isMarked"], at
        assert at["isSeen"], at
        focused.append(at["what"])
        if at["what"] == "theme":
            page.keyboard.press("Enter")
            assert page.locator("html").get_attribute("data-theme") == "light"
        if at["what"] == "1" and focused.count("1") == 1:
            page.keyboard.press("Space")
            assert page.locator('[data-model-switch="1"]').get_attribute("aria-pressed") == "false"
            page.keyboard.press("Space")
        if at["what"] == "fraction":
            before = page.evaluate("document.activeElement.value")
            page.keyboard.press("ArrowLeft")
            assert page.evaluate("document.activeElement.value") != before
        if at["what"] == "summary" and focused.count("summary") == 1:
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.parentElement.open")
            page.keyboard.press("Enter")
    else:
        pytest.fail(f"the focus does not leave the page: {focused[-5:]}")
    n_figures = page.locator("[data-figure]").count()
    assert focused.count("svg") >= n_figures
    assert focused.count("csv") >= n_figures
    assert {"theme", "0", "1", "tn", "fp", "fn", "tp", "fraction", "threshold", "recall", "model", "best"} <= {*focused}


def test_the_first_link_skips_to_the_content(page_of: PageOf) -> None:
    page = page_of(Report("Little", ()))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.localName") == "main"


def test_a_page_has_a_language_a_title_and_landmarks(page: Any) -> None:
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.title()
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.locator("main section").first.get_attribute("id") == "answer"
    assert page.locator("[data-figure] .chart:not([role=img][aria-label])").count() == 0


@pytest.mark.long
def test_on_a_phone_nothing_scrolls_sideways(page_of: PageOf) -> None:
    page = page_of(money_html(), width=360, height=TALL, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    ends = page.locator("svg.marks").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().right)")
    assert len(ends) >= page.locator("[data-figure]").count()
    assert max(ends) <= 360


@pytest.mark.long
def test_paper_has_every_chart_of_every_page(page_of: PageOf) -> None:
    page = page_of(classes_html())
    n_figures = page.locator("[data-figure]").count()
    assert page.locator("[data-figure] svg.marks").count() < n_figures
    page.emulate_media(media="print")
    page.wait_for_function("(n) => document.querySelectorAll('[data-figure] svg.marks').length === n", arg=n_figures)
    assert page.locator("button:visible").count() == 0
    assert page.locator("section[data-page]:visible").count() == page.locator("section[data-page]").count()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )
