"""Every control of a report's page, used as a person would."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from tests.browser.pages import PageOf
from tests.browser.reports import TALL, embedded, hover, money_html

TREE = "#D55E00"
# Visible lines of a model, by the custom property of its colour.
LINES = """(model) => [...document.querySelectorAll(`[data-figure] svg path[stroke="var(--chart-${model})"]`)].length"""
# Lines that the text of each element takes.
N_LINES = """(all) => all.map((each) => {
  const range = document.createRange();
  range.selectNodeContents(each);
  return range.getClientRects().length;
})"""
MARKED = """(model) =>
  [...document.querySelectorAll(`[data-model="${model}"]`)].filter((each) => each.checkVisibility()).length"""


def figure(page: Any, name: str) -> Any:
    return page.locator(f'[data-figure="{name}"]')


def saved(page: Any, name: str, kind: str) -> str:
    """Return the file that a figure's button saves."""
    with page.expect_download() as download:
        figure(page, name).locator(f'[data-save="{kind}"]').click()
    assert download.value.suggested_filename == f"{name}.{kind}"
    return download.value.path().read_text(encoding="utf-8")


def test_a_click_on_a_name_hides_a_model_everywhere_and_another_shows_it(page_of: PageOf) -> None:
    page = page_of(money_html(), height=TALL)
    before = page.evaluate(LINES, 1), page.evaluate(MARKED, 1)
    assert min(before) > 5
    switch = page.get_by_role("button", name="tree", exact=True)
    switch.click()
    assert switch.get_attribute("aria-pressed") == "false"
    page.wait_for_function(f"({LINES})(1) === 0 && ({MARKED})(1) === 0")
    assert page.evaluate(LINES, 0) > 5
    switch.click()
    page.wait_for_function(f"([lines, marked]) => ({LINES})(1) === lines && ({MARKED})(1) === marked", arg=list(before))


def test_hovering_a_curve_tells_its_numbers(page: Any) -> None:
    title = hover(page, figure(page, "roc").locator(".chart")).split(":")[0]
    told = dict(
        zip(page.locator("#tooltip dt").all_inner_texts(), page.locator("#tooltip dd").all_inner_texts(), strict=True)
    )
    payload = next(each for each in embedded(money_html())["figures"] if "mistake" in each["title"])
    models = [each["name"] for each in embedded(money_html())["models"]]
    source = next(each for each in payload["data"] if each["model"] == models.index(title))
    shares = [f"{100 * value:.4g}%" for value in source["columns"]["x"]]
    at = shares.index(next(iter(told.values())))
    assert float(told["threshold"]) == pytest.approx(source["columns"]["threshold"][at], rel=1e-3)
    assert set(page.locator("#tooltip dd").evaluate_all(N_LINES)) == {1}
    page.mouse.move(5, 5)
    page.locator("#tooltip").wait_for(state="hidden")


def test_a_saved_svg_shows_what_is_on_the_page(page: Any) -> None:
    whole = saved(page, "roc", "svg")
    assert whole.startswith("<svg")
    assert "false positive rate" in whole
    assert TREE in whole
    assert "var(--" not in whole
    assert ">tree</text>" in whole  # outside the page nothing else names the models
    page.get_by_role("button", name="tree", exact=True).click()
    page.wait_for_function(f"({LINES})(1) === 0")
    assert TREE not in saved(page, "roc", "svg")
    page.get_by_role("button", name="tree", exact=True).click()
    page.wait_for_function(f"({LINES})(1) > 0")


def test_a_saved_csv_has_the_numbers_of_the_figure(page: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(saved(page, "roc", "csv"))))
    payload = next(each for each in embedded(money_html())["figures"] if "mistake" in each["title"])
    assert len(rows) == sum(len(source["columns"]["x"]) for source in payload["data"])
    tree = next(source for source in payload["data"] if source["model"] == 1)["columns"]
    assert [float(row["y"]) for row in rows if row["model"] == "tree"] == tree["y"]


def test_the_theme_follows_the_system_until_it_is_chosen(page_of: PageOf) -> None:
    page = page_of(money_html(), color_scheme="dark")
    figure(page, "roc").scroll_into_view_if_needed()
    page.locator("[data-figure=roc] svg.marks").wait_for()
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    line = """getComputedStyle(document.querySelector('path[stroke="var(--chart-0)"]')).stroke"""
    assert page.evaluate(ground) == "rgb(21, 24, 29)"
    assert page.evaluate(line) == "rgb(86, 180, 233)"
    page.get_by_role("button", name="Theme: auto").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert page.evaluate(line) == "rgb(0, 114, 178)"
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(ground) == "rgb(21, 24, 29)"
    page.reload()
    page.get_by_role("button", name="Theme: dark").click()
    page.get_by_role("button", name="Theme: auto").wait_for()


def test_a_link_leads_to_its_section(page: Any) -> None:
    page.get_by_role("navigation", name="Sections").get_by_role("link").last.click()
    page.wait_for_function("document.querySelector('#how-made').getBoundingClientRect().top < innerHeight")
    page.locator("#how-made").wait_for(state="visible")


def test_numbers_of_a_figure_can_be_unfolded(page: Any) -> None:
    roc = figure(page, "roc")
    assert not roc.locator("table").first.is_visible()
    roc.get_by_text("Numbers", exact=True).click()
    roc.locator("table").first.wait_for(state="visible")


def test_each_class_has_a_page(page_of_classes: Any) -> None:
    page = page_of_classes
    assert page.locator("#answer").is_visible()
    page.get_by_role("navigation", name="Classes").get_by_role("link", name="middle").click()
    page.wait_for_selector("html[data-ready=true]")
    assert not page.locator("#answer").is_visible()
    assert page.locator('section[data-page="middle"]').first.is_visible()
    assert not page.locator('section[data-page="low"]').first.is_visible()
    page.locator('section[data-page="middle"] [data-figure] svg').first.wait_for()
    page.go_back()
    page.locator("#answer").wait_for(state="visible")


def test_hovering_a_bar_tells_its_numbers(page_of_classes: Any) -> None:
    page = page_of_classes
    page.get_by_role("navigation", name="Classes").get_by_role("link", name="high").click()
    bars = page.locator('section[data-page="high"] [data-figure*="score-histogram"] .mark-rect path')
    page.locator('section[data-page="high"] [data-figure*="score-histogram"]').first.scroll_into_view_if_needed()
    bars.first.wait_for()
    hover(page, bars.first)
    assert "rows" in page.locator("#tooltip dt").all_inner_texts()
    page.mouse.move(5, 5)


def test_the_analyser_follows_what_is_typed_dragged_and_pressed(page: Any) -> None:
    analyser = page.locator("[data-analyser]")
    profit = analyser.locator('output[name="profit"]')
    value = "document.querySelector('[data-analyser] output[name=profit]').dataset.value"
    shown = [page.evaluate(value)]

    def wait_for_change() -> None:
        page.wait_for_function(f"before => {value} !== before", arg=shown[-1])
        shown.append(page.evaluate(value))

    analyser.locator('input[name="tp"]').fill("20")
    wait_for_change()
    slider = analyser.locator('input[type=range][name="fraction"]')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    wait_for_change()
    analyser.locator('button[name="best"]').click()
    wait_for_change()
    assert float(shown[-1]) == max(map(float, shown[1:]))
    analyser.locator('select[name="model"]').select_option("tree")
    assert profit.is_visible()
    assert analyser.locator("svg.marks").count() == 2
