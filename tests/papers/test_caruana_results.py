"""The stored results of Caruana & Niculescu-Mizil (2004): each finding follows from the tables beside it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from calibrant.papers import PaperTable, get_paper

STORED = Path(__file__).parents[2] / "docs" / "papers" / "caruana_niculescu_mizil_2004"
PAPER = get_paper("caruana-niculescu-mizil-2004")
MAPS = ("PLATT", "ISOTONIC")


def stored_tables() -> dict[str, PaperTable]:
    return {path.stem: PaperTable.from_csv(path) for path in STORED.glob("*.csv") if path.stem != "findings"}


def test_stored_findings_follow_from_the_stored_tables() -> None:
    with (STORED / "findings.csv").open(encoding="utf-8", newline="") as file:
        stored = {line["name"]: (line["verdict"], line["evidence"]) for line in csv.DictReader(file)}
    found = PAPER.findings(stored_tables())
    assert {each.name: (each.verdict, each.evidence) for each in found} == stored
    named = {"gain-most", "boosted-trees-best", "svms-next-best", "hardly-gain", "best-before", "away-from-ends"}
    assert named <= set(stored)


def test_stored_tables_show_what_the_verdicts_say() -> None:
    tables = stored_tables()
    verdicts = {each.name: each.verdict for each in PAPER.findings(tables)}
    for name, rows in (("boosted-trees-best", ["BST-DT"]), ("svms-next-best", ["SVM"])):
        ranks = {tables["orderings"].cell(row, "our rank", f"RMS, {each}").ours for row in rows for each in MAPS}
        assert verdicts[name] != "holds" or max(ranks) <= 2
    raw, platt = (tables["table_4"].cell("BST-DT", each, "Squared error").ours for each in ("RAW", "PLATT"))
    assert tables["changes"].cell("BST-DT", "RMS, PLATT").ours == pytest.approx(platt - raw)


def test_published_changes_are_differences_of_table_4() -> None:
    change = stored_tables()["changes"].cell("SVM", "MXE, ISOTONIC").published
    assert change is not None
    assert change.text == "-0.1783"
