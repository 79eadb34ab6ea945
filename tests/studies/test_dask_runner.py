"""Trials on a real Dask cluster: everything comes out, whichever workers die."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from tests.dask.clusters import two_workers
from tests.studies.runner_methods import (
    collect,
    job_of,
    leave,
    lost,
    mean,
    posix,
    process_id,
    records,
    rows_of,
    run_all,
    run_functions,
    work_of,
)

import calibrant
from calibrant._dask import client as dask_client
from calibrant._fit_warnings import warn_of_fit
from calibrant.exceptions import CalibrantWarning, ParameterError, StudyError
from calibrant.studies._runners.dask_runner import DaskRunner
from calibrant.studies._runners.runner import JobEnded, RunnerEvent, TrialFinished
from calibrant.studies._trials.records import StudyRows, StudyWork, TrialRef

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers that no test kills."""
    with two_workers() as cluster:
        yield cluster


@pytest.fixture
def mortal() -> Iterator[Any]:
    """Two workers to be killed: Dask does not start one again that dies while it starts, so no other test has them."""
    with two_workers() as cluster:
        yield cluster


@pytest.fixture
def start(cluster: Any) -> Iterator[Any]:
    """Start runners that are stopped at the end."""
    runners: list[DaskRunner] = []

    def started(*, rows: Any = rows_of, client: Any = None, **methods: Any) -> DaskRunner:
        target = client or cluster.scheduler_address
        runners.append(DaskRunner(work_of(mean=mean, **methods), rows, cluster=target, run_job=run_functions))
        return runners[-1]

    yield started
    for runner in runners:
        runner.stop()


def slow(_: StudyRows, ref: TrialRef) -> float:
    time.sleep(0.05)
    return float(ref.split)


def test_each_trial_is_reported_once_and_before_its_job_ends(start: Any) -> None:
    events = run_all(start(), [job_of(number, "mean", 3) for number in range(4)])
    assert {key: record.scores["test"]["value"] for key, record in records(events).items()} == {
        f"iris/{number}/mean/{split}": 9.5 + split for number in range(4) for split in range(3)
    }
    for number in range(4):
        own = [event for event in events if event.job.number == number]
        assert [type(event) for event in own] == [TrialFinished] * 3 + [JobEnded]


def test_a_slot_is_a_thread_of_the_cluster(start: Any) -> None:
    assert start().n_slots == 2


def test_rows_reach_each_worker_once(start: Any) -> None:
    def identity(rows: StudyRows, _: TrialRef) -> float:
        return float(id(rows))

    events = run_all(start(identity=identity), [job_of(number, "identity") for number in range(12)])
    identities = {(record.versions["pid"], record.scores["test"]["value"]) for record in records(events).values()}
    assert len(identities) == len({pid for pid, _ in identities})


@posix
def test_killing_a_worker_in_the_middle_loses_nothing(start: Any, mortal: Any) -> None:
    runner = start(client=mortal.scheduler_address, slow=slow)
    jobs = [job_of(number, "slow", 4) for number in range(12)]
    for job in jobs:
        runner.submit(job)
    events: list[RunnerEvent] = []
    while not records(events):
        events += runner.poll(0.5)
    os.kill(int(next(iter(records(events).values())).versions["pid"]), signal.SIGKILL)
    ended = sum(isinstance(event, JobEnded) for event in events)
    events += collect(runner, len(jobs) - ended)
    assert not lost(events)
    assert {key: record.scores["test"]["value"] for key, record in records(events).items()} == {
        ref.key: float(ref.split) for job in jobs for ref in job.refs
    }


@posix
@pytest.mark.filterwarnings("ignore:the Dask cluster .* has lost its workers")
def test_rows_that_are_lost_with_all_workers_are_sent_again(start: Any, mortal: Any) -> None:
    runner = start(client=mortal.scheduler_address, slow=slow, process_id=process_id)
    found = records(run_all(runner, [job_of(number, "process_id") for number in range(8)]))
    jobs = [job_of(number, "slow", 4) for number in range(8, 12)]
    for job in jobs:
        runner.submit(job)
    for pid in {record.versions["pid"] for record in found.values()}:
        os.kill(int(pid), signal.SIGKILL)
    events = collect(runner, len(jobs))
    assert not lost(events)
    assert len(records(events)) == 16


@posix
def test_a_job_that_brings_down_workers_is_lost(start: Any, mortal: Any) -> None:
    mortal.scheduler.allowed_failures = 0
    runner = start(client=mortal.scheduler_address, leave=leave)
    events = run_all(runner, [job_of(0, "leave"), *(job_of(number, "mean") for number in range(1, 5))])
    assert {0} <= {event.job.number for event in lost(events)}
    assert "KilledWorker" in lost(events)[0].reason


def test_a_method_that_exits_fails_alone(start: Any) -> None:
    def leave_early(_: StudyRows, ref: TrialRef) -> float:
        return sys.exit(1) if ref.split == 1 else 1.0

    found = records(run_all(start(leave_early=leave_early), [job_of(0, "mean leave_early", 3)]))
    assert [key for key, record in found.items() if record.error] == ["iris/0/leave_early/1"]
    assert len(found) == 6


@posix
def test_a_process_that_a_method_forks_reports_nothing(start: Any) -> None:
    def fork(_: StudyRows, __: TrialRef) -> float:
        with warnings.catch_warnings(action="ignore"):  # Python 3.12 warns of forks beside threads
            return float(os.fork())

    found = records(run_all(start(fork=fork), [job_of(0, "fork mean", 2)]))
    assert len(found) == 4
    assert all(record.scores["test"]["value"] > 0 for record in found.values())


def test_warnings_reach_this_process_once_each(start: Any) -> None:
    def warn(_: StudyRows, ref: TrialRef) -> float:
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        warn_of_fit("boosting", f"boosting stops in split {ref.split}.")
        return 0.0

    with warnings.catch_warnings(record=True) as shown:
        warnings.filterwarnings("always", "did not|boosting")
        runner = start(warn=warn)
        run_all(runner, [job_of(number, "warn", 2) for number in range(4)])
        runner.stop()
    assert [(str(each.message), each.category) for each in shown] == [
        ("did not converge", RuntimeWarning),
        ("boosting stops in split 0. This is the first of 8 such fits.", CalibrantWarning),
    ]


def test_workers_that_are_threads_of_this_process_run_jobs_too() -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        runner = DaskRunner(work_of(mean=mean), rows_of, cluster=client, run_job=run_functions)
        events = run_all(runner, [job_of(number, "mean", 2) for number in range(6)])
        assert (runner.n_slots, len(records(events)), len(lost(events))) == (3, 12, 0)
        runner.stop()


def test_a_client_that_was_passed_stays_open(start: Any, cluster: Any) -> None:
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        runner = start(client=client)
        run_all(runner, [job_of(0, "mean")])
        runner.stop()
        assert client.status == "running"
        assert client.submit(sum, [1, 2]).result() == 3


def test_our_own_client_is_closed(start: Any) -> None:
    runner = start()
    client = runner._client
    runner.stop()
    runner.stop()
    assert client.status == "closed"
    assert runner.poll(0.0) == []
    with pytest.raises(StudyError, match="stopped"):
        runner.submit(job_of(0, "mean"))


def test_what_was_sent_is_released_at_the_stop(start: Any, cluster: Any) -> None:
    runner = start(slow=slow)
    run_all(runner, [job_of(0, "mean")])
    runner.submit(job_of(1, "slow", 3))
    runner.stop()
    until = time.monotonic() + 600  # for hangs alone: a busy machine takes its time
    while cluster.scheduler.tasks and time.monotonic() < until:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks


def test_a_job_without_trials_ends(start: Any) -> None:
    assert run_all(start(), [job_of(0, "mean", 0)]) == [JobEnded(job_of(0, "mean", 0))]


def test_another_version_on_a_worker_is_an_error(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    version = calibrant.__version__
    monkeypatch.setattr(calibrant, "__version__", "99.0")
    with pytest.raises(StudyError, match=rf"calibrant {version}; here they are [\d.]+ and 99.0"):
        start()


def test_another_version_on_a_worker_that_joins_later_is_an_error(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = start()
    monkeypatch.setattr(calibrant, "__version__", "99.0")
    with pytest.raises(StudyError, match="a Dask worker that joined has calibrant"):
        run_all(runner, [job_of(0, "mean")])


def test_methods_that_workers_cannot_load_are_an_error(start: Any) -> None:
    class Unloadable:
        def __reduce__(self) -> Any:
            return (int, ("not a number",))

    with pytest.raises(StudyError, match="cannot load"):
        run_all(start(bad=Unloadable()), [job_of(0, "bad")])


def test_no_scheduler_at_an_address_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_client, "_WAIT_SECONDS", 0.2)
    with pytest.raises(StudyError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        DaskRunner(StudyWork({}, None), rows_of, cluster="tcp://127.0.0.1:9", run_job=run_functions)


def test_a_cluster_is_an_address_or_a_client() -> None:
    with pytest.raises(ParameterError, match="address of a scheduler"):
        DaskRunner(StudyWork({}, None), rows_of, cluster=3, run_job=run_functions)


def test_a_lost_scheduler_is_an_error_that_names_it() -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        runner = DaskRunner(work_of(slow=slow), rows_of, cluster=cluster.scheduler_address, run_job=run_functions)
        address = cluster.scheduler_address
        runner.submit(job_of(0, "slow", 2))
    with pytest.raises(StudyError, match=f"Dask scheduler at {address} is lost"):
        collect(runner, 1)
    runner.stop()
