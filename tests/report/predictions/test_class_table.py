"""More than two classes: a table that leads to the page of each class, and the figures on these pages."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score
from tests.report.blocks import paragraphs, report_of, tables

RNG = np.random.default_rng(0)
P = RNG.dirichlet([2, 2, 2], 300)
Y = np.array(["a", "b", "c"])[[RNG.choice(3, p=row) for row in P]]


def test_the_table_has_frequency_mean_and_area_of_each_class():
    (table,) = tables(report_of(Y, P), "classes")
    name, rows, rate, mean, area, _ = table.rows[1]
    assert (name, rows) == ("b", str((Y == "b").sum()))
    assert (rate, mean) == (f"{100 * (Y == 'b').mean():.0f} %", f"{100 * P[:, 1].mean():.0f} %")
    assert area.startswith(f"{roc_auc_score(Y == 'b', P[:, 1]):.3f}\n")
    assert table.links == ("#page-1", "#page-2", "#page-3")
    assert '<a href="#page-2">b</a>' in table.html()


def test_two_classes_need_no_table():
    assert "classes" not in {each.name for each in report_of([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4]).sections}


def test_of_very_many_classes_the_most_frequent_have_a_page():
    y = np.r_[np.repeat(np.arange(30), 3), 30, 31]
    report = report_of(y, np.full((92, 32), 1 / 32), n_boot=10)
    assert len(tables(report, "classes")[0].rows) == len({each.page for each in report.sections} - {""}) == 30
    (note,) = paragraphs(report, "classes")
    assert note.text == "The 30 most frequent classes have a page; 2 other classes have none."


def test_each_class_has_all_figures_on_its_page_with_short_tables_of_numbers():
    random = np.random.default_rng(0)
    sections = report_of(np.arange(120) % 6, random.dirichlet(np.ones(6), 120)).sections
    pages = [section.page for section in sections if section.page]
    assert list(dict.fromkeys(pages)) == ["0", "1", "2", "3", "4", "5"]
    assert pages.count("0") == 7
    assert len({section.name for section in sections}) == len(sections)
    figures = [block for section in sections for block in section.blocks if section.page and hasattr(block, "layers")]
    assert {figure.most_rows for figure in figures} == {33}
