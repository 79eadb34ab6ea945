"""The report of a compared table: what it opens with, its ranking, its models, and that names are escaped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calibrant._sections import Callout, DataTable, Definitions, Figure, Paragraph
from calibrant.report import Report
from calibrant.report._comparison_sections import answer_section, top_models
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


def blocks(report, name, kind):
    section = next(each for each in report.sections if each.name == name)
    return [block for block in section.blocks if isinstance(block, kind)]


def test_it_opens_with_the_advice_the_verdict_and_money(report, found):
    assert report.sections[0].name == "answer"
    (lead,) = blocks(report, "answer", Paragraph)
    assert (lead.text, lead.kind) == (found.advice, "lead")
    told = " ".join(f"{each.text} {each.detail}" for each in blocks(report, "answer", Callout))
    assert found.best.method in told
    assert found.verdict.words in told
    assert repr(found.money.now.total) in told


def test_the_ranking_has_every_method_with_its_interval_and_test(report, found):
    ranking, differences = blocks(report, "ranking", DataTable)
    assert [row[0] for row in ranking.rows] == [each.method for each in found.ranking]
    assert {row[0]: row[-1] for row in differences.rows} == {
        pair.b: "yes" if pair.better else "no" for pair in found.comparison.pairs
    }
    (figure,) = blocks(report, "ranking", Figure)
    lows = {layer.columns["x"][0]: layer.columns["low"][0] for layer in figure.layers}
    assert lows == {each.method: each.low for each in found.ranking}


def test_models_are_the_best_methods_on_the_same_rows_without_the_base_rate(report, found):
    assert report.models[0] == found.best.method
    assert set(report.models) == set(METHODS)
    pooled = found.study.predictions("tree")
    one = found.held_out.loc[7]
    same = (pooled.row == one["row"]) & (pooled.split == one["split"])
    assert top_models(found)["tree"][7].tolist() == pooled.y_pred[same][0].tolist()


def test_without_its_store_the_report_has_the_best_method_alone(found):
    class Gone:
        def predictions(self, _method):
            from calibrant.exceptions import StoreError

            raise StoreError("the store is gone")

    assert list(top_models(replace(found, study=Gone()))) == [found.best.method]


def test_how_it_was_made_has_command_seed_and_fingerprint(report):
    (facts,) = blocks(report, "how-made", Definitions)
    named = dict(facts.pairs)
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
    told = [block for block in answer_section(cut).blocks if isinstance(block, Callout)]
    warnings = [each.text for each in told if each.kind == "warning"]
    assert len(warnings) == 2
    assert "fter 3 of 30 splits" in warnings[0]
    assert "no memory" in warnings[1]
