"""Caruana & Niculescu-Mizil (2004): protocol, choice of models, stored findings, and a slice of `--quick`."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from calibrant.papers import PaperTable, get_paper, reproduce
from calibrant.papers._caruana.algorithms import ALGORITHMS, coded_models, tree_models
from calibrant.papers._caruana.metrics import CLIP, METRIC_NAMES, TRIAL_METRICS
from calibrant.papers._caruana.problems import PROBLEMS, TEST, TRAINING, VALIDATION, RowNumbers, problem_table
from calibrant.papers._caruana.published import TABLE_2, TABLE_4
from calibrant.papers._caruana.scales import (
    BAGGED_STYLES,
    BOOSTED_STYLES,
    NETS,
    PAPER_MODELS,
    SCALES,
    STYLES,
    SVMS,
    ModelGrid,
    Scale,
)
from calibrant.papers._caruana.selection import choose_default_grid, choose_models, with_accuracy_by_sign
from calibrant.papers._caruana.tables_of_changes import ContrastResult, rank_correlation
from calibrant.trees import ProbabilityTreeClassifier

STORED = Path(__file__).parents[2] / "docs" / "papers" / "caruana_niculescu_mizil_2004"


def test_the_two_tables_of_the_paper_agree_except_on_raw_svms() -> None:
    both = [place for place in TABLE_2 if place in TABLE_4]
    assert len(both) == 14
    assert [place for place in both if TABLE_2[place] != TABLE_4[place]] == [("SVM", "RAW", "RMS")]


@pytest.mark.usefixtures("papers_data")
@pytest.mark.parametrize("name", ["ADULT", "HS"])
def test_a_sample_has_the_rows_of_the_paper_in_three_disjoint_parts(name: str) -> None:
    problem = PROBLEMS[name]
    table, coded = (problem_table(problem, RowNumbers(), 1, coded=each) for each in (False, True))
    assert table.extra is not None
    parts = table.extra["part"].value_counts().to_dict()
    assert parts == {TRAINING: 4000, VALIDATION: 1000, TEST: problem.n_test}
    assert (table.n_features, coded.n_features) == (problem.n_attributes, problem.n_coded_attributes)
    pd.testing.assert_series_equal(table.y, coded.y)


@pytest.mark.usefixtures("papers_data")
def test_samples_differ_and_are_the_same_every_time() -> None:
    rows = RowNumbers(100, 50, 100)
    first, again, second = (problem_table(PROBLEMS["LETTER.P1"], rows, n, coded=False).X for n in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(second)


def test_metrics_see_the_rows_of_their_part_alone() -> None:
    y = np.array([0, 1, 0, 0, 1])
    p = np.array([0.2, 0.9, 1.0, 0.0, 0.0])
    part = np.array([TRAINING, VALIDATION, VALIDATION, TEST, TEST])
    proba = np.column_stack([1 - p, p])
    value = {name: metric(y, proba, part=part) for name, metric in TRIAL_METRICS.items()}
    assert value["validation RMS"] == pytest.approx(math.sqrt((0.1**2 + 1) / 2))
    assert value["test RMS"] == pytest.approx(math.sqrt(1 / 2))
    assert value["validation MXE"] == pytest.approx(-(math.log(0.9) + math.log(CLIP)) / 2)
    assert value["test infinite"] == 1
    assert value["validation ACC"] == value["test ACC"] == 0.5


def trial(setting: str, validation: float, test: float) -> dict[str, object]:
    place = {"problem": "HS", "sample": 1, "algorithm": "KNN", "map": "RAW", "setting": setting}
    figures = {f"validation {metric}": validation for metric in METRIC_NAMES}
    return {
        **place,
        **figures,
        **{f"test {metric}": test for metric in METRIC_NAMES},
        "test infinite": 0,
        "n_test": 100,
    }


def test_models_are_chosen_on_validation_rows_by_each_metric_and_ties_go_to_the_first() -> None:
    chosen = choose_models(pd.DataFrame([trial("a", 0.3, 0.9), trial("b", 0.2, 0.8), trial("c", 0.2, 0.1)])).lines
    by_metric = chosen.set_index("metric")["setting"].to_dict()
    assert by_metric == {"ACC": "a", "AUC": "a", "RMS": "b", "MXE": "b", "CAL": "b"}
    assert chosen.set_index("metric")["test"]["RMS"] == 0.8


def test_a_model_without_a_validation_figure_is_never_chosen() -> None:
    chosen = choose_models(pd.DataFrame([trial("a", math.nan, 0.1), trial("b", 0.4, 0.5)])).lines
    assert set(chosen["setting"]) == {"b"}


def test_the_accuracy_of_raw_svms_is_by_the_sign_of_their_margins() -> None:
    raw = {**trial("linear", 0.3, 0.4), "algorithm": "SVM"}
    sign = {**trial("linear", 0.8, 0.9), "algorithm": "SVM", "map": "sign"}
    found = with_accuracy_by_sign(pd.DataFrame([raw, trial("a", 0.2, 0.1), sign]))
    assert found["test ACC"].tolist() == [0.9, 0.1]
    assert found["test RMS"].tolist() == [0.4, 0.1]


def test_p_over_problems_is_the_paired_t_test_of_scipy() -> None:
    values = np.random.default_rng(0).normal(0.1, 0.2, (1, 5))
    found, expected = ContrastResult.of(values, np.zeros(5)), stats.ttest_1samp(values[0], 0.0)
    low, high = expected.confidence_interval()
    assert (found.p_problems, found.low, found.high) == pytest.approx((expected.pvalue, low, high))
    assert math.isnan(found.p_rows)


def test_p_over_rows_of_one_problem_is_the_t_test_of_scipy_and_grows_with_shared_rows() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.2, (6, 1))
    found = ContrastResult.of(values, np.zeros(1))
    expected = stats.ttest_1samp(values[:, 0], 0.0)
    low, high = expected.confidence_interval()
    assert (found.p_rows, found.low, found.high) == pytest.approx((expected.pvalue, low, high))
    assert ContrastResult.of(values, np.array([0.5])).p_rows > found.p_rows


def test_rank_correlation_is_that_of_scipy_and_its_p_value_exact() -> None:
    one, other = np.array([1, 2, 3, 4, 5, 6, 7]), np.array([2, 1, 3, 5, 4, 7, 6])
    correlation, p_value = rank_correlation(one, other)
    assert correlation == pytest.approx(stats.spearmanr(one, other).statistic)
    assert rank_correlation(one, one) == (1.0, 1 / 5040)
    assert 1 / 5040 < p_value < 0.01


def test_the_full_grid_has_about_2000_models_with_the_settings_of_the_paper() -> None:
    models = [*tree_models(ModelGrid()), *coded_models(ModelGrid())]
    counts = pd.Series([algorithm for algorithm, _, _ in models]).value_counts().to_dict()
    assert counts["BST-DT"] == 10 * 11
    assert counts["BST-STMP"] == 5 * 13
    assert counts["SVM"] == 11 * 11
    assert counts["DT"] == len(STYLES) == 10
    assert counts["KNN"] == 26 * 2 * 5
    assert 1900 <= len(models) <= 2100


def test_the_default_grid_has_20_svms_6_nets_and_two_styles() -> None:
    grid = SCALES["default"].grid
    assert (len(grid.svms), len(grid.nets)) == (20, 6)
    assert (len(grid.bagged_styles), len(grid.boosted_styles)) == (2, 2)
    assert max(grid.boosting_steps) == max(grid.stump_steps) == 1024


def test_the_default_grid_is_what_the_stored_validation_figures_choose() -> None:
    chosen = choose_default_grid(PaperTable.from_csv(STORED / "default_grid.csv"))
    assert set(chosen["BAG-DT"]) == set(BAGGED_STYLES)
    assert set(chosen["BST-DT"]) == set(BOOSTED_STYLES)
    assert set(chosen["ANN"]) == {str(net) for net in NETS}
    assert set(chosen["SVM"]) == {str(svm) for svm in SVMS}


def test_every_system_of_the_tables_is_a_method_of_the_paper() -> None:
    methods = get_paper("caruana-niculescu-mizil-2004").methods()
    assert list(methods) == [f"{row}, {name}" for row in order() for name in ("RAW", "PLATT", "ISOTONIC")]
    assert isinstance(methods["DT, RAW"], ProbabilityTreeClassifier)


def order() -> list[str]:
    return sorted(ALGORITHMS, key=["DT", "BAG-DT", "BST-DT", "BST-STMP", "KNN", "ANN", "SVM"].index)


SLICE = Scale(
    grid=replace(PAPER_MODELS, bag_sizes=(5,), boosting_steps=(2, 8), stump_steps=(4,), epochs=(4,), n_neighbors=(5,)),
    maps=("RAW", "PLATT", "ISOTONIC", "Beta"),
    auto_grid=SCALES["quick"].auto_grid,
    rows=RowNumbers(150, 120, 150),
    n_samples=2,
    problems=("LETTER.P2",),
)


@pytest.mark.long
@pytest.mark.usefixtures("papers_data")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_slice_of_quick_writes_tables_findings_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "quick", SLICE)
    made = reproduce("caruana-niculescu-mizil-2004", size="quick", out=tmp_path, workers=1)
    tables = {each.name: each for each in made.tables}
    cell = tables["table_2"].cell("SVM", "RMS")
    assert cell.published is not None
    assert cell.published.text == "0.3390"
    assert cell.verdict == ""  # means over other problems are never judged
    assert 0 < tables["table_4"].cell("BST-DT", "PLATT", "Squared error").ours < 0.6
    assert {each.name for each in made.findings} >= {"gain-most", "hardly-gain", "beta-better"}
    assert {each.name for each in made.pictures} == {"figure_1", "figure_2", "figure_3", "figure_4"}
    again = {each.name: each.verdict for each in get_paper("caruana-niculescu-mizil-2004").findings(tables)}
    assert again == {each.name: each.verdict for each in made.findings}
    assert (tmp_path / "figure_1.png").stat().st_size > 10_000
