"""``--html FILE``: checked before the work, written whole."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.cli.command_line import call

from calibrant.report import Report


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("y,p\n")
    Path("folder.html").mkdir()


def report(path: str, table: str = "missing.csv") -> CompletedProcess[str]:
    """Ask for a report on a table, by default one that does not exist: an error of the file is found before it."""
    return call("report", table, "--target", "y", "--proba", "p", "--html", path)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/a.html", "Make the folder first"),
        ("folder.html", "Is a directory"),
        ("table.csv/a.html", "Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_reported_before_the_work(path: str, message: str) -> None:
    done = report(path)
    assert (done.returncode, message in done.stderr) == (6, True)


@pytest.mark.parametrize("path", ["table.csv", "-", "report"])
def test_a_file_that_is_no_html_is_a_usage_error(path: str) -> None:
    done = report(path)
    assert (done.returncode, "must be a file" in done.stderr) == (2, True)


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_is_reported_with_the_command_that_installs_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    done = report("a.html")
    assert done.returncode == 5
    assert f'{package} is needed to make a report: pip install "calibrant[report]"' in done.stderr


def test_the_check_leaves_an_older_file_and_no_other() -> None:
    Path("a.html").write_text("older")
    before = set(Path().iterdir())
    assert "missing.csv: no such file" in report("a.html").stderr
    assert Path("a.html").read_text() == "older"
    assert set(Path().iterdir()) == before


def test_a_page_that_cannot_be_made_leaves_the_older_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.html").write_text("older")
    Path("p.csv").write_text("y,p\n" + "no,0.2\nyes,0.7\n" * 30)
    monkeypatch.setattr(Report, "from_predictions", lambda *_, **__: Report("Nothing", ()))
    monkeypatch.setattr(Report, "to_html", lambda _: 1 / 0)
    assert report("a.html", "p.csv").returncode == 1
    assert Path("a.html").read_text() == "older"
    monkeypatch.setattr(Report, "to_html", lambda _: "<p>é")
    assert report("a.html", "p.csv").returncode == 0
    assert Path("a.html").read_bytes() == "<p>é".encode()
