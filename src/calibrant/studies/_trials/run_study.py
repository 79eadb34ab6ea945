"""A run of a study: what is missing in the store is computed and recorded."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import lru_cache, reduce
from itertools import chain
from operator import add
from typing import Any

from threadpoolctl import threadpool_limits

from calibrant._fit_warnings import one_warning_a_fit
from calibrant._params import Bool, Int, Nothing, Real, check_param
from calibrant.exceptions import ParameterError, StudyChangedError
from calibrant.resampling._internal import splitters
from calibrant.studies._definition.datasets import read_rows
from calibrant.studies._definition.definition import StudyDefinition, read_definition
from calibrant.studies._definition.documents import changed_metrics, differences
from calibrant.studies._results.read_study import StudyStatus, read_status
from calibrant.studies._results.study_values import plan_facts
from calibrant.studies._runners.runner import InProcessRunner, Runner
from calibrant.studies._runners.study_progress import StudyProgress
from calibrant.studies._store.read_url import StoreAddress
from calibrant.studies._store.store import Store
from calibrant.studies._trials.coordinator import Coordinator, Schedule, beating
from calibrant.studies._trials.records import Needed, Part, StudyRows, StudyWork
from calibrant.studies._trials.run_job import JobContext, are_outdated

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}


_SECONDS = Real(0, closed="right") | Nothing()
_RULES = {
    "workers": Int(1) | Nothing(),
    **dict.fromkeys(("retry", "update", "rerun_outdated"), Bool()),
    **dict.fromkeys(("time_limit", "stop_after"), _SECONDS),
    "lease": Real(1),
}


@dataclass(frozen=True)
class RunOptions:
    """The parameters of `Study.run`."""

    workers: int | None = None
    dask: Any = None
    retry: bool = False
    update: bool = False
    rerun_outdated: bool = False
    time_limit: float | None = None
    memory_limit: int | None = None
    lease: float = 60.0
    stop_after: float | Callable[[], bool] | None = None

    @property
    def has_limits(self) -> bool:
        """Whether trials may run out of time or memory."""
        return self.time_limit is not None or self.memory_limit is not None


def read_run_options(passed: Mapping[str, Any], from_file: Mapping[str, Any] | None = None) -> RunOptions:
    """Validate the parameters of a run; those left at their defaults are taken from a study file.

    Examples
    --------
    >>> read_run_options({"memory_limit": "2 GB"}, {"workers": 2})
    RunOptions(workers=2, dask=None, retry=False, update=False, rerun_outdated=False, time_limit=None,
               memory_limit=2000000000, lease=60.0, stop_after=None)
    """
    defaults = asdict(RunOptions())
    chosen = {name: value for name, value in passed.items() if value is not defaults[name] and value != defaults[name]}
    values = {**(from_file or {}), **chosen}
    found = RunOptions(**(values | {"memory_limit": read_memory(values.get("memory_limit"))}))
    for name, rule in _RULES.items():
        if name != "stop_after" or not callable(found.stop_after):
            check_param(name, getattr(found, name), rule)
    if found.dask is not None and found.workers is not None:
        raise ParameterError(
            "workers and dask: a study runs in local processes or on a Dask cluster; pass one of them."
        )
    if found.dask is not None and found.has_limits:
        raise ParameterError("time_limit and memory_limit are for local processes; pass workers= instead of dask=.")
    return found


def read_memory(limit: int | str | None) -> int | None:
    """Return a limit in bytes.

    Examples
    --------
    >>> read_memory("500 MB"), read_memory("1.5GiB"), read_memory(10**9), read_memory(None)
    (500000000, 1610612736, 1000000000, None)
    """
    if limit is None:
        return None
    if isinstance(limit, str):
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", limit)
        if parts is None or parts[2].lower() not in _UNITS:
            raise ParameterError(f"memory_limit must be a number of bytes or a text such as '2 GB'; got {limit!r}.")
        limit = int(float(parts[1]) * _UNITS[parts[2].lower()])
    check_param("memory_limit", limit, Int(1, 2**63 - 1))
    return int(limit)


def plan_study(definition: StudyDefinition) -> tuple[StudyDefinition, dict[str, JobContext]]:
    """Read the data sets; return the definition with their fingerprints and trials, and what the trials share."""
    work = definition.work()
    contexts = {
        name: JobContext(read_rows(dataset, definition.metric_params), work)
        for name, dataset in definition.datasets.items()
    }
    plan, bootstrap, planned = definition.plan, splitters.bootstrap_kind(definition.plan), []
    for name, context in contexts.items():
        methods, rows, names = definition.trial_methods, context.rows, context.split_names
        planned.append(
            {
                "dataset": name,
                "families": [list(family) for family in context.families],
                "splits": [splitters.ALL_ROWS if bootstrap == ".632+" else 0, len(names) - 1],
                "digests": {each: definition.group_digest(name, rows.fingerprint, each) for each in methods},
                "facts": plan_facts(plan, names, is_disjoint=context.is_disjoint, pos_label=rows.pos_label),
            }
        )
    prints = {name: {"fingerprint": context.rows.fingerprint} for name, context in contexts.items()}
    datasets = [each | prints[each["name"]] for each in definition.document["datasets"]]
    sharing = reduce(add, (context.experiment.sharing(plan) for context in contexts.values()))
    found = {"datasets": datasets, "planned": planned, "sharing": sharing.text}
    return StudyDefinition({**definition.document, **found}), contexts


_BEATS_PER_LEASE = 4  # heartbeats that may fail before a lease expires


def run_study(definition: StudyDefinition, address: StoreAddress, options: RunOptions) -> StudyStatus:
    """Run the trials that the store does not have, and return how far the study is."""
    if callable(options.stop_after):
        is_over = options.stop_after
    else:  # reading the rows is part of the run
        end = math.inf if options.stop_after is None else time.monotonic() + options.stop_after
        is_over = lambda: time.monotonic() >= end  # noqa: E731
    planned, contexts = plan_study(definition)
    work, name = next(iter(contexts.values())).work, definition.name
    tests_training = work.tests_training or splitters.bootstrap_kind(work.plan) == ".632"
    parts: list[Part] = ["test", "training"] if tests_training else ["test"]
    needed: Needed = {"needed": dict.fromkeys(parts, definition.metric_names), "predictions": work.keeps_predictions}
    with Store.open(address) as store:
        _save_definition(store, planned, update=options.update)
        again = set[str]()  # failed trials, and those of other versions, where that is requested
        if options.retry or options.rerun_outdated:
            trials = store.trials(name)
            chosen = (trials["state"] == "failed") & options.retry
            chosen |= are_outdated(trials["versions"]) & options.rerun_outdated
            again = set(trials["key"][chosen].tolist())
        found = store.finished(name, **needed)
        states = {key: state for key, state in found.items() if key not in again}
        max_splits = {"max_splits": 1} if options.has_limits else {}
        schedule = Schedule.of(planned.trials, lambda ref: states.get(ref.key) in (None, "incomplete"), **max_splits)
        if schedule.n_pending and not is_over():
            with ExitStack() as stack:
                stack.enter_context(one_warning_a_fit())
                # As in workers: sums of BLAS depend on the number of threads
                stack.enter_context(threadpool_limits(1))
                # First: a cluster that does not answer must not cost a trial
                runner = make_runner(work, lambda dataset: contexts[dataset].rows, options)
                store.forget(name, sorted(again))
                worker = store.start_worker(name, lease=options.lease)
                stack.enter_context(beating(lambda: Store.open(address), worker, options.lease / _BEATS_PER_LEASE))
                observer = StudyProgress(name, chain(*planned.trials), states, n_slots=runner.n_slots)
                stack.enter_context(observer)
                Coordinator(store, name, worker, schedule, runner, needed, observer, is_over).run()
        # By this store, which waits for a server that goes away, as one that is opened anew does not
        return read_status(store, read_definition(store, name))


def _save_definition(store: Store, planned: StudyDefinition, *, update: bool) -> None:
    """Record the definition; raise if the store has another one of that name, unless it may be replaced."""
    document, stored, name = planned.document, store.definition(planned.name), planned.name
    if document == stored:
        return
    changes = [] if stored is None else differences(stored, document)
    void = set[str]()  # trials that have values of a metric whose function or keywords changed
    if stored is not None and changed_metrics(stored, document):
        void = set(store.trials(name)["key"].tolist())
    if changes and not update:
        counting = {key for key in store.finished(name, {}) if key not in void}
        kept = sum(ref.key in counting for trials in planned.trials for ref in trials)
        raise StudyChangedError(
            f"study {name!r} in {store.url} has another definition: {' '.join(changes)} "
            f"run(update=True) goes on with this one and keeps the {kept:,} finished trials of {planned.n_trials:,} "
            "that still count; take another name to keep both."
        )
    if void:  # before the definition is saved: killed in between, the change is found again
        store.forget(name, sorted(void))
    store.save_definition(name, document)


def make_runner(work: StudyWork, read_rows: Callable[[str], StudyRows], options: RunOptions) -> Runner:
    """Return the runner that the options of a run request."""
    if options.dask is not None:
        from calibrant.studies._runners.dask_runner import DaskRunner

        return DaskRunner(work, read_rows, cluster=options.dask)
    if options.workers is None and not options.has_limits and options.stop_after is None:
        # Two data sets at a time: jobs come data set by data set, and the last of one overlap the first of the next
        context = lru_cache(maxsize=2)(JobContext)
        return InProcessRunner(work, read_rows, lambda rows, work, job: context(rows, work).run(job))
    from calibrant.studies._runners.process_runner import ProcessRunner

    return ProcessRunner(
        work,
        read_rows,
        workers=options.workers or 1,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
    )
