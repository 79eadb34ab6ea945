"""Without rows, nothing in a report is the class, the weight or the amount of a single row."""

from __future__ import annotations

import numpy as np

from calibrant.decisions import ExampleCosts
from calibrant.report._analyser.cluster_variances import cluster_variances
from calibrant.report._analyser.cost_benefit_analyser import CostBenefitAnalyser
from calibrant.report._analyser.selection_table import private_cuts, selection_table
from calibrant.report._predictions.cautions import warnings_section
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.report_data import pooled
from calibrant.report._predictions.score_card import class_table_section

RNG = np.random.default_rng(1)
SCORE = RNG.random(2_000)
POSITIVE = RNG.random(2_000) < 0.05 * SCORE
WEIGHT = np.where(POSITIVE, RNG.integers(1, 1_000, 2_000), 1).astype(float)


def rows_of_steps(of: np.ndarray, which: np.ndarray) -> int:
    """Return the smallest number of rows of a class among those that share a value."""
    return int(np.unique(of[which], return_counts=True)[1].min())


def test_steps_of_weighted_rows_have_ten_rows_of_either_class() -> None:
    found = pooled(SCORE, is_positive=POSITIVE)
    assert len(np.unique(found)) > 2
    assert min(rows_of_steps(found, POSITIVE), rows_of_steps(found, ~POSITIVE)) >= 10
    data = read_report_data(POSITIVE, SCORE, sample_weight=WEIGHT, rows=False)
    np.testing.assert_array_equal(data.curve_proba("model"), found)
    table = private_cuts(selection_table(SCORE, POSITIVE, WEIGHT), 1_000, 10)
    assert len(table.tp) > 2
    assert min(np.diff(table.n_positive).min(), np.diff(table.n_negative).min()) >= 10


def test_covariances_at_two_shares_differ_by_ten_positive_rows_or_not_at_all() -> None:
    amount = np.where(POSITIVE, np.round(RNG.gamma(2.0, 20.0, 2_000), 2), 0.0)
    costs = ExampleCosts(cost=np.ones(2_000), benefit=np.full(2_000, 30.0))
    options = {"costs": costs, "amount": amount, "groups": np.arange(2_000) // 2}
    rank = np.argsort(np.argsort(-SCORE))
    for rows, fewest in ((True, 0), (False, 10)):
        analysed = CostBenefitAnalyser(read_report_data(POSITIVE, SCORE, **options, rows=rows))
        found = analysed.payload()["models"][0]["clusters"]["alone"]
        alone = np.array(found)[:, 4]  # of hits and amounts: their sum, all but exactly
        sums = [amount[POSITIVE & (rank < 200 * step)].sum() for step in range(11)]
        counts = [int((POSITIVE & (rank < 200 * step)).sum()) for step in range(11)]
        shown = np.array([np.abs(np.array(sums) - each).argmin() for each in alone[1:] / (1 - counts[-1] / 2_000)])
        assert (len(set(shown)) < 10) == (not rows)
        assert np.diff(np.unique(np.array(counts)[shown])).min(initial=99) >= fewest


def test_covariances_of_all_rows_stand_for_shares_of_few_rows() -> None:
    is_positive = np.arange(200) % 20 == 0
    found = cluster_variances(np.arange(200.0), is_positive, np.ones(200), np.arange(200), np.arange(200.0), fewest=10)
    assert all(np.array_equal(each, found.alone[-1]) for each in found.alone[1:])
    assert not np.array_equal(found.alone[0], found.alone[-1])


def test_classes_of_few_rows_have_no_page() -> None:
    proba = RNG.dirichlet(np.ones(3), 300)
    y = np.array(["a", "b"])[RNG.integers(0, 2, 300)].astype(object)
    y[:3] = "rare"
    shown = {rows: read_report_data(y, proba, rows=rows, n_boot=10) for rows in (True, False)}
    assert [len(shown[rows].class_pages()) for rows in (True, False)] == [3, 2]
    note = class_table_section(shown[False]).html()
    assert "classes of at least 10 rows have a page; 1 other class has none" in note
    assert "rare has fewer than 10 rows" in warnings_section(shown[False]).html()
    assert "rare has 3 rows" in warnings_section(shown[True]).html()


def test_pages_of_classes_share_the_room_of_a_report() -> None:
    proba = RNG.dirichlet(np.ones(5), 41_000)
    pages = read_report_data(RNG.integers(0, 5, 41_000), proba).class_pages()
    assert [page.n_pages for page in pages] == [5] * 5
    assert not CostBenefitAnalyser(pages[0]).has_rows
