"""More than two classes: a table that leads to the page of each class, and the figures on these pages."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score
from tests.report.predictions.figures_of import data_of

from calibrant.report._predictions.score_card import class_table_section
from calibrant.report._predictions.section_list import sections_of

RNG = np.random.default_rng(0)
P = RNG.dirichlet([2, 2, 2], 300)
Y = np.array(["a", "b", "c"])[[RNG.choice(3, p=row) for row in P]]


def test_the_table_has_frequency_mean_and_area_of_each_class():
    section = class_table_section(data_of(Y, P))
    assert section is not None
    (table,) = section.blocks
    name, rows, rate, mean, area, _ = table.rows[1]
    assert (name, rows) == ("b", str((Y == "b").sum()))
    assert (rate, mean) == (f"{100 * (Y == 'b').mean():.0f} %", f"{100 * P[:, 1].mean():.0f} %")
    assert area.startswith(f"{roc_auc_score(Y == 'b', P[:, 1]):.3f}\n")
    assert table.links == ("#page-1", "#page-2", "#page-3")
    assert '<a href="#page-2">b</a>' in table.html()


def test_two_classes_need_no_table():
    assert class_table_section(data_of([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4])) is None


def test_of_very_many_classes_the_most_frequent_have_a_page():
    y = np.r_[np.repeat(np.arange(30), 3), 30, 31]
    section = class_table_section(data_of(y, np.full((92, 32), 1 / 32)))
    assert section is not None
    table, note = section.blocks
    assert len(table.rows) == 30
    assert note.text == "The 30 most frequent classes have a page; 2 other classes have none."


def test_each_class_has_all_figures_on_its_page_with_short_tables_of_numbers():
    random = np.random.default_rng(0)
    data = data_of(np.arange(120) % 6, random.dirichlet(np.ones(6), 120))
    sections = sections_of(data)
    pages = [section.page for section in sections if section.page]
    assert list(dict.fromkeys(pages)) == ["0", "1", "2", "3", "4", "5"]
    assert pages.count("0") == 7
    assert len({section.name for section in sections}) == len(sections)
    figures = [block for section in sections for block in section.blocks if section.page and hasattr(block, "layers")]
    assert {figure.most_rows for figure in figures} == {33}
    assert {page.n_pages for page in data.class_pages()} == {6}
