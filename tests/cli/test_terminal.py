"""Commands print to narrow and wide terminals, to pipes and without colours; nothing is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_line import call, execute, run
from tests.cli.terminal import in_terminal

from calibrant.cli._app import printing

EVALUATE = ("evaluate", "pred.csv", "--target", "y", "--proba", "p", "--proba", "another_model=q", "--by", "region")
EVALUATE += ("--metric", "log_loss", "--metric", "calibration_intercept", "--metric", "ece", "--confidence", "0.9")
LIST = ("datasets", "list")


def words(text: str) -> set[str]:
    return {word for word in text.split() if not word.startswith("─")}


@pytest.mark.parametrize(("width", "args"), [(60, EVALUATE), (60, LIST), (100, LIST), (200, LIST)])
@pytest.mark.long
def test_a_terminal_of_any_width_shows_every_word(
    width: int, args: tuple[str, ...], pred: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    piped = run(capsys, *args)
    shown = in_terminal(*args, width=width, cwd=pred.parent, NO_COLOR="1")
    assert words(shown) == words(piped)
    assert max(map(len, shown.splitlines())) <= width
    assert "\x1b" not in shown


@pytest.mark.usefixtures("pred")
def test_a_pipe_gets_tables_that_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, *EVALUATE).splitlines()
    (header,) = [line for line in lines if line.startswith("metric ") and "another_model −" not in line]
    (row,) = [line for line in lines if line.startswith("calibration_intercept") and line.count("(") == 2]
    assert header.split() == ["metric", "p", "another_model"]
    assert len(row) > 60


def test_colors_are_for_terminals_that_want_them(tmp_path: Path) -> None:
    assert "\x1b[1m" in in_terminal(*LIST, width=80, cwd=tmp_path)
    assert "\x1b" not in in_terminal(*LIST, width=80, cwd=tmp_path, NO_COLOR="1")
    assert "\x1b" not in call(*LIST, NO_COLOR="").stdout


@pytest.mark.parametrize("width", [40, 60, 200])
def test_help_fits_the_terminal(width: int, tmp_path: Path) -> None:
    for args in (["--help"], ["evaluate", "--help"]):
        shown = in_terminal(*args, width=width, cwd=tmp_path, NO_COLOR="1")
        examples = [line for line in shown.splitlines() if line.startswith("  $ ")]
        assert examples
        long = [line for line in shown.splitlines() if len(line) > width and line not in examples]
        assert long == []


def test_an_encoding_that_lacks_a_character_is_no_error() -> None:
    done = execute("datasets", "describe", "appeal", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "90.8% ????" in done.stdout


def printed_table(
    columns: list[str], row: list[str], width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    monkeypatch.setattr(printing, "_terminal_width", lambda _: width)
    printing.print_table(columns, [row], left=["name", "note"])
    return capsys.readouterr().out.splitlines()


def test_a_table_too_wide_is_printed_in_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, row = ["name", *(f"metric_{number}" for number in range(9))], ["a", *("0.1234" for _ in range(9))]
    lines = printed_table(columns, row, 40, monkeypatch, capsys)
    assert max(map(len, lines)) <= 40
    assert sum(line.startswith("name") for line in lines) == 3
    assert " ".join(lines).count("0.1234") == 9


def test_the_widest_text_is_wrapped_between_words_where_that_suffices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed_table(["name", "value", "note"], ["a", "0.1234", "some words about it"], 30, monkeypatch, capsys)
    assert lines == ["name   value  note", "─" * 30, "a     0.1234  some words about", "              it"]


def test_a_column_alone_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed_table(["name"], ["a"], 30, monkeypatch, capsys) == ["name", "────", "a"]


def test_wide_characters_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    printing.print_table(["name", "n"], [["日本", "1"], ["abcd", "2"]], left=["name"])
    header, _, *rows = capsys.readouterr().out.splitlines()
    assert rows == ["日本  1", "abcd  2"]
    assert header == "name  n"
