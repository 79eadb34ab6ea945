"""The best of several models, and whether the others are shown to be worse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel
from tests.report.blocks import callouts, figures, paragraphs, report_of, tables

from calibrant.comparison import paired_t_test
from calibrant.report import Report

RNG = np.random.default_rng(0)
TRUE = RNG.beta(1, 3, 400)
Y = RNG.random(400) < TRUE
NOISY = np.clip(TRUE + RNG.normal(0, 0.15, 400), 0.01, 0.99)
NEARLY = np.clip(TRUE + RNG.normal(0, 0.05, 400), 0.01, 0.99)
TWO = {"a": TRUE, "b": NOISY}


def found_of(models: Any, **options: Any) -> Report:
    return report_of(Y, models, **{"n_boot": 20, **options})


def ends(report: Report) -> list[float]:
    """Return how much worse the first other model is, and the ends of the interval."""
    (layer, *_) = figures(report, "comparison")["differences"].layers
    return [layer.columns[name][0] for name in ("y", "low", "high")]


def losses(proba: Any) -> Any:
    return -np.log(np.where(Y, proba, 1 - proba))


def test_one_model_leaves_no_choice() -> None:
    assert found_of(TRUE).summary["best"] == "model"


def test_rows_that_are_independent_have_the_paired_t_test_of_their_losses() -> None:
    """One end of the interval is one-sided, so that it is of twice the error."""
    expected = paired_t_test(losses(NOISY), losses(TRUE), confidence=0.9)
    assert ends(found_of(TWO)) == pytest.approx([expected.difference, expected.low, expected.high])


def test_the_best_is_compared_one_sided_with_a_correction_for_the_others() -> None:
    models = {"a": TRUE, "b": NEARLY, "c": np.sqrt(TRUE)}
    report = found_of(models)
    best = report.summary["best"]
    for name, _, at_least, p, finding in tables(report, "comparison")[0].rows:
        corrected = min(1.0, 2 * ttest_rel(losses(models[best]), losses(models[name])).pvalue / 2)
        assert p == ("< 0.0001" if corrected < 1e-4 else f"{corrected:.2g}")
        assert (float(at_least) > 0) == (corrected <= 0.05) == (finding == f"worse than {best}")


def test_a_weight_of_two_is_the_row_twice() -> None:
    weight = np.arange(400) % 3 + 1
    weighted, repeated = found_of(TWO, sample_weight=weight), np.repeat(np.arange(400), weight)
    again = report_of(Y[repeated], {name: proba[repeated] for name, proba in TWO.items()}, n_boot=20)
    assert ends(weighted) == pytest.approx(ends(again))
    assert tables(weighted, "comparison")[0].rows == tables(again, "comparison")[0].rows


def test_copies_of_rows_in_a_group_add_no_evidence() -> None:
    twice = np.repeat(np.arange(400), 2)
    grouped = report_of(Y[twice], {name: proba[twice] for name, proba in TWO.items()}, groups=twice, n_boot=20)
    assert ends(grouped) == pytest.approx(ends(found_of(TWO)))


def test_a_certain_mistake_moves_the_choice_to_the_brier_score() -> None:
    certain = np.where(Y, TRUE, 0.3)
    certain[np.flatnonzero(Y)[0]] = 0.0
    assert paragraphs(found_of({"a": TRUE, "b": certain}), "comparison")[0].text.startswith("By Brier score, ")


def test_rows_of_few_groups_show_no_difference() -> None:
    report = found_of(TWO, groups=np.arange(400) % 5)
    assert "No test holds" in paragraphs(report, "comparison")[0].text
    assert "whether it is better cannot be told" in callouts(report, "answer")[0].text


def test_profit_is_what_decisions_earn() -> None:
    earned = {name: np.where(4 * p > 1, np.where(Y, 3.0, -1.0), 0.0).sum() for name, p in TWO.items()}
    (row,) = tables(found_of(TWO, costs=[[0, 1], [0, -3]]), "comparison")[0].rows
    assert row[1] == f"{abs(earned['a'] - earned['b']):.2f}"


def test_with_costs_the_best_model_is_that_of_the_highest_profit() -> None:
    report = found_of({"too low": TRUE / 8, "right": TRUE}, costs=[[0, 1], [0, -9]])
    assert callouts(report, "answer")[0].text == "right has the highest profit, and is shown to be better than too low."
    assert report.summary["best"] == "right"
