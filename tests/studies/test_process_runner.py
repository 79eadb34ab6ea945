"""Trials in local processes are those of one process, and leave nothing behind."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.studies.runner_methods import (
    collect,
    hang,
    job_of,
    lost,
    mean,
    records,
    rows_of,
    run_all,
    run_functions,
    work_of,
    worker_pids,
)

from calibrant._fit_warnings import warn_of_fit
from calibrant.exceptions import CalibrantWarning, StudyError
from calibrant.studies._runners import process_runner, worker_process
from calibrant.studies._runners.process_runner import ProcessRunner
from calibrant.studies._runners.runner import JobEnded, TrialFinished
from calibrant.studies._trials.records import StudyRows, StudyWork, TrialRef


def test_each_trial_is_reported_once_and_before_its_job_ends(start: Any) -> None:
    events = run_all(start(2), [job_of(number, "mean", 3) for number in range(4)])
    assert {key: record.scores["test"]["value"] for key, record in records(events).items()} == {
        f"iris/{number}/mean/{split}": 9.5 + split for number in range(4) for split in range(3)
    }
    for number in range(4):
        own = [event for event in events if event.job.number == number]
        assert [type(event) for event in own] == [TrialFinished] * 3 + [JobEnded]


def test_trials_are_reported_while_their_job_runs(start: Any) -> None:
    runner = start(hang=hang)
    runner.submit(job_of(0, "hang", 2))
    until = time.monotonic() + 20
    while not (events := runner.poll(0.1)) and time.monotonic() < until:
        pass
    assert [type(event) for event in events] == [TrialFinished]


def test_rows_reach_each_worker_once(start: Any) -> None:
    def identity(rows: StudyRows, _: TrialRef) -> float:
        return float(id(rows))

    runner = start(identity=identity)
    events = run_all(runner, [job_of(number, "identity", 2, name) for number, name in enumerate(["a", "b"] * 3)])
    identities = {(record.ref.dataset, record.scores["test"]["value"]) for record in records(events).values()}
    assert len(identities) == 2


def test_rows_arrive_whole_and_can_be_written_to(start: Any) -> None:
    def send_more(name: str) -> StudyRows:
        names = np.array(["x", None, 3], dtype=object)
        return StudyRows(name, "", np.asfortranarray(np.arange(6.0).reshape(3, 2)), names, groups=np.zeros(0))

    def check(rows: StudyRows, _: TrialRef) -> float:
        assert rows.X.tolist() == [[0, 1], [2, 3], [4, 5]]
        assert rows.y.tolist() == ["x", None, 3]
        assert rows.groups is not None
        rows.X[0, 0] = 7.0
        return float(rows.X[0, 0])

    (record,) = records(run_all(start(rows=send_more, check=check), [job_of(0, "check")])).values()
    assert (record.error, record.scores["test"]["value"]) == ("", 7.0)


def test_a_worker_uses_one_thread(start: Any) -> None:
    def n_threads(_: StudyRows, __: TrialRef) -> float:
        from joblib import effective_n_jobs
        from threadpoolctl import threadpool_info

        np.ones((2, 2)) @ np.ones((2, 2))
        return max([effective_n_jobs(-1), *(each["num_threads"] for each in threadpool_info())])

    (record,) = records(run_all(start(n_threads=n_threads), [job_of(0, "n_threads")])).values()
    assert record.scores["test"]["value"] == 1


def test_warnings_reach_this_process_once_each(start: Any) -> None:
    def warn(_: StudyRows, ref: TrialRef) -> float:
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        warn_of_fit("boosting", f"boosting stops in split {ref.split}.")
        return 0.0

    with warnings.catch_warnings(record=True, action="always") as shown:
        runner = start(2, warn=warn)
        run_all(runner, [job_of(number, "warn", 2) for number in range(4)])
        runner.stop()
    assert [(str(each.message), each.category) for each in shown] == [
        ("did not converge", RuntimeWarning),
        ("boosting stops in split 0. This is the first of 8 such fits.", CalibrantWarning),
    ]


def test_filters_of_warnings_hold_in_workers(start: Any) -> None:
    def warn(_: StudyRows, __: TrialRef) -> float:
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        return 0.0

    (record,) = records(run_all(start(warn=warn), [job_of(0, "warn")])).values()  # pytest makes errors of warnings
    assert record.error.endswith("RuntimeWarning: did not converge\n")


def test_what_methods_print_is_dropped(start: Any, capfd: pytest.CaptureFixture[str]) -> None:
    def shout(_: StudyRows, __: TrialRef) -> float:
        print("to Python's output" * 10_000)
        print("to Python's error output" * 10_000, file=sys.stderr)
        os.system("echo from a shell; echo and its errors >&2")  # noqa: S605, S607
        return 1.0

    assert not lost(run_all(start(shout=shout), [job_of(0, "shout", 2)]))
    assert capfd.readouterr() == ("", "")


def test_methods_that_workers_cannot_load_are_an_error() -> None:
    class Unloadable:
        def __reduce__(self) -> Any:
            return (int, ("not a number",))

    runner = ProcessRunner(StudyWork({"bad": Unloadable()}, plan=None), rows_of, workers=1, run_job=run_functions)
    with pytest.raises(StudyError, match="cannot load the methods"):
        run_all(runner, [job_of(0, "bad")])
    runner.stop()
    assert not worker_pids()


def test_methods_that_cannot_be_sent_are_an_error(start: Any) -> None:
    lock = threading.Lock()
    with pytest.raises(StudyError, match="the methods, plan or metrics of the study cannot be sent"):
        start(locked=lambda *_: lock)


def test_a_full_disk_is_an_error_with_the_remedy(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = start()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(worker_process, "_append", fail)
    with pytest.raises(StudyError, match=r"the rows of 'iris' cannot be written .*No space left on device.*TMPDIR"):
        runner.submit(job_of(0, "mean"))


def test_a_process_that_the_system_does_not_start_is_an_error(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(process_runner, "LocalWorker", fail)
    with pytest.raises(StudyError, match=r"Resource temporarily unavailable. Try fewer workers\."):
        run_all(start(), [job_of(0, "mean")])


def test_no_job_can_be_submitted_after_the_stop(start: Any) -> None:
    runner = start()
    runner.stop()
    runner.stop()
    assert runner.poll(0.0) == []
    with pytest.raises(StudyError, match="stopped"):
        runner.submit(job_of(0, "mean"))


def test_a_job_without_trials_ends(start: Any) -> None:
    assert run_all(start(), [job_of(0, "mean", 0)]) == [JobEnded(job_of(0, "mean", 0))]


def test_a_forgotten_runner_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runner = ProcessRunner(work_of(mean=mean), rows_of, workers=1, run_job=run_functions)
    run_all(runner, [job_of(0, "mean")])
    del runner
    gc.collect()
    assert not worker_pids()
    assert not list(tmp_path.iterdir())


def test_stopping_abandons_what_runs(start: Any) -> None:
    runner = start(2, hang=hang)
    for number in range(6):
        runner.submit(job_of(number, "hang", 2))
    collect(runner, 0)
    before = time.monotonic()
    runner.stop()
    assert time.monotonic() - before < 10
