"""Workers that die, fork, exit or are interrupted cost their own job at most; nothing is left behind."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.studies.runner_methods import (
    gone,
    job_of,
    leave,
    linux,
    lost,
    posix,
    records,
    run_all,
    worker_pids,
)

from calibrant.studies._runners.runner import JobEnded, JobLost, TrialFinished
from calibrant.studies._trials.records import StudyRows, TrialRef

SLEEP = shutil.which("sleep") or "sleep"
ROOT = Path(__file__).parents[2]


def die(_: StudyRows, __: TrialRef) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


def crash(_: StudyRows, __: TrialRef) -> float:
    return float(ctypes.string_at(0)[0])


@posix
@pytest.mark.parametrize(("method", "reason"), [(die, "SIGKILL"), (leave, "exited with code 3"), (crash, "SIGSEGV")])
@pytest.mark.sample(3)
def test_a_dead_worker_costs_its_job_only(start: Any, method: Any, reason: str) -> None:
    runner = start(2, method=method)
    jobs = [job_of(number, "method" if number == 2 else "mean", 2) for number in range(8)]
    events = run_all(runner, jobs)
    ((job, why),) = [(event.job, event.reason) for event in lost(events)]
    assert job.number == 2
    assert reason in why
    assert len(records(events)) == 14


def test_the_reason_of_a_loss_has_the_error_output(start: Any) -> None:
    def explain(_: StudyRows, __: TrialRef) -> float:
        os.write(2, b"double free or corruption\n")
        os._exit(6)

    assert "double free or corruption" in lost(run_all(start(explain=explain), [job_of(0, "explain")]))[0].reason


@posix
def test_a_lost_job_has_reported_what_it_finished(start: Any) -> None:
    events = run_all(start(leave=leave), [job_of(0, "mean leave", 1)])
    assert list(records(events)) == ["iris/0/mean/0"]
    assert len(lost(events)) == 1


@posix
def test_an_idle_worker_that_dies_is_replaced_silently(start: Any) -> None:
    runner = start()
    run_all(runner, [job_of(0, "mean")])
    os.kill(worker_pids()[0], signal.SIGKILL)
    events = run_all(runner, [job_of(1, "mean")])
    assert [type(event) for event in events] == [TrialFinished, JobEnded]


@posix
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_process_that_a_method_forks_reports_nothing(start: Any) -> None:
    def fork(_: StudyRows, __: TrialRef) -> float:
        return float(os.fork())

    found = records(run_all(start(fork=fork), [job_of(0, "fork mean", 3)]))
    assert len(found) == 6
    assert all(record.scores["test"]["value"] > 0 for record in found.values())


@pytest.mark.sample(2)
@posix
@pytest.mark.parametrize("leaves_its_group", [False, True])
def test_processes_that_a_method_leaves_running_end_with_the_worker(start: Any, leaves_its_group: bool) -> None:
    def spawn(_: StudyRows, __: TrialRef) -> float:
        return subprocess.Popen([SLEEP, "600"], start_new_session=leaves_its_group).pid

    runner = start(spawn=spawn)
    (record,) = records(run_all(runner, [job_of(0, "spawn")])).values()
    pid = int(record.scores["test"]["value"])
    assert psutil.pid_exists(pid)
    runner.stop()
    assert gone(pid)


@posix
def test_a_dead_worker_is_noticed_while_a_process_that_it_forked_lives_on(start: Any) -> None:
    def fork_and_die(_: StudyRows, __: TrialRef) -> float:
        subprocess.Popen([SLEEP, "600"], close_fds=False)
        os._exit(4)

    assert "code 4" in lost(run_all(start(fork_and_die=fork_and_die), [job_of(0, "fork_and_die")]))[0].reason


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_method_that_exits_fails_alone(start: Any, error: type[BaseException]) -> None:
    def leave_early(_: StudyRows, ref: TrialRef) -> float:
        if ref.split == 1:
            raise error
        return 1.0

    found = records(run_all(start(leave_early=leave_early), [job_of(0, "mean leave_early", 3)]))
    assert [key for key, record in found.items() if record.error] == ["iris/0/leave_early/1"]
    assert error.__name__ in found["iris/0/leave_early/1"].error
    assert len(found) == 6


def test_a_method_that_closes_every_file_loses_its_job(start: Any) -> None:
    def close(_: StudyRows, __: TrialRef) -> float:
        os.closerange(0, 256)
        time.sleep(60)
        return 0.0

    assert len(lost(run_all(start(close=close), [job_of(0, "close")]))) == 1


SCRIPT = """
    import os, sys, time
    sys.path.insert(0, {root!r})
    from tests.studies.runner_methods import job_of, rows_of, run_functions, work_of
    from calibrant.studies._runners.process_runner import ProcessRunner

    class Sleeper:  # of __main__
        def __call__(self, rows, ref):
            if ref.split == 0:
                return 1.0
            {sleep}

    runner = ProcessRunner(work_of(sleeper=Sleeper()), rows_of, workers=2, run_job=run_functions)
    try:
        for number in range(3):
            runner.submit(job_of(number, "sleeper", 2))
        finished = 0
        while True:
            finished += len(runner.poll(0.1))
            if finished == 2:
                print("running", flush=True)
    finally:
        runner.stop()
"""


def running_script(folder: Path, sleep: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a study in a process group of its own; return it and its descendants."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(root=str(ROOT), sleep=sleep)))
    (folder / "tmp").mkdir()
    env = os.environ | {"TMPDIR": str(folder / "tmp"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    return process, [each.pid for each in psutil.Process(process.pid).children(recursive=True)]


@posix
def test_ctrl_c_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    process, descendants = running_script(tmp_path, "time.sleep(60)")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=30)
    assert gone(*descendants)
    assert errors.count("Traceback") == 1
    assert errors.endswith("KeyboardInterrupt\n")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.sample(2)
@linux
@pytest.mark.parametrize("sleep", ["time.sleep(60)", "__import__('ctypes').PyDLL(None).sleep(60)"])
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, sleep: str) -> None:
    process, descendants = running_script(tmp_path, sleep)
    process.kill()
    process.communicate(timeout=30)
    assert gone(*descendants)
    assert not list((tmp_path / "tmp").iterdir())


def work_a_little(_: StudyRows, ref: TrialRef) -> float:
    until = time.perf_counter() + 0.02
    while time.perf_counter() < until:
        pass
    return float(ref.split)


@posix
@pytest.mark.long
def test_workers_killed_at_random_cost_no_trial_and_repeat_none(start: Any) -> None:
    runner, rng = start(3, work=work_a_little), random.Random(0)
    waiting = {number: job_of(number, "work", 8) for number in range(150)}
    expected = {ref.key: float(ref.split) for job in waiting.values() for ref in job.refs}
    found: dict[str, float] = {}
    n_killed = 0
    for job in waiting.values():
        runner.submit(job)
    while waiting:
        events = runner.poll(0.5)
        new = records(events)
        assert not new.keys() & found.keys()
        found |= {key: record.scores["test"]["value"] for key, record in new.items()}
        if new and rng.random() < 0.04:
            pid = int(rng.choice(list(new.values())).versions["pid"])
            if pid in worker_pids():  # and not dead already
                os.kill(pid, signal.SIGKILL)
                n_killed += 1
        for event in events:
            if isinstance(event, JobEnded | JobLost):
                del waiting[event.job.number]
            if isinstance(event, JobLost):
                left = tuple(ref for ref in event.job.refs if ref.key not in found)
                job = replace(event.job, number=event.job.number + 1000, refs=left)
                waiting[job.number] = job
                runner.submit(job)
    assert n_killed > 5
    assert found == expected
