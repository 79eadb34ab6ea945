"""A run of a study: what is missing in the store is computed and recorded."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from calibrant._fit_warnings import one_warning_a_fit
from calibrant.exceptions import StudyChangedError
from calibrant.studies._definition.differences import changed_metrics, differences
from calibrant.studies._results.status import StudyStatus, read_status
from calibrant.studies._runners.in_process import InProcessRunner
from calibrant.studies._runners.study_progress import study_progress
from calibrant.studies._store.store import Store
from calibrant.studies._trials.coordinator import Coordinator
from calibrant.studies._trials.heartbeat import beating
from calibrant.studies._trials.needed import is_unfinished
from calibrant.studies._trials.plan_study import StudyPlan, plan_study
from calibrant.studies._trials.run_job import make_run_job
from calibrant.studies._trials.run_options import RunOptions
from calibrant.studies._trials.schedule import Schedule
from calibrant.studies._trials.stored_document import read_stored_study, stored_document
from calibrant.studies._trials.versions import are_outdated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from calibrant.studies._definition.definition import StudyDefinition
    from calibrant.studies._runners.runner import Runner

__all__ = ["run_study"]

_BEATS_PER_LEASE = 4  # heartbeats that may fail before a lease expires


def run_study(definition: StudyDefinition, url: str, options: RunOptions) -> StudyStatus:
    """Run the trials that the store does not have, and return how far the study is."""
    is_over = _end_of_run(options)  # reading the rows is part of the run
    plan = plan_study(definition)
    with Store.open(url) as store:
        _save_definition(store, definition, plan, update=options.update)
        again = _keys_to_run_again(store, definition.name, options)
        found = plan.needed.states(store, definition.name)
        states = {key: state for key, state in found.items() if key not in again}
        max_splits = {"max_splits": 1} if options.has_limits else {}
        schedule = Schedule.of(plan.trials, lambda ref: is_unfinished(states, ref), **max_splits)
        if schedule.n_pending and not is_over():
            _run(store, url, definition.name, plan, schedule, states, options, again, is_over)
        # By this store, which waits for a server that goes away, as one that is opened anew does not
        return read_status(store, read_stored_study(store, definition.name))


def _end_of_run(options: RunOptions) -> Callable[[], bool]:
    """Return a function that says whether the time of the run is over."""
    if callable(options.stop_after):
        return options.stop_after
    end = math.inf if options.stop_after is None else time.monotonic() + options.stop_after
    return lambda: time.monotonic() >= end


def _save_definition(store: Store, definition: StudyDefinition, plan: StudyPlan, *, update: bool) -> None:
    """Record the definition; raise if the store has another one of that name, unless it may be replaced."""
    document, stored = stored_document(definition, plan), store.definition(definition.name)
    if document == stored:
        return
    changes = [] if stored is None else differences(stored, document)
    void = _void_keys(store, definition.name, stored, document)
    if changes and not update:
        counting = {key for key in store.finished(definition.name, {}) if key not in void}
        kept = sum(ref.key in counting for trials in plan.trials for ref in trials)
        raise StudyChangedError(
            f"study {definition.name!r} in {store.url} has another definition: {' '.join(changes)} "
            f"run(update=True) goes on with this one and keeps the {kept:,} finished trials of {plan.n_trials:,} that "
            "still count; take another name to keep both."
        )
    if void:  # before the definition is saved: killed in between, the change is found again
        store.forget(definition.name, sorted(void))
    store.save_definition(definition.name, document)


def _void_keys(store: Store, name: str, stored: Mapping[str, Any] | None, document: Mapping[str, Any]) -> set[str]:
    """Return the keys of the trials that have values of a metric whose function or keywords changed."""
    changed = set() if stored is None else changed_metrics(stored, document)
    return set(store.trials(name, metric=[]).key.tolist()) if changed else set()


def _keys_to_run_again(store: Store, name: str, options: RunOptions) -> set[str]:
    """Return the keys of the trials that are requested to run again: failed ones, and those of other versions."""
    if not options.retry and not options.rerun_outdated:
        return set()
    found = store.trials(name, metric=[])
    again = np.zeros(len(found), dtype=bool)
    if options.retry:
        again |= found.state == "failed"
    if options.rerun_outdated:
        again |= are_outdated(found.versions)
    return set(found.key[again].tolist())


def _run(
    store: Store,
    url: str,
    name: str,
    plan: StudyPlan,
    schedule: Schedule,
    states: Mapping[str, str],
    options: RunOptions,
    again: set[str],
    is_over: Callable[[], bool],
) -> None:
    with ExitStack() as stack:
        stack.enter_context(one_warning_a_fit())
        stack.enter_context(threadpool_limits(1))  # as in workers: sums of BLAS depend on the number of threads
        runner = make_runner(plan, options)  # first: a cluster that does not answer must not cost a trial
        store.forget(name, sorted(again))
        worker = store.start_worker(name, lease=options.lease)
        stack.enter_context(beating(lambda: Store.open(url), worker, options.lease / _BEATS_PER_LEASE))
        observer = study_progress(name, chain(*plan.trials), states, n_slots=runner.n_slots)
        stack.enter_context(observer)
        Coordinator(store, name, worker, schedule, runner, plan.needed, observer, is_over).run()


def make_runner(plan: StudyPlan, options: RunOptions) -> Runner:
    """Return the runner that the options of a run request."""
    if options.dask is not None:
        from calibrant.studies._runners.dask_runner import DaskRunner

        return DaskRunner(plan.work, plan.rows, cluster=options.dask)
    if options.workers is None and not options.ends_trials:
        return InProcessRunner(plan.work, plan.rows, make_run_job())
    from calibrant.studies._runners.process_runner import ProcessRunner

    return ProcessRunner(
        plan.work,
        plan.rows,
        workers=options.workers or 1,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
    )
