"""Drawn trees in reports and notebooks: readable, harmless, and in the colours of the page."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from tests.browser.pages import PageOf
from tests.browser.reports import MARKUP
from tests.browser.test_accessibility import violations
from tests.report.blocks import report_of, section

from calibrant.metrics import evaluate
from calibrant.report import Report
from calibrant.trees import ProbabilityTreeClassifier

# The texts of boxes that are wider than their box, or wider than the room of their branch
OVERFLOWING = """() => [...document.querySelectorAll(".tree svg > g > text")].filter((text) => {
  const frame = text.parentElement.querySelector("rect[rx]"), own = text.getBBox();
  if (!frame) return own.width > 78;
  const box = frame.getBBox();
  return own.y < box.y + box.height && own.x < box.x + box.width && own.x + own.width > box.x + box.width;
}).map((text) => text.textContent)"""


@cache
def model(n_classes: int = 2) -> Any:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({MARKUP[1]: rng.choice(MARKUP[:3], 400), "months_since_last_gift": rng.normal(size=400)})
    code = (X["months_since_last_gift"] * 2 + (X[MARKUP[1]] == MARKUP[0]) + rng.normal(size=400)).rank() / 401
    labels = np.array([f"{MARKUP[k]}" for k in range(n_classes)])[(code * n_classes).astype(int)]
    return ProbabilityTreeClassifier(min_leaf=15, missing="learned").fit(X, labels), labels


def report(n_classes: int) -> Report:
    fitted, labels = model(n_classes)
    proba = np.full((400, n_classes), 1 / n_classes)
    return Report("A tree", (section(report_of(labels, proba, model=fitted, n_boot=2), "tree"),), ("mine",))


def test_a_tree_in_a_report_is_harmless_and_accessible_its_texts_fit_and_it_scrolls(page_of: PageOf) -> None:
    for n_classes, options in ((2, {}), (5, {"color_scheme": "dark", "width": 360})):
        page = page_of(report(n_classes), **options)
        assert page.locator(".tree svg path").count() == len(model(n_classes)[0].tree_.parent) - 1
        assert page.evaluate(OVERFLOWING) == []
    assert violations(page) == []
    page.locator(".tree").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)  # it scrolls smoothly
    assert page.locator(".tree").evaluate("element => element.scrollLeft") > 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_notebook_views_have_the_colours_of_their_page(page_of: PageOf) -> None:
    fitted, labels = model()
    shown = fitted._repr_html_() + evaluate(labels, np.full(400, 0.5), n_boot=20)._repr_html_()
    for ink, ground in (("rgb(0, 0, 0)", "white"), ("rgb(221, 221, 221)", "#111")):
        style = f"<style>body {{ color: {ink}; background: {ground} }}</style>"
        head = f'<!doctype html><html lang="en" data-ready="true"><head><title>Notebook</title>{style}</head>'
        page = page_of(f"{head}<body><main><h1>Notebook</h1><h2>Output</h2>{shown}</main></body></html>")
        colours = """[...document.querySelectorAll("td, .tree text")].map((each) => getComputedStyle(each)).map(
            (style) => style.fill === "rgb(0, 0, 0)" ? style.color : style.fill)"""
        assert set(page.evaluate(colours)) == {ink}
        assert page.evaluate(OVERFLOWING) == []
    assert violations(page) == []
