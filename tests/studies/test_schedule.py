"""The order of trials, the size of jobs, and what becomes of trials that did not run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibrant.studies._trials.coordinator import Schedule
from calibrant.studies._trials.records import Job, PlannedTrials, TrialRecord


def planned(dataset: str = "iris", n_splits: int = 5) -> PlannedTrials:
    digests = {method: f"{dataset}{method}" for method in ("laplace", "m", "bayes")}
    return PlannedTrials(dataset, (("laplace", "m"), ("bayes",)), tuple(range(n_splits)), digests)


def jobs(schedule: Schedule, seconds: float) -> list[Job]:
    """Take all jobs, as if every trial took so long."""
    found = []
    while (job := schedule.next_job()) is not None:
        found.append(job)
        for ref in job.refs:
            schedule.observe(job, TrialRecord(ref, "", fit_seconds=seconds))
    return found


@pytest.mark.parametrize("seconds", [0.0, 0.01, 10.0])
def test_every_pending_trial_is_in_one_job(seconds):
    trials = [planned("iris"), planned("wine")]
    found = [ref.key for job in jobs(Schedule.of(trials, lambda ref: ref.split != 2), seconds) for ref in job.refs]
    assert sorted(found) == sorted(ref.key for each in trials for ref in each if ref.split != 2)


def test_all_methods_run_on_the_first_split_before_any_runs_on_the_second():
    first, second, third = jobs(Schedule.of([planned()], lambda _: True), 1e-6)[:3]
    assert (first.methods, first.splits) == (("laplace", "m"), (0,))
    assert (second.methods, second.splits) == (("bayes",), (0,))
    assert third.splits == (1, 2, 3, 4)


def test_a_data_set_is_finished_before_the_next_is_begun():
    order = [job.dataset for job in jobs(Schedule.of([planned("iris"), planned("wine")], lambda _: True), 1e-6)]
    assert order == sorted(order)


def test_slow_trials_run_split_by_split():
    assert {len(job.splits) for job in jobs(Schedule.of([planned()], lambda _: True), 30.0)} == {1}


def test_a_job_has_the_same_methods_on_all_its_splits():
    found = jobs(Schedule.of([planned()], lambda ref: ref.key != "irism-3"), 1e-6)
    assert all(len(job.refs) == len(job.methods) * len(job.splits) for job in found)


def test_trials_that_are_put_back_run_again_with_their_family():
    schedule = Schedule.of([planned(n_splits=1)], lambda _: True)
    first = schedule.next_job()
    assert first is not None
    schedule.put_back(reversed(first.refs))
    assert schedule.n_pending == 3
    again = jobs(schedule, 1e-6)
    assert sorted(ref.key for job in again for ref in job.refs) == ["irisbayes-0", "irislaplace-0", "irism-0"]


def test_a_digest_changes_the_keys_of_its_method_alone():
    before, after = planned(), replace(planned(), digests={**planned().digests, "m": "other"})
    same = {ref.key for ref in before} & {ref.key for ref in after}
    assert {key.rpartition("-")[0] for key in same} == {"irislaplace", "irisbayes"}
