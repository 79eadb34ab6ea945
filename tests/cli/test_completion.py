"""Completion by the shell: commands, columns of the table, metrics, data sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pandas as pd
import pytest
from tests.cli.command_line import call, execute


def complete(words: str, cwd: Path | None = None, by: Callable[..., CompletedProcess[str]] = call) -> list[str]:
    """Return the completions that bash offers for the last of some words."""
    number = str(len(words.split(" ")) - 1)
    done = by(cwd=cwd, COMP_WORDS=words, COMP_CWORD=number, _CALIBRANT_COMPLETE="complete_bash")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_commands_are_completed() -> None:
    assert complete("calibrant ev", by=execute) == ["evaluate"]


@pytest.mark.parametrize("name", ["pred.csv", "pred.parquet"])
def test_columns_of_the_table_are_completed(name: str, pred: Path, predictions: pd.DataFrame) -> None:
    predictions.to_parquet("pred.parquet")
    assert complete(f"calibrant evaluate {name} --by r", pred.parent) == ["region"]


def test_columns_are_completed_after_a_name(pred: Path) -> None:
    assert complete("calibrant evaluate pred.csv --proba new=r", pred.parent) == ["new=region"]


def test_metrics_are_completed() -> None:
    assert complete("calibrant evaluate x.csv --metric calib") == ["calibration_slope", "calibration_intercept"]


def test_papers_are_completed() -> None:
    assert complete("calibrant reproduce ni") == ["nielsen-2004"]


@pytest.mark.parametrize("option", ["target", "proba", "by", "groups", "id", "weight", "amount"])
def test_columns_are_completed_for_every_option_of_a_report(option: str, pred: Path) -> None:
    assert complete(f"calibrant report pred.csv --html out.html --{option} reg", pred.parent) == ["region"]


def test_a_table_that_cannot_be_read_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(b"\xff\xfe\x00")
    assert complete("calibrant evaluate bad.csv --by r", tmp_path) == []


def test_completion_is_installed_for_a_shell(tmp_path: Path) -> None:
    done = call("--install-completion", "bash", HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "_CALIBRANT_COMPLETE" in (tmp_path / ".bash_completions" / "calibrant.sh").read_text()
    assert "_CALIBRANT_COMPLETE" in call("--show-completion", "zsh").stdout
