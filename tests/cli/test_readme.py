"""README.md shows what `calibrant compare` prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.command_line import execute

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
COMMAND, SHOWN = re.search(r"```console\n\$ calibrant (.*?)\n(.*?)```", README, re.S).groups()


def words(text):
    """Return the words of an output without the seconds, which differ from run to run, and without its rules."""
    rows = [re.sub(r"\b\d+\.\d\d\s*$", "", line) for line in text.splitlines()]
    joined = " ".join(" ".join(rows).replace("─", "").split())
    return re.sub(r"[\d.]+(?= s for a fit)|\d+(?= times faster)", "", joined).split()


def test_the_readme_is_short_and_opens_with_the_main_job():
    assert len(README.splitlines()) <= 120
    assert COMMAND.startswith("compare ")
    assert README.index("```console") < 400


@pytest.mark.long
def test_the_output_is_the_real_one(tmp_path):
    assert execute("datasets", "fetch", "appeal", cwd=tmp_path).returncode == 0
    done = execute(*COMMAND.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert words(done.stdout) == words(SHOWN)
