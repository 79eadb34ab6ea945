"""Sentences of a report do not contradict each other, and claim nothing that the rows do not show."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.report._predictions.answer import answer_section
from calibrant.report._predictions.cautions import warnings_section
from calibrant.report._predictions.comparison import comparison_section
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.reliability import reliability_section
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.score_card import score_card_section
from calibrant.report._predictions.segments import segments_section

RNG = np.random.default_rng(0)


def logistic(z: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-z))


def sample(n: int, shift: float = 0.0) -> tuple[Any, Any]:
    z = RNG.normal(size=n) + shift
    return (RNG.random(n) < logistic(z)).astype(int), z


def read(y: Any, proba: Any, **options: Any) -> ReportData:
    return read_report_data(y, proba, **{"n_boot": 30, **options})


def test_a_line_inside_its_band_does_not_deny_the_verdict() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2_000)
    p = logistic(x - 3.2)
    y = (rng.random(2_000) < p).astype(int)
    data = read(y, np.clip(1.3 * p, 0, 1), n_boot=200)
    text = reliability_section(data).html()
    assert data.verdict("model").kind in ("miscalibrated", "too little to matter")
    assert "Here it stays inside, but other tests of the same rows show miscalibration." in text
    assert "do not show" not in text


def test_the_band_is_said_to_know_no_groups() -> None:
    y, z = sample(200)
    assert "of independent rows" in reliability_section(read(y, logistic(z), groups=np.arange(200) // 2)).html()
    assert "of independent rows" not in reliability_section(read(y, logistic(z))).html()


def test_rows_with_frequencies_count_as_so_many() -> None:
    y, z = sample(150)
    options = {"sample_weight": np.full(150, 20), "by": {"sign": z > 0}}
    data = read(y, logistic(z), **options)
    assert "3,000 rows, 2 classes" in score_card_section(data).html()
    assert "There are only" not in warnings_section(data).html()
    rows = segments_section(data).blocks[1].rows
    assert sum(int(row[1].replace(",", "")) for row in rows) == 3_000
    weighted = read(y, logistic(z), costs=[[0, 1], [1, 0]], weight_kind="probability", **options)
    assert "on 150 rows of weight 3,000 together" in answer_section(weighted).html()
    assert "There are only 150 rows" in warnings_section(weighted).html()


def test_rows_of_few_groups_show_no_model_to_be_better() -> None:
    y, z = sample(600)
    data = read(y, {"good": logistic(z), "bad": logistic(4 * z - 2)}, groups=np.arange(600) % 6)
    table = comparison_section(data).blocks[-1]
    assert {row[-1] for row in table.rows} <= {"", "not shown to differ"}
    assert "show no model to be better" in table.note
    assert "DeLong" not in table.note


def test_a_model_that_changes_no_decision_is_not_praised_for_its_decisions() -> None:
    y, z = sample(1_000)
    text = answer_section(read(y, logistic(z - 2), costs=[[0, 0.001], [10, 0]])).html()
    assert "for decisions at these costs" not in text
    assert "decisions by it earn as much as “1” for every row" in text
