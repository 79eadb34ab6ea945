"""The report of a compared table: what it opens with, its ranking, its models, and that names are escaped."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.report.blocks import callouts, facts, figures, paragraphs, tables

from calibrant.exceptions import StoreError
from calibrant.metrics import log_loss
from calibrant.report import Report
from calibrant.studies import compare_table

COSTS = {"no": {"leave": 0, "write": 1}, "yes": {"leave": 0, "write": -3}}
METHODS = ["naive Bayes", "logistic regression", "tree"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    rng = np.random.default_rng(0)
    x = rng.normal(size=240)
    frame = pd.DataFrame({"x": x, "<b>town</b>": rng.choice(["Bern", "Rome"], 240)})
    frame["y"] = np.where(x + rng.normal(size=240) > 0, "yes", "no")
    store = tmp_path_factory.mktemp("compare") / "s.db"
    return compare_table(frame, methods=METHODS, store=store, costs=COSTS)


@pytest.fixture(scope="module")
def report(found):
    return Report.from_comparison(found, command="calibrant compare table.csv")


def test_it_opens_with_the_advice_the_verdict_and_money(report, found):
    assert report.sections[0].name == "answer"
    (lead,) = paragraphs(report, "answer")
    assert (lead.text, lead.kind) == (found.advice, "lead")
    told = " ".join(f"{each.text} {each.detail}" for each in callouts(report, "answer"))
    assert found.best.method in told
    assert found.verdict.words in told
    assert repr(found.money.now.total) in told


def test_the_ranking_has_every_method_with_its_interval_and_test(report, found):
    ranking, differences = tables(report, "ranking")
    assert [row[0] for row in ranking.rows] == [each.method for each in found.ranking]
    assert {row[0]: row[-1] for row in differences.rows} == {
        pair.b: "yes" if pair.better else "no" for pair in found.comparison.pairs
    }
    (figure,) = figures(report, "ranking").values()
    lows = {layer.columns["x"][0]: layer.columns["low"][0] for layer in figure.layers}
    assert lows == {each.method: each.low for each in found.ranking}


def test_models_are_the_best_methods_on_the_same_rows_without_the_base_rate(report, found):
    assert report.models[0] == found.best.method
    assert set(report.models) == set(METHODS)
    (table,) = tables(report, "score-card")
    losses = next(row for row in table.rows if "log-loss" in row[0])
    held_out = set(zip(found.held_out["row"], found.held_out["split"], strict=True))
    for column, cell in zip(table.columns[1:], losses[1:], strict=True):
        pooled = found.study.predictions(column.model)
        kept = [key in held_out for key in zip(pooled.row, pooled.split, strict=True)]
        assert cell.startswith(f"{log_loss(pooled.y_true[kept], pooled.y_pred[kept]):.4f}\n")


def test_without_its_store_the_report_has_the_best_method_alone(found):
    def predictions(_method):
        raise StoreError("the store is gone")

    known = {name: getattr(found.study, name) for name in ("definition", "name", "store")}
    gone = replace(found, study=SimpleNamespace(**known, predictions=predictions))
    assert Report.from_comparison(gone).models == (found.best.method,)


def test_how_it_was_made_has_command_seed_and_fingerprint(report):
    named = facts(report)
    assert named["Seed"] == "0"
    assert len(named["Fingerprint of the table"]) >= 16
    assert "calibrant" in named["Versions"]
    assert "calibrant compare table.csv" in report._repr_html_()


def test_names_of_sections_and_figures_are_unique(report):
    names = [(each.page, each.name) for each in report.sections]
    assert len(names) == len(set(names))


def test_markup_in_names_is_escaped(report):
    assert "<b>town" not in report._repr_html_()


def test_an_unfinished_comparison_says_so(found):
    cut = replace(found, ended="time limit", n_splits=3, left_out={"forest": "failed: no memory"})
    warnings = [each.text for each in callouts(Report.from_comparison(cut), "answer") if each.kind == "warning"]
    assert len(warnings) == 2
    assert "fter 3 of 30 splits" in warnings[0]
    assert "no memory" in warnings[1]
