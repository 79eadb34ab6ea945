"""Take the picture of a report that README.md shows: its answer and the cost-benefit analyser, in Chromium.

    python tools/report_picture.py [FILE]

Needs the extra [test], and Chromium at /usr/bin/chromium or where CHROMIUM says.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from calibrant.data import load
from calibrant.decisions import CostMatrix
from calibrant.linear import LogisticClassifier
from calibrant.report import Report
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "report.png"
WIDTH, COLORS = 1400, 128  # pixels; the page has few colours, and a palette halves the file
SHOWN = ("answer", "analyser")


def make_report() -> Report:
    """Return a report on two methods for the data set that comes with calibrant, by cross-validation."""
    donors = load("appeal")
    methods = {
        "logistic regression": LogisticClassifier(),
        "tree": ProbabilityTreeClassifier(),
    }
    found = estimate_performance(methods, donors.X, donors.y, CrossValidation(10, random_state=0), ["log_loss"])
    pooled = {name: found.pooled(name) for name in methods}
    rows = pooled["tree"]
    costs = CostMatrix([[0, 0.68], [0, -17.96]], labels=["no", "yes"], actions=["leave", "write"])
    probas = {name: each.y_pred for name, each in pooled.items()}
    return Report.from_predictions(
        rows.y_true, probas, costs=costs, pos_label="yes", title="The spring appeal: to whom should we write?"
    )


def take_picture(page: Path, picture: Path) -> None:
    """Open a page, leave the sections that are shown, and write what a reader sees."""
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        view.goto(page.as_uri())
        view.wait_for_selector("html[data-ready=true]")
        kept = ", ".join(f"#{name}" for name in SHOWN)
        view.evaluate(
            "kept => document.querySelectorAll('main section, footer').forEach(each => {"
            " if (!each.matches(kept) && !each.querySelector(kept) && !each.closest(kept)) each.remove() })",
            kept,
        )
        view.locator("[data-analyser]").scroll_into_view_if_needed()
        view.wait_for_timeout(1000)
        view.evaluate("window.scrollTo(0, 0)")
        view.wait_for_timeout(300)
        last = view.locator("[data-analyser] .analyser-panels").bounding_box()
        height = round(last["y"] + last["height"] + 14) if last else 900
        view.screenshot(path=picture, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
        browser.close()


def reduce_colors(picture: Path) -> None:
    """Write the picture with a palette of its own, which is smaller."""
    from PIL import Image

    with Image.open(picture) as image:
        smaller = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    smaller.save(picture, optimize=True)


def main(args: list[str]) -> int:
    """Write the picture."""
    picture = Path(args[0]) if args else PICTURE
    with tempfile.TemporaryDirectory() as folder:
        take_picture(make_report().save(Path(folder) / "report.html"), picture)
    reduce_colors(picture)
    print(f"{picture}: {picture.stat().st_size / 1000:.0f} KB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
