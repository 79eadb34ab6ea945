"""`calibrant reproduce`: prints what `calibrant.papers.reproduce` returns."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_line import run, run_json
from tests.papers.small_paper import SmallPaper

from calibrant.cli import main
from calibrant.papers._reproduction import paper, reproduce

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def small_paper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A paper that takes a second, in an empty folder."""
    monkeypatch.setitem(paper._CLASSES, "small-paper", ("tests.papers.small_paper", "SmallPaper"))
    monkeypatch.chdir(tmp_path)


def test_findings_and_tables_are_printed(capsys: Capture) -> None:
    assert main(["reproduce", "small-paper", "--quick", "--workers", "1"]) == 0
    printed = capsys.readouterr()
    assert "About 1 minute on this machine" in printed.err
    assert "Bayes wins." in printed.out
    assert "holds" in printed.out
    assert Path("calibrant-small-paper/results.md").read_text().startswith(f"# {SmallPaper.citation}")


@pytest.mark.long
def test_html_is_a_report_of_the_paper(capsys: Capture) -> None:
    run(capsys, "reproduce", "small-paper", "--workers", "1", "--html", "nowhere/a.html", code=6)
    assert not Path("calibrant-small-paper").exists()
    printed = run(capsys, "reproduce", "small-paper", "--workers", "1", "--html", "paper.html")
    assert printed.endswith("Report: paper.html\n")
    assert "Bayes wins." in Path("paper.html").read_text("utf-8")


def test_json_has_every_figure(capsys: Capture) -> None:
    document = run_json(capsys, "reproduce", "small-paper", "--out", "here", "--workers", "1")
    assert document["size"] == "default"
    assert {each["row"] for each in document["tables"]["table_1"]["figures"]} == {"All one", "Naive Bayes"}
    assert document["findings"][0]["verdict"] == "holds"
    assert Path("here/table_1.csv").exists()


def test_quick_and_full_exclude_each_other(capsys: Capture) -> None:
    run(capsys, "reproduce", "small-paper", "--quick", "--full", code=2)


def test_an_unknown_paper_is_named_with_the_known_ones(capsys: Capture) -> None:
    assert main(["reproduce", "breiman-1996"]) == 2
    assert "zadrozny-elkan-2001" in capsys.readouterr().err


def test_the_estimate_is_shorter_with_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "_probe", lambda: reproduce._PROBE_SECONDS)
    assert reproduce.estimate_time("small-paper", "quick", 1) == pytest.approx(1.0)
    assert reproduce.estimate_time("small-paper", "quick", 4) == pytest.approx(0.25)
