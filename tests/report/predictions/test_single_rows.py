"""Without rows, nothing in a report is the class, the weight or the amount of a single row."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.report.blocks import figures, html_of, layers_of, report_of, section

from calibrant.curves import roc
from calibrant.decisions import ExampleCosts
from calibrant.report import Report

RNG = np.random.default_rng(1)
SCORE = RNG.random(2_000)
POSITIVE = RNG.random(2_000) < 0.05 * SCORE
WEIGHT = np.where(POSITIVE, RNG.integers(1, 1_000, 2_000), 1).astype(float)


def analyser_of(report: Report) -> Any:
    return section(report, "analyser").blocks[-1]


def test_steps_of_weighted_rows_have_ten_rows_of_either_class() -> None:
    report = report_of(POSITIVE, SCORE, sample_weight=WEIGHT, rows=False, n_boot=2)
    columns = layers_of(figures(report, "roc")["roc"], "model")[0].columns
    curve, ranked = roc(POSITIVE, SCORE, sample_weight=WEIGHT), POSITIVE[np.argsort(-SCORE)]
    places = {point: place for place, point in enumerate(zip(curve.fpr, curve.tpr, strict=True))}
    steps = [places[point] for point in zip(columns["x"], columns["y"], strict=True)]
    table = analyser_of(report).shown("model")
    counts = [np.append(0, np.cumsum(ranked == positive))[steps] for positive in (False, True)]
    for rows in (*counts, table.n_positive, table.n_negative):
        assert len(rows) > 2
        assert np.diff(rows).min() >= 10


def test_covariances_at_two_shares_differ_by_ten_positive_rows_or_not_at_all() -> None:
    amount = np.where(POSITIVE, np.round(RNG.gamma(2.0, 20.0, 2_000), 2), 0.0)
    costs = ExampleCosts(cost=np.ones(2_000), benefit=np.full(2_000, 30.0))
    options = {"costs": costs, "amount": amount, "groups": np.arange(2_000) // 2}
    rank = np.argsort(np.argsort(-SCORE))
    for rows, fewest in ((True, 0), (False, 10)):
        analyser = analyser_of(report_of(POSITIVE, SCORE, **options, rows=rows, n_boot=2))
        found = analyser.payload()["models"][0]["clusters"]["alone"]
        alone = np.array(found)[:, 4]  # of hits and amounts: their sum, all but exactly
        sums = [amount[POSITIVE & (rank < 200 * step)].sum() for step in range(11)]
        counts = [int((POSITIVE & (rank < 200 * step)).sum()) for step in range(11)]
        shown = np.array([np.abs(np.array(sums) - each).argmin() for each in alone[1:] / (1 - counts[-1] / 2_000)])
        assert (len(set(shown)) < 10) == (not rows)
        assert np.diff(np.unique(np.array(counts)[shown])).min(initial=99) >= fewest


def test_covariances_of_all_rows_stand_for_shares_of_few_rows() -> None:
    """Of ten positive rows, no share but that of all rows holds ten."""
    options = {"groups": np.arange(200), "sample_weight": np.arange(200) % 2 + 1.0, "rows": False, "n_boot": 2}
    analyser = analyser_of(report_of(np.arange(200) % 20 == 0, np.arange(200) / 200, **options))
    none, *found = analyser.payload()["models"][0]["clusters"]["alone"]
    assert all(each == found[-1] for each in found)
    assert none != found[-1]


def test_classes_of_few_rows_have_no_page() -> None:
    proba = RNG.dirichlet(np.ones(3), 300)
    y = np.array(["a", "b"])[RNG.integers(0, 2, 300)].astype(object)
    y[:3] = "rare"
    with_rows, without = (report_of(y, proba, rows=rows, n_boot=2) for rows in (True, False))
    assert [len({each.page for each in report.sections} - {""}) for report in (with_rows, without)] == [3, 2]
    assert "classes of at least 10 rows have a page; 1 other class has none" in html_of(without, "classes")
    assert "rare has fewer than 10 rows" in html_of(without, "warnings")
    assert "rare has 3 rows" in html_of(with_rows, "warnings")
