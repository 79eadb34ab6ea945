"""The report of a reproduced paper: findings with verdicts first, published figures beside ours, pictures."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from tests.report.blocks import callouts, paragraphs, section, tables

from calibrant.papers import Cell, Finding, PaperTable, Picture, Published, Reproduction
from calibrant.report import Report

CELLS = (
    Cell("Laplace", "MSE", 0.2001, Published("0.20"), error=0.01),
    Cell("Raw", "MSE", 0.35, Published("0.30"), error=0.001, why="Another split."),
    Cell("Raw", "profit", 14741.2, Published("$14,741"), error=100.0),
    Cell("Raw", "rows", 1234.5, low=1000.0, high=1500.0),
)
FINDINGS = (
    Finding("a", "Laplace helps.", "holds", "0.2 against 0.35.", "Table 1", "Use m."),
    Finding("b", "Raw wins <script>.", "does not hold", "0.35 against 0.2.", "page 3"),
    Finding("c", "Both are quick.", "undecided", "1 s and 1 s.", "page 4"),
)


@pytest.fixture(scope="module")
def report():
    figure = Figure()
    figure.subplots().plot([0, 1], [1, 0])
    table = PaperTable("table_1", "Table 1: MSE", CELLS, note="On test rows.")
    pictures = (Picture("figure_1", "A falling line.", figure),)
    made = Reproduction("a-paper", "A. Author (2000)", "quick", 10, 1.5, (table,), FINDINGS, pictures)
    return Report.from_reproduction(made, command="calibrant reproduce a-paper --quick")


def test_findings_come_first_with_their_verdicts(report):
    lead, about = paragraphs(report, "answer")
    told = callouts(report, "answer")
    assert lead.text == "Of 3 findings 1 holds, 1 does not, 1 cannot be decided by our figures."
    assert "A. Author (2000)" in about.text
    assert [each.kind for each in told] == ["good", "bad", "unsure"]
    assert "Use m." in told[0].detail
    assert "<script>" not in report._repr_html_()


def test_published_figures_stand_beside_ours(report):
    (table,) = tables(report, "table-1")
    assert [column.name for column in table.columns][1:4] == ["MSE: paper", "ours", "difference"]
    assert table.rows[0][1:4] == ("0.20", "0.20", "0.00")
    assert table.rows[1] == ("Raw", "0.30", "0.35", "* 0.05", "$14,741", "14,741", "0", "1,234 [1,000, 1,500]")
    notes = " ".join(each.text for each in paragraphs(report, "table-1"))
    assert "2 of 3 figures agree" in notes
    assert "Another split." in notes
    assert "On test rows." in notes


def test_pictures_are_small_and_described(report):
    (picture,) = section(report, "figures").blocks
    assert picture.png.startswith(b"\x89PNG")
    assert len(picture.png) < 60_000
    assert picture.description == "A falling line."
