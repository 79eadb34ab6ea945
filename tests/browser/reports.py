"""Small reports that the browser opens; each is made once."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np

from calibrant.decisions import CostMatrix
from calibrant.report import Report

N_ROWS = 150
TALL = 16_000  # pixels: all of a report, so that every chart comes near the viewport
MAIL = CostMatrix.from_benefits([[0, -0.8], [0, 9]], labels=["no", "yes"], actions=["leave", "mail"])
MARKUP = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "{{alert(4)}}${alert(5)}`'\\",
    "<!--<script>",
    "javascript:alert(6)",
)


def _models(rng: np.random.Generator, names: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
    score = rng.normal(size=N_ROWS)
    is_positive = rng.random(N_ROWS) < 1 / (1 + np.exp(1 - score))
    noise = rng.normal(size=(len(names), N_ROWS))
    return is_positive, {name: 1 / (1 + np.exp(1 - (1 + k) * score - 0.3 * noise[k])) for k, name in enumerate(names)}


@cache
def money_html() -> str:
    """Return a report on two models with costs, segments and an analyser."""
    rng = np.random.default_rng(0)
    is_positive, probas = _models(rng, ("forest", "tree"))
    region = rng.choice(["north", "south"], N_ROWS)
    label = np.where(is_positive, "yes", "no")
    made = Report.from_predictions(label, probas, pos_label="yes", costs=MAIL, by={"region": region}, n_boot=20)
    return made.to_html()


@cache
def classes_html() -> str:
    """Return a report on three classes, which has a page a class."""
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([2, 1, 1], N_ROWS)
    label = np.array(["low", "middle", "high"])[[rng.choice(3, p=row) for row in proba]]
    return Report.from_predictions(label, proba, labels=["low", "middle", "high"], n_boot=20).to_html()


@cache
def hostile_html() -> str:
    """Return a report whose models, classes, columns and segments are markup and scripts."""
    rng = np.random.default_rng(0)
    is_positive, probas = _models(rng, MARKUP[:2])
    label = np.where(is_positive, MARKUP[2], MARKUP[1])
    made = Report.from_predictions(
        label, probas, pos_label=MARKUP[2], by={MARKUP[3]: rng.choice(MARKUP[:3], N_ROWS)}, title=MARKUP[1],
        source=MARKUP[4], command=MARKUP[5], n_boot=20,
        costs=CostMatrix([[0, 1], [5, 0]], labels=[MARKUP[1], MARKUP[2]], actions=[MARKUP[0], MARKUP[4]]),
    )  # fmt: skip
    return made.to_html()


def embedded(html: str) -> Any:
    """Return the data that a page embeds."""
    found = re.search(r'id="calibrant-data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def hover(page: Any, place: Any, at: tuple[float, float] = (0.5, 0.5)) -> str:
    """Move the pointer over an element, at shares of its width and height; return the title of the tooltip."""
    place.scroll_into_view_if_needed()
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )  # scrolling hides it
    box = place.bounding_box()
    x, y = box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"]
    page.mouse.move(x - 1, y - 1)
    page.mouse.move(x, y)
    page.locator("#tooltip").wait_for(state="visible")
    return str(page.locator("#tooltip strong").inner_text())
