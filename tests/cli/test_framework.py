"""The command line as a whole: help, exit codes, errors, JSON, closed pipes."""

from __future__ import annotations

import importlib
import os
import subprocess
import tomllib
import warnings
from pathlib import Path

import pytest
from tests.cli.command_line import EXECUTABLE, call, execute, run, run_json

from calibrant import exceptions
from calibrant.cli import main


def test_the_help_page_is_printed_by_the_executable_too() -> None:
    done = execute("--help", COLUMNS="80")
    assert (done.returncode, done.stdout) == (0, call("--help", COLUMNS="80").stdout)
    assert "Exit codes" in done.stdout


def test_help_imports_neither_numpy_nor_rich() -> None:
    script = "import sys; from calibrant.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([EXECUTABLE[0], "-c", script], capture_output=True, text=True, timeout=60)
    assert {"numpy", "pandas", "sklearn", "scipy", "rich.table", "matplotlib"} & set(done.stdout.split()) == set()


def test_without_a_command_the_help_page_is_printed_and_the_exit_code_is_2() -> None:
    done = call()
    assert done.returncode == 2
    assert "Exit codes" in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (exceptions.ParameterError("x"), 2),
        (exceptions.SchemaError("x"), 3),
        (exceptions.MissingFileError("x"), 3),
        (exceptions.MissingExtraError("x"), 5),
        (PermissionError("x"), 6),
        (exceptions.StoreError("x"), 6),
        (KeyboardInterrupt(), 130),
        (KeyError("x"), 1),
    ],
)
def test_every_error_has_its_exit_code(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("calibrant.data.list_datasets", fail)
    assert call("datasets", "list").returncode == code


def test_a_misspelled_command_is_a_usage_error_with_a_suggestion() -> None:
    done = call("dataset")
    assert done.returncode == 2
    assert "Did you mean 'datasets'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_in_json_is_one_document_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    error = run_json(capsys, "datasets", "lisst", code=2)["error"]
    assert error["kind"] == "usage"
    assert error["exit_code"] == 2


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "datasets", "lisst", code=2)
    done = call("datasets", "lisst", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


def test_a_closed_pipe_ends_the_command_silently() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*EXECUTABLE, "datasets", "list"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's disk that is always full")
def test_output_that_cannot_be_written_has_its_exit_code() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*EXECUTABLE, "datasets", "list"], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 6
    assert b"No space left" in done.stderr


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')\n")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from calibrant.cli import main; sys.exit(main(['--help']))"
    )
    done = subprocess.run([EXECUTABLE[0], "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 5
    assert 'pip install "calibrant[cli]"' in done.stderr


def test_the_list_of_data_sets_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert "appeal" in {entry["name"] for entry in run_json(capsys, "datasets", "list")}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyError("lost"), 1, "This is a bug in calibrant. Please report it"),
        (MemoryError(), 3, "There is not enough memory."),
        (PermissionError(13, "Permission denied", "x.csv"), 6, "x.csv: Permission denied."),
    ],
)
def test_an_unexpected_error_is_a_message_too(
    error: Exception, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("calibrant.data.list_datasets", fail)
    assert message in run_json(capsys, "datasets", "list", code=code)["error"]["message"]


def test_warnings_are_notes_without_a_line_of_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn(*_: object) -> None:
        warnings.warn("few rows; pass target= for another.", exceptions.LittleDataWarning, stacklevel=1)
        raise exceptions.DataError("no rows.")

    monkeypatch.setattr("calibrant.data.list_datasets", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["datasets", "list"]) == 3
    assert capsys.readouterr().err == "Note: few rows; pass --target for another.\nError: no rows.\n"


def test_the_installed_command_is_main() -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    scripts = tomllib.loads(project.read_text("utf-8"))["project"]["scripts"]
    module, _, name = scripts["calibrant"].partition(":")
    assert getattr(importlib.import_module(module), name) is main
