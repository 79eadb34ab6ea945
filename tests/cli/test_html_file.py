"""``--html FILE``: checked before the work, written whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer

from calibrant.cli._app.errors import CANNOT_WRITE, CommandError
from calibrant.cli._app.files import check_html, save_report
from calibrant.exceptions import MissingExtraError
from calibrant.report import Report


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("y,p\n")
    Path("folder.html").mkdir()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/a.html", "Make the folder first"),
        ("folder.html", "Is a directory"),
        ("table.csv/a.html", "Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_reported_before_the_work(path: str, message: str) -> None:
    with pytest.raises(CommandError, match=message) as raised:
        check_html(path)
    assert raised.value.exit_code == CANNOT_WRITE


@pytest.mark.parametrize("path", ["table.csv", "-", "report"])
def test_a_file_that_is_no_html_is_a_usage_error(path: str) -> None:
    with pytest.raises(typer.BadParameter, match="must be a file"):
        check_html(path)


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_is_reported_with_the_command_that_installs_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf'{package} is needed to make a report: pip install "calibrant\[rep'):
        check_html("a.html")


def test_the_check_leaves_an_older_file_and_no_other() -> None:
    Path("a.html").write_text("older")
    before = set(Path().iterdir())
    check_html("a.html")
    check_html(None)
    assert Path("a.html").read_text() == "older"
    assert set(Path().iterdir()) == before


def test_a_page_that_cannot_be_made_leaves_the_older_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.html").write_text("older")
    monkeypatch.setattr(Report, "to_html", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_report(Report("Nothing", ()), "a.html")
    assert Path("a.html").read_text() == "older"
    monkeypatch.setattr(Report, "to_html", lambda _: "<p>é")
    assert save_report(Report("Nothing", ()), "a.html") == 5
    assert Path("a.html").read_bytes() == "<p>é".encode()
