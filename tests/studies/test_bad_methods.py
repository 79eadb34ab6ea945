"""A method that misbehaves costs its own trials: they are recorded with a traceback, and the study goes on."""

from __future__ import annotations

import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies.bad_methods import (
    BaseRates,
    Crashes,
    Exits,
    Forks,
    Hangs,
    LeaksMemory,
    Prints,
    Raises,
    ReadsFile,
    ReturnsWrongly,
)
from tests.studies.bad_study import make_study, scores_of
from tests.studies.runner_methods import worker_pids

from calibrant.resampling import Holdout
from calibrant.studies import Study

PLAN = Holdout(0.5)

linux = pytest.mark.skipif(sys.platform != "linux", reason="signals, forks and limits of memory are a Linux thing")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, int], str]:
    """Return the scores of the good methods."""
    study = make_study(tmp_path_factory.mktemp("expected"))
    study.run()
    return scores_of(study)


def errors_of(study: Study) -> list[str]:
    """Return the tracebacks of the bad method, in the order of the splits."""
    frame = study.to_frame()
    assert (frame[frame["method"] != "bad"]["state"] == "done").all()
    return list(frame[frame["method"] == "bad"]["failure"])


def full_error(study: Study, method: str = "bad") -> str:
    """Return the first traceback of a method as the store has it."""
    columns = study.results().columns
    return str(next(text for text, name in zip(columns["error"], columns["method"], strict=True) if name == method))


# In this process


@pytest.mark.parametrize("kind", ["ValueError", "MemoryError", "RecursionError"])
def test_an_exception_is_recorded_with_its_traceback(tmp_path: Path, expected, kind: str) -> None:
    study = make_study(tmp_path, bad=Raises(kind))
    status = study.run()
    assert (status.n_done, status.n_failed) == (6, 3)
    assert scores_of(study) == expected
    assert all(f"{kind}: no {kind} today: ü" in error for error in errors_of(study))
    assert full_error(study).startswith("Traceback")
    assert "in misbehave" in full_error(study)


@pytest.mark.parametrize(
    "what", ["nan", "one column", "too many columns", "too few rows", "no array", "above 1", "negative"]
)
def test_wrong_probabilities_are_recorded_as_a_failure(tmp_path: Path, expected, what: str) -> None:
    study = make_study(tmp_path, bad=ReturnsWrongly(what))
    study.run()
    assert all("Error" in error for error in errors_of(study))
    assert scores_of(study) == expected


def test_a_method_that_exits_python_is_recorded_as_a_failure(tmp_path: Path, expected) -> None:
    study = make_study(tmp_path, bad=Raises("SystemExit"))
    study.run()
    assert all("SystemExit" in error for error in errors_of(study))
    assert scores_of(study) == expected


def test_a_keyboard_interrupt_ends_the_run_and_loses_nothing(tmp_path: Path, expected) -> None:
    study = make_study(tmp_path, bad=Raises("KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        study.run()
    assert (study.status().n_running, study.status().workers) == (0, ())
    good = make_study(tmp_path)
    good.run(update=True)
    assert scores_of(good) == expected


@linux
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize(("child", "workers"), [("returns", None), ("raises", None), ("exits", None), ("exits", 1)])
@pytest.mark.sample(3)
def test_the_child_of_a_method_that_forks_records_nothing(tmp_path: Path, expected, child: str, workers) -> None:
    study = make_study(tmp_path, bad=Forks(child))
    status = study.run(workers=workers)
    assert (status.n_done, status.n_failed, status.n_computed_twice) == (9, 0, 0)
    with closing(sqlite3.connect(tmp_path / "studies.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM calibrant_workers").fetchall() == [(1,)]
    assert {name: value for name, value in scores_of(study).items() if name[1] != "bad"} == expected


def test_a_method_may_print(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    study = make_study(tmp_path, bad=Prints())
    study.run()
    assert capfd.readouterr().out.count("noise\n") == 3
    assert errors_of(study) == [""] * 3


# In local processes


@linux
def test_what_a_method_prints_in_a_worker_is_dropped(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    study = make_study(tmp_path, bad=Prints())
    study.run(workers=1)
    assert "noise" not in "".join(capfd.readouterr())
    assert errors_of(study) == [""] * 3


@pytest.mark.long
@linux
def test_methods_that_exceed_a_limit_or_exit_fail_alone(tmp_path: Path) -> None:
    bad = {
        "hangs": (Hangs(), r"time limit|time_limit"),
        "leaks": (LeaksMemory(), r"memory limit|memory_limit"),
        "exits": (Raises("SystemExit"), "SystemExit"),
        "interrupts": (Raises("KeyboardInterrupt"), "KeyboardInterrupt"),
    }
    methods = {name: method for name, (method, _) in bad.items()}
    study = make_study(tmp_path, methods=methods | {"rates": BaseRates()}, plan=PLAN)
    status = study.run(workers=1, time_limit=3.0, memory_limit="400 MB")
    assert (status.n_done, status.n_failed) == (1, 4)
    for name, (_, reason) in bad.items():
        assert re.search(reason, full_error(study, name)), name
    assert not worker_pids()


@linux
@pytest.mark.long
@pytest.mark.parametrize(("method", "reason"), [(Exits(), "exited with code 7"), (Crashes(), "SIGSEGV")])
def test_a_method_that_ends_its_worker_fails_alone(tmp_path: Path, method, reason: str) -> None:
    study = make_study(tmp_path, bad=method, plan=PLAN)
    status = study.run(workers=1)
    assert (status.n_done, status.n_failed) == (2, 1)
    assert re.search(f"(?s)the worker died 3 times.*{reason}", full_error(study))
    assert not worker_pids()


# Failed trials are run again on request


def test_failed_trials_run_again_when_the_method_was_repaired(tmp_path: Path) -> None:
    switch = tmp_path / "switch"
    switch.write_text("broken")
    study = make_study(tmp_path, bad=ReadsFile(str(switch)))
    assert study.run().n_failed == 3
    before = study.to_frame()
    switch.write_text("repaired")
    assert study.run().n_failed == 3
    assert study.run(retry=True).is_complete
    after = study.to_frame()
    kept = before["state"] == "done"
    assert after[after["method"] != "bad"]["recorded"].tolist() == before[kept]["recorded"].tolist()
    assert study.run(retry=True).is_complete


def test_a_method_that_fails_again_is_recorded_again(tmp_path: Path) -> None:
    study = make_study(tmp_path, bad=Raises())
    study.run()
    assert study.run(retry=True).n_failed == 3
    assert len(study.to_frame()) == 9
