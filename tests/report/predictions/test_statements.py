"""Sentences of a report do not contradict each other, and claim nothing that the rows do not show."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.report.blocks import html_of, report_of, tables

RNG = np.random.default_rng(0)


def logistic(z: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-z))


def sample(n: int, shift: float = 0.0) -> tuple[Any, Any]:
    z = RNG.normal(size=n) + shift
    return (RNG.random(n) < logistic(z)).astype(int), z


def test_a_line_inside_its_band_does_not_deny_the_verdict() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2_000)
    p = logistic(x - 3.2)
    y = (rng.random(2_000) < p).astype(int)
    report = report_of(y, np.clip(1.3 * p, 0, 1), n_boot=200)
    text = html_of(report, "reliability")
    assert report.summary["verdicts"]["model"]["kind"] in ("miscalibrated", "too little to matter")
    assert "Here it stays inside, but other tests of the same rows show miscalibration." in text
    assert "do not show" not in text


def test_the_band_is_said_to_know_no_groups() -> None:
    y, z = sample(200)
    assert "of independent rows" in html_of(report_of(y, logistic(z), groups=np.arange(200) // 2), "reliability")
    assert "of independent rows" not in html_of(report_of(y, logistic(z)), "reliability")


def test_rows_with_frequencies_count_as_so_many() -> None:
    y, z = sample(150)
    options = {"sample_weight": np.full(150, 20), "by": {"sign": z > 0}}
    report = report_of(y, logistic(z), **options)
    assert "3,000 rows, 2 classes" in html_of(report, "score-card")
    assert "There are only" not in html_of(report, "warnings")
    rows = tables(report, "segments")[0].rows
    assert sum(int(row[1].replace(",", "")) for row in rows) == 3_000
    weighted = report_of(y, logistic(z), costs=[[0, 1], [1, 0]], weight_kind="probability", **options)
    assert "on 150 rows of weight 3,000 together" in html_of(weighted, "answer")
    assert "There are only 150 rows" in html_of(weighted, "warnings")


def test_rows_of_few_groups_show_no_model_to_be_better() -> None:
    y, z = sample(600)
    report = report_of(y, {"good": logistic(z), "bad": logistic(4 * z - 2)}, groups=np.arange(600) % 6)
    table = tables(report, "comparison")[-1]
    assert {row[-1] for row in table.rows} <= {"", "not shown to differ"}
    assert "show no model to be better" in table.note
    assert "DeLong" not in table.note


def test_a_model_that_changes_no_decision_is_not_praised_for_its_decisions() -> None:
    y, z = sample(1_000)
    text = html_of(report_of(y, logistic(z - 2), costs=[[0, 0.001], [10, 0]]), "answer")
    assert "for decisions at these costs" not in text
    assert "decisions by it earn as much as “1” for every row" in text
