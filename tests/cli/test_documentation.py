"""The examples of the pages on the command line print what the pages show.

Blocks of ``console`` are run one after the other in one folder, which has the tables of ``examples`` at first:
``$ calibrant …`` by `main`, ``$ echo $?`` for the exit code, ``$ cat FILE`` and ``$ head -N FILE`` for a file, which is
made of what is shown if there is none.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command_line import call

from calibrant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "command_line.md"
PAGES = (PAGE, ROOT / "docs" / "your_own_table.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each section of a page with its commands and what they print."""
    section = ""
    for heading, block in re.findall(r"^## ([^\n]+)$|^```console\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        section = heading or section
        if block:
            parts = re.split(r"^\$ ", block, flags=re.M)[1:]
            yield section, [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


class Shell:
    """The few commands of a shell that pages use."""

    code = 0

    def run(self, command: str, shown: str) -> str:
        words = shlex.split(command)
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        if words[0] == "cat":
            if not Path(words[1]).exists():
                Path(words[1]).write_text(shown, "utf-8")
            return Path(words[1]).read_text("utf-8")
        if words[0] == "head":
            return "".join(Path(words[2]).read_text("cp1252").splitlines(True)[: int(words[1].removeprefix("-"))])
        assert words[0] == "calibrant", command
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            self.code = main(words[1:])
        assert isinstance(stream.buffer, io.BytesIO)
        return stream.buffer.getvalue().decode("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_prints_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (ROOT / "examples").glob("*.csv"):
        shutil.copy(table, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALIBRANT_DATA", raising=False)
    monkeypatch.setenv("CALIBRANT_PROGRESS", "0")
    monkeypatch.setenv("COLUMNS", "100")
    checker, shell, wrong = doctest.OutputChecker(), Shell(), []
    for section, commands in blocks(page):
        for command, shown in commands:
            printed = shell.run(command, shown)
            if not checker.check_output(shown, printed, FLAGS):
                wrong.append(f"{section}: $ {command}\n{printed}")
    assert not wrong, "\n\n".join(wrong)


def test_the_page_has_the_exit_codes_and_the_commands_of_the_help_page() -> None:
    text, help_page = PAGE.read_text("utf-8"), call("--help", COLUMNS="100").stdout
    codes = re.findall(r"^  (\d+) +(.+)$", help_page, re.M)
    assert len(codes) > 9
    assert codes == re.findall(r"^\| (\d+) \| (.*) \|$", text.replace("`", ""), re.M)
    commands = re.findall(r"^  (\w+)  +[A-Z]", help_page, re.M)
    assert sorted(commands) == sorted(re.findall(r"^## `calibrant (\w+)", text, re.M))
