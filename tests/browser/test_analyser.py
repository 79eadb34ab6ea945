"""The cost-benefit analyser in a browser shows the numbers of `cost_benefit`, to the cent and beyond."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, skew
from tests.browser.pages import opened_pages
from tests.report.blocks import report_of, section

from calibrant.decisions import CostBenefit, CostMatrix, ExampleCosts, cost_benefit, decision_report, profit
from calibrant.report import Report

N_ROWS, N_SETTINGS = 5000, 50
MAIL = CostMatrix.from_benefits([[0, -0.8], [0, 9]], labels=["no", "yes"], actions=["leave", "mail"])

# Sets the controls as a person does, by input events, and returns the exact value of every output
APPLY = """(settings) => {
  const one = (selector) => document.querySelector(`[data-analyser] ${selector}`);
  const enter = (name, value) => {
    const input = one(`[name="${name}"]`);
    input.value = String(value);
    input.dispatchEvent(new Event(input.localName === "select" ? "change" : "input", { bubbles: true }));
  };
  return settings.map(({ cells, model, by, value }) => {
    enter("model", model);
    Object.entries(cells).forEach(([cell, number]) => enter(cell, number));
    enter(`${by}_value`, value);
    const outputs = [...document.querySelectorAll("[data-analyser] output")];
    return Object.fromEntries(outputs.map((output) => [output.name, Number(output.dataset.value)]));
  });
}"""


@pytest.fixture(scope="module")
def open_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Report], Any]]:
    """Yield a function that opens the analyser of a report."""
    with opened_pages(browser, tmp_path_factory.mktemp("analyser")) as opened:
        yield lambda report: opened(Report("Mail", (section(report, "analyser"),), report.models))


def made_rows() -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(20)
    proba = rng.beta(1, 6, N_ROWS)
    label = np.where(rng.random(N_ROWS) < proba, "yes", "no")
    models = {"raw": np.sqrt(proba), "tied": np.round(np.clip(proba + rng.normal(0, 0.03, N_ROWS), 0, 1), 2)}
    return label, models, np.round(rng.gamma(2, 8, N_ROWS), 2)


@pytest.fixture(scope="module")
def page(open_page: Callable[[Report], Any]) -> Any:
    label, models, _ = made_rows()
    return open_page(report_of(label, models, costs=MAIL))


def random_cuts(rng: np.random.Generator, analysis: CostBenefit, number: int) -> dict[str, Any]:
    """Return a random fraction, recall or threshold, in turn; half of the thresholds are those of rows."""
    by = ("fraction", "threshold", "recall")[number % 3]
    if by != "threshold":
        return {"by": by, "value": float(rng.random())}
    between = rng.uniform(analysis.threshold[-1], analysis.threshold[1])
    return {"by": by, "value": float(rng.choice(analysis.threshold[1:]) if number % 2 else between)}


def assert_equal_to_cost_benefit(shown: dict[str, float], analysis: CostBenefit, by: str, value: float) -> None:
    point, best = analysis.at(**{by: value}), analysis.best
    expected = {
        "profit": point.benefit, "random": point.random, "gain": point.gain,
        "count_tp": point.tp, "count_fp": point.fp, "count_fn": point.fn, "count_tn": point.tn,
        "selected": point.selected, "best_profit": best.benefit,
        "best_fraction": best.fraction, "best_threshold": best.threshold,
    }  # fmt: skip
    assert {name: shown[name] for name in expected} == pytest.approx(expected, abs=1e-6, rel=1e-12)


def test_the_numbers_are_those_of_cost_benefit_at_random_settings(page: Any) -> None:
    label, models, _ = made_rows()
    rng, settings, analyses = np.random.default_rng(0), [], []
    for number in range(N_SETTINGS):
        cells = dict(zip(("tn", "fp", "fn", "tp"), np.round(rng.normal(0, 5, 4), 2).tolist(), strict=True))
        model = int(rng.integers(2))
        matrix = [[-cells["tn"], -cells["fp"]], [-cells["fn"], -cells["tp"]]]
        costs = CostMatrix(matrix, labels=["no", "yes"])
        analyses.append(cost_benefit(label, list(models.values())[model], costs))
        settings.append({"cells": cells, "model": model, **random_cuts(rng, analyses[-1], number)})
    for shown, setting, analysis in zip(page.evaluate(APPLY, settings), settings, analyses, strict=True):
        assert_equal_to_cost_benefit(shown, analysis, setting["by"], setting["value"])


def test_rows_are_ranked_again_by_expected_gain_where_amounts_differ(open_page: Callable[[Report], Any]) -> None:
    label, models, amount = made_rows()
    expected = np.round(0.9 * amount + 1, 2)
    weight = np.random.default_rng(1).integers(1, 4, N_ROWS)
    options = {"amount": amount, "sample_weight": weight}
    page = open_page(report_of(label, models, costs=ExampleCosts(0.68, expected), n_boot=2, **options))
    rng, settings, analyses = np.random.default_rng(0), [], []
    for number in range(N_SETTINGS):
        cost, model = round(float(rng.uniform(0.1, 5)), 2), int(rng.integers(2))
        costs = ExampleCosts(cost, expected)
        analyses.append(cost_benefit(label, list(models.values())[model], costs, **options))
        cells = {"tp": -cost, "fp": -cost}
        settings.append({"cells": cells, "model": model, **random_cuts(rng, analyses[-1], number)})
    for shown, setting, analysis in zip(page.evaluate(APPLY, settings), settings, analyses, strict=True):
        assert_equal_to_cost_benefit(shown, analysis, setting["by"], setting["value"])


def test_the_interval_is_bca_by_the_moments_of_what_rows_earn(page: Any) -> None:
    cells = {"tp": 7.0, "fp": -1.5, "fn": -0.5, "tn": 0.25}
    (shown,) = page.evaluate(APPLY, [{"cells": cells, "model": 0, "by": "threshold", "value": 0.4}])
    label, models, _ = made_rows()
    selected, positive = models["raw"] >= 0.4, label == "yes"
    earned = np.where(selected, np.where(positive, 7.0, -1.5), np.where(positive, -0.5, 0.25))
    sixth, z = skew(earned) / (6 * N_ROWS**0.5), norm.ppf([0.025, 0.975])
    level = sixth + (sixth + z) / (1 - sixth * (sixth + z))
    ends = earned.sum() + N_ROWS**0.5 * earned.std() * (level + sixth * (level**2 - 1))  # Cornish & Fisher (1938)
    assert [shown["low"], shown["high"]] == pytest.approx(ends, rel=1e-9)


def test_groups_widen_the_interval_as_the_cluster_bootstrap_does(open_page: Callable[[Report], Any]) -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(300), 10)
    proba = np.clip(rng.beta(2, 5, 300)[group] + rng.normal(0, 0.02, 3000), 0.001, 0.999)
    label = np.where(rng.random(300)[group] < proba, "yes", "no")  # the rows of a group have like outcomes
    report = report_of(label, proba, costs=MAIL, groups=group, n_boot=2)
    cells = {"tn": 0, "fp": -2, "fn": 0, "tp": 6}
    (shown,) = open_page(report).evaluate(APPLY, [{"cells": cells, "model": 0, "by": "threshold", "value": 0.25}])
    costs = CostMatrix.from_benefits([[0, -2], [0, 6]], labels=["no", "yes"], actions=["leave", "mail"])
    total = profit(label, proba, costs, groups=group, n_boot=1000).total
    assert shown["profit"] == pytest.approx(total.value)
    assert (shown["low"], shown["high"]) == pytest.approx((total.low, total.high), abs=0.1 * (total.high - total.low))


def test_recalibrating_gains_what_the_decision_report_says(page: Any) -> None:
    """Also at costs that the report was not made with, where the page computes it from the rows."""
    label, models, _ = made_rows()
    mail, other = {"tn": 0, "fp": -0.8, "fn": 0, "tp": 9}, {"tn": 0.1, "fp": -1.3, "fn": -2, "tp": 3.7}
    for cells, model, name in ((mail, 1, "tied"), (other, 0, "raw")):
        costs = CostMatrix([[-cells["tn"], -cells["fp"]], [-cells["fn"], -cells["tp"]]], labels=["no", "yes"])
        (shown,) = page.evaluate(APPLY, [{"cells": cells, "model": model, "by": "fraction", "value": 0.5}])
        expected = decision_report(label, models[name], costs, n_boot=2).miscalibration.value
        assert shown["recalibration"] == pytest.approx(expected, abs=1e-6)
    assert "more than chance explains" in page.inner_text(".analyser-advice")


def test_figure_5_2_of_witten_frank_and_hall(open_page: Callable[[Report], Any]) -> None:
    """Figures of the chapter that determine the numbers: 1,417 of 2,402 respondents in the top 22,285 of 47,706."""
    sizes, positives = [22_285, 25_421], [1417, 985]
    label = np.concatenate([np.arange(size) < count for size, count in zip(sizes, positives, strict=True)]).astype(int)
    report = report_of(label, np.repeat([0.06, 0.04], sizes), n_boot=2)
    cut = {"model": 0, "by": "fraction", "value": 22_285 / 47_706}
    dear, cheap = ({"tp": 15, "fp": -cost, "fn": 0, "tn": 0} for cost in (0.8, 0.5))
    at_80, at_50 = open_page(report).evaluate(APPLY, [{"cells": cells, **cut} for cells in (dear, cheap)])
    assert [round(at_80[name], 2) for name in ("best_profit", "profit", "random")] == [4560.60, 4560.60, -99.59]
    assert round(100 * at_80["best_fraction"], 1) == 46.7
    assert (round(at_50["best_profit"], 2), at_50["best_fraction"]) == (13_378.00, 1.0)


def test_stored_cuts_are_exact_without_a_row(open_page: Callable[[Report], Any]) -> None:
    label, models, amount = made_rows()
    costs = ExampleCosts(0.68, amount)
    analysis = cost_benefit(label, models["raw"], costs)
    report = report_of(label, {"raw": models["raw"]}, costs=costs, rows=False, n_boot=2)
    page = open_page(report)
    stored = page.evaluate("JSON.parse(document.getElementById('calibrant-data').textContent).analysers[0]")
    assert stored["rows"] is None
    assert "proba" not in stored["models"][0]
    table = section(report, "analyser").blocks[-1].shown("raw")
    fractions = ((table.tp + table.fp) / N_ROWS).tolist()
    settings = [{"cells": {}, "model": 0, "by": "fraction", "value": fraction} for fraction in fractions]
    profits = [shown["profit"] for shown in page.evaluate(APPLY, settings)]
    assert profits == pytest.approx([analysis.at(fraction=fraction).benefit for fraction in fractions], abs=1e-6)
    assert "The ranking stays that of the costs" in page.inner_text("[data-analyser]")


def test_the_cut_follows_keys_and_marks_both_charts(page: Any) -> None:
    cells = {"tn": 0, "fp": -0.8, "fn": 0, "tp": 9}
    page.evaluate(APPLY, [{"cells": cells, "model": 0, "by": "fraction", "value": 0.5}])
    page.focus("input[name=fraction]")
    page.keyboard.press("ArrowRight")
    fraction = float(page.input_value("input[name=fraction]"))
    assert fraction == pytest.approx(0.51, abs=1e-3)
    labels = [chart.get_attribute("aria-label") for chart in page.query_selector_all("[data-analyser] .chart")]
    assert all("51.0 % of the rows" in label for label in labels)
    page.click("button[name=best]")
    shown = page.evaluate("[...document.querySelectorAll('output')].map((o) => [o.name, Number(o.dataset.value)])")
    assert dict(shown)["profit"] == dict(shown)["best_profit"]


def test_a_cut_that_is_left_shows_where_it_is(page: Any) -> None:
    for typed, shown in (("1e9", "1"), ("-5", "0"), ("0.5", "0.5")):
        page.fill("input[name=fraction_value]", typed)
        page.press("input[name=fraction_value]", "Tab")
        assert page.input_value("input[name=fraction_value]") == shown


def test_what_is_no_number_changes_nothing(page: Any) -> None:
    before = page.inner_text("output[name=profit]")
    page.fill("input[name=tp]", "")
    assert page.get_attribute("input[name=tp]", "aria-invalid") == "true"
    assert page.inner_text("output[name=profit]") == before
    page.click("button[name=reset]")
    assert page.input_value("input[name=tp]") == "9"
