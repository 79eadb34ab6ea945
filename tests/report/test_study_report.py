"""The report of a study: tables, ranks, tests, failures, and studies that are not complete."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.blocks import callouts, facts, figures, paragraphs, tables

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.exceptions import ParameterError
from calibrant.report import Report
from calibrant.studies import Study, StudyResults

RNG = np.random.default_rng(0)
BASE = {"tree": 0.30, "forest": 0.15, "bayes": 0.29}


def results(n_sets=8):
    values = {f"set {i}": [(level + RNG.normal(0, 0.01, 5)).tolist() for level in BASE.values()] for i in range(n_sets)}
    return StudyResults.from_values(values, methods=list(BASE), metric="mse")


def test_means_are_those_of_the_study_with_the_best_marked():
    study = results()
    table = tables(Report.from_study(study), "metric-0")[0]
    frame = study.table("mse")
    assert [row[0] for row in table.rows] == list(frame.index)
    for row, values in zip(table.rows, frame.to_numpy(), strict=True):
        assert [cell.startswith("★") for cell in row[1:]] == [value == values.min() for value in values]
        assert [float(cell.removeprefix("★ ")) for cell in row[1:]] == pytest.approx(values.tolist(), abs=1e-4)


def test_ranks_have_bars_of_the_critical_difference():
    study = results()
    (figure,) = figures(Report.from_study(study), "metric-0").values()
    critical = study.compare("mse", "nemenyi").ranks
    (layer,) = figure.layers
    assert dict(zip(layer.columns["x"], layer.columns["y"], strict=True)) == critical.mean_ranks
    lengths = np.subtract(layer.columns["high"], layer.columns["low"])
    assert lengths == pytest.approx(critical.critical_difference)
    words = " ".join(each.text for each in paragraphs(Report.from_study(study), "metric-0"))
    assert "Not shown to differ by their ranks" in words


def test_differences_and_wins_are_those_of_the_study():
    study = results()
    pairs, wins = tables(Report.from_study(study), "metric-0")[2:]
    found = {frozenset(row[0].split(" and ")): row[1] for row in pairs.rows}
    for pair in study.compare("mse").pairs:
        expected = f"{pair.better} is better" if pair.holds else "not shown to differ"
        assert found[frozenset((pair.a, pair.b))] == expected
    assert [tuple(map(int, row[2:])) for row in wins.rows] == [
        (each.wins, each.ties, each.losses) for each in study.win_tie_loss("mse").records
    ]


def test_the_answer_claims_no_more_than_the_test_shows():
    few = callouts(Report.from_study(results(2)), "answer")[0]
    assert few.kind == "unsure"
    assert "0 of 2 others" in few.detail
    many = callouts(Report.from_study(results(12)), "answer")[0]
    assert (many.kind, "2 of 2 others" in many.detail) == ("good", True)


def test_one_data_set_has_intervals_by_method_where_predictions_are_kept(tmp_path):
    X, y = np.arange(60.0)[:, np.newaxis], np.arange(60) % 3 == 0
    methods = {"bayes": NaiveBayesClassifier(), "base rate": ConstantClassifier()}
    study = Study("s", datasets={"rows": (X, y)}, methods=methods, plan=3, metrics=["mse"], store=tmp_path / "s.db")
    study.run()
    (figure,) = figures(Report.from_study(study), "metric-0").values()
    assert figure.layers[0].columns["x"] == list(methods)
    assert not figures(Report.from_study(results(1)), "metric-0")


def test_a_stored_study_has_status_seed_store_and_failures(tmp_path):
    frame = {"a": ["x", "y"] * 20, "c": ["no", "yes"] * 20}
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(frame).to_csv(tmp_path / "a.csv", index=False)
    methods = {"bayes": "calibrant.bayes.NaiveBayesClassifier", "other": "sklearn.naive_bayes.GaussianNB"}
    study = Study("s", datasets=[tmp_path / "a.csv"], methods=methods, plan=2, store=tmp_path / "s.db")
    study.run()
    report = Report.from_study(study)
    assert callouts(report, "answer")[-1].kind == "warning"
    (failures,) = tables(report, "failures")
    assert failures.rows[0][1:3] == ("other", "2")
    named = facts(report)
    assert named["Seed"] == "0"
    assert named["Store"] == "sqlite:///s.db"


def test_a_metric_that_the_study_does_not_have_is_named():
    with pytest.raises(ParameterError, match="auc"):
        Report.from_study(results(1), metrics=["auc"])
    with pytest.raises(ParameterError, match="confidence"):
        Report.from_study(results(1), confidence=2)


def test_another_test_and_a_reference_are_used():
    report = Report.from_study(results(), test="sign_test", reference="bayes", confidence=0.9)
    pairs = tables(report, "metric-0")[2]
    assert all("bayes" in row[0] for row in pairs.rows)
    assert len(pairs.rows) == 2
