"""The results and the state of a study, read from its store."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import number_text
from calibrant._sections import Block, Callout, DataTable, Definitions, Section, TableColumn
from calibrant.exceptions import CalibrantError, ParameterError
from calibrant.resampling._internal import splitters
from calibrant.studies._definition.definition import StudyDefinition
from calibrant.studies._results.study_results import StudyResults, counted
from calibrant.studies._results.study_values import DONE, FAILED, MISSING, DatasetPlan, Key, choose_name, positions_of
from calibrant.studies._results.tables import error_line
from calibrant.studies._trials.records import Part
from calibrant.studies._trials.run_job import are_outdated

if TYPE_CHECKING:
    from calibrant.studies._definition.definition import StudyDefinition
    from calibrant.studies._store.catalogue import Columns
    from calibrant.studies._store.store import Store
    from calibrant.studies.study import Study


_MOST_ERRORS = 3  # that a repr shows


@dataclass(frozen=True)
class StudyStatus:
    """The state of a study, returned by `Study.status` and `Study.run`; its repr is a short summary.

    Parameters
    ----------
    name : str
        The name of the study.
    n_trials, n_done, n_failed, n_running : int
        Numbers of trials: all, with a result, without one, and claimed by a process that is alive.
    n_outdated : int
        Finished trials that other versions of calibrant, scikit-learn or a method's package computed.
    n_computed_twice : int
        Computations that were dropped because another process had recorded the trial before.
    seconds : float
        Time that the finished trials took, what they share counted once.
    seconds_left : float
        An estimate of the time that the missing trials take in one process; NaN before the first has finished.
    workers : tuple of str
        The processes that run the study now.
    sharing : str
        What trials share, and how much that saves.
    errors : dict of str to int
        Numbers of failed trials by the line that names their error, the most frequent first.

    Examples
    --------
    >>> StudyStatus("leaf estimates", 200, 150, 1, 4, 0, 0, 61.2, 20.1, ("host, process 4711",), "")
    Study 'leaf estimates': 150 of 200 trials done, 4 running, 1 failed, 45 missing; about 20 s left in one process
      1 worker: host, process 4711
      run(retry=True) runs failed trials again; to_frame() has the failure of each
    """

    name: str
    n_trials: int
    n_done: int
    n_failed: int
    n_running: int
    n_outdated: int
    n_computed_twice: int
    seconds: float
    seconds_left: float
    workers: tuple[str, ...]
    sharing: str
    errors: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_missing(self) -> int:
        """Number of trials that are neither done, nor running, nor failed."""
        return max(0, self.n_trials - self.n_done - self.n_failed - self.n_running)

    @property
    def is_complete(self) -> bool:
        """Whether every trial has a result."""
        return self.n_done == self.n_trials

    def __repr__(self) -> str:
        others = (self.n_running, "running"), (self.n_failed, "failed"), (self.n_missing, "missing")
        counts = [
            f"{self.n_done:,} of {self.n_trials:,} trials done",
            *(f"{n:,} {what}" for n, what in others if n),
        ]
        left = f"; about {_duration(self.seconds_left)} left in one process"
        if math.isnan(self.seconds_left) or not self.n_unfinished:
            left = ""
        lines = [f"Study {self.name!r}: {', '.join(counts)}{left}"]
        if self.workers:
            lines.append(f"  {counted(len(self.workers), 'worker')}: {'; '.join(self.workers)}")
        if self.sharing:
            lines.append(f"  {self.sharing}")
        lines += [f"  {n:,} failed: {error}" for error, n in [*self.errors.items()][:_MOST_ERRORS]]
        if self.n_failed:
            lines.append("  run(retry=True) runs failed trials again; to_frame() has the failure of each")
        if self.n_outdated:
            lines.append(
                f"  {self.n_outdated:,} trials are of other versions; run(rerun_outdated=True) runs them again"
            )
        if self.n_computed_twice:
            lines.append(f"  {self.n_computed_twice:,} trials were computed twice, because a process lost its lease")
        return "\n".join(lines)

    @property
    def n_unfinished(self) -> int:
        """Number of trials that are neither done nor failed."""
        return self.n_running + self.n_missing


def _duration(seconds: float) -> str:
    """Return a time in the largest fitting unit.

    Examples
    --------
    >>> _duration(20.1), _duration(150), _duration(9000)
    ('20 s', '2.5 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def read_status(store: Store, stored: StudyDefinition) -> StudyStatus:
    """Return the state of a study that was run, or begun."""
    found = store.trials(stored.name)
    counts = stored.counts(found["key"])
    is_done = counts & (found["state"] == "done")
    is_failed = counts & (found["state"] == "failed")
    seconds = (found["fit_seconds"] + found["predict_seconds"] + found["shared_seconds"] / found["n_sharing"])[is_done]
    workers = [each for each in store.workers(stored.name) if each.state == "alive"]
    n_unfinished = stored.n_trials - int(is_done.sum()) - int(is_failed.sum())
    return StudyStatus(
        name=stored.name,
        n_trials=stored.n_trials,
        n_done=int(is_done.sum()),
        n_failed=int(is_failed.sum()),
        n_running=sum(each.n_claims for each in workers),
        n_outdated=int(are_outdated(found["versions"][is_done]).sum()),
        n_computed_twice=store.computed_twice(stored.name),
        seconds=float(seconds.sum()),
        seconds_left=float(seconds.mean() * n_unfinished) if len(seconds) else math.nan,
        workers=tuple(f"{each.host}, process {each.pid}" for each in workers),
        sharing=str(stored.document.get("sharing", "")),
        errors=dict(Counter(error_line(each) for each in found["error"][is_failed]).most_common()),
    )


_MOST_NAMES, _MOST_ROWS = 12, 200


def study_sections(study: Study) -> tuple[Section, ...]:
    """Return a study as sections; what its store cannot show is said instead of raised."""
    names = {
        "data sets": study.definition.datasets,
        "methods": study.definition.method_names,
        "metrics": study.definition.metric_names,
    }
    about = (*((what, _names(list(each))) for what, each in names.items()), ("store", study.store))
    blocks: list[Block] = [Definitions(about)]
    tables: tuple[Section, ...] = ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            status = study.status()
            numbers = {"planned": status.n_trials, "finished": status.n_done, "failed": status.n_failed}
            more = {"running": status.n_running, "missing": status.n_missing}
            numbers |= {state: n for state, n in more.items() if n}
            rows = tuple((state, f"{n:,}") for state, n in numbers.items())
            blocks.append(DataTable("Trials", (TableColumn("state", "left"), TableColumn("trials")), rows))
            blocks += [Callout("bad", f"{n:,} failed: {error}") for error, n in status.errors.items()]
            tables = (_table_section(study.results()),) if status.is_complete else ()
        except CalibrantError as problem:
            blocks.append(Callout("info", "No results yet: nothing of this study can be read.", str(problem)))
    blocks += [Callout("warning", str(each.message)) for each in caught]
    return Section("study", f"Study {study.name}", tuple(blocks)), *tables


def _names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(names[:_MOST_NAMES])}{more})"


def _table_section(results: StudyResults) -> Section:
    metric = results.metrics[0]
    frame = results.table(metric)
    columns = TableColumn("data set", "left"), *(TableColumn(str(name)) for name in frame.columns)
    means = frame.to_numpy(dtype=float).tolist()
    rows = tuple(
        (str(name), *("" if math.isnan(value) else number_text(value) for value in values))
        for name, values in zip(frame.index, means, strict=True)
    )
    more = f"… and {len(rows) - _MOST_ROWS:,} more data sets" if len(rows) > _MOST_ROWS else ""
    table = DataTable(f"Mean {metric} over the splits", columns, rows[:_MOST_ROWS], note=more)
    return Section("results", "Results", (table,), term=metric)


def read_results(
    name: str,
    columns: Mapping[Any, Any],
    *,
    datasets: Sequence[str],
    methods: Sequence[str],
    metrics: Sequence[str],
    plans: Mapping[str, DatasetPlan],
    lacking: Mapping[tuple[str, str], NDArray[np.bool_]] | None = None,
    **about: Any,
) -> StudyResults:
    """Return the results of trials that are passed as columns, an entry for each trial, without a loop over them.

    Parameters
    ----------
    name : str
        The name of the study.
    columns : dict of str, or of (part, metric), to sequence
        ``"dataset"`` and ``"method"`` (names), ``"split"`` (-1: all rows), ``"state"`` ("done" or "failed") and, for
        `to_frame`, whatever else was recorded; float arrays of the metrics by ``("test", "mse")``, NaN where there is
        no value.
    datasets, methods, metrics : sequences of str
        Those of the study, in order; trials of others are left out.
    plans : dict of data set to DatasetPlan
        The splits of each data set; trials of others are left out.
    lacking : dict of (part, metric) to array of bool, optional
        Whether a trial was recorded before the metric was part of the study; else NaN means that it is undefined.
    **about
        ``candidates``, ``own_metrics``, ``keyed_metrics`` and ``read_predictions``, as in `StudyResults`.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> from calibrant.studies._results.study_values import plan_facts
    >>> plans = {"iris": DatasetPlan.of(plan_facts(CrossValidation(2), ["1", "2"]), [75, 75], [75, 75])}
    >>> columns = {"dataset": ["iris"] * 3, "method": ["tree", "tree", "bayes"], "split": [0, 1, 0],
    ...            "state": ["done", "done", "failed"], ("test", "mse"): np.array([0.1, 0.2, np.nan])}
    >>> found = read_results("trees", columns, datasets=["iris"], methods=["bayes", "tree"], metrics=["mse"],
    ...                      plans=plans)
    >>> found
    Study 'trees': 1 data set x 2 methods, 2 trials of 4 done, 1 failed
    >>> found.values["iris", "mse", "test"].tolist(), found.states["iris"].tolist()
    ([[nan, nan], [0.1, 0.2]], [[2, 0], [1, 1]])
    """
    trials = {key: _as_array(column) for key, column in columns.items()}
    sizes = np.array([plans[name].n_splits + 1 for name in datasets], dtype=np.intp)  # all rows first
    starts = np.concatenate([[0], np.cumsum(sizes * len(methods))])
    dataset, method = positions_of(trials["dataset"], datasets), positions_of(trials["method"], methods)
    split = trials["split"].astype(np.intp)
    is_kept = (dataset >= 0) & (method >= 0) & (split >= splitters.ALL_ROWS) & (split < sizes[dataset] - 1)
    cells = (starts[dataset] + method * sizes[dataset] + split + 1)[is_kept]

    def arranged(found: NDArray[Any], start: float) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yield the entries for each data set: methods x splits, before them the fit to all rows."""
        flat = np.full(starts[-1], start, dtype=found.dtype)
        flat[cells] = found[is_kept]
        for i, name in enumerate(datasets):
            yield name, flat[starts[i] : starts[i + 1]].reshape(len(methods), -1)

    values, all_rows, lacks = (dict[Key, NDArray[Any]]() for _ in range(3))
    for part, metric in (key for key in trials if isinstance(key, tuple)):
        for name_of, both in arranged(trials[part, metric].astype(np.float64), np.nan):
            values[name_of, metric, part] = np.ascontiguousarray(both[:, 1:])
            all_rows[name_of, metric, part] = both[:, 0]
    for (part, metric), lacked in (lacking or {}).items():
        lacks |= {(name_of, metric, part): both[:, 1:] for name_of, both in arranged(lacked, False)}
    states = dict(arranged(np.where(trials["state"] == "failed", FAILED, DONE).astype(np.int8), MISSING))
    kept = {key: column[is_kept] for key, column in trials.items()}
    return StudyResults(
        *(name, tuple(datasets), tuple(methods), tuple(metrics), dict(plans), values),
        states={name_of: both[:, 1:] for name_of, both in states.items()},
        all_rows=all_rows,
        all_rows_states={name_of: both[:, 0] for name_of, both in states.items()},
        lacking=lacks,
        choices=_choices(kept, datasets, plans),
        columns=kept,
        **about,
    )


def _as_array(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    return array.astype(object) if array.dtype.kind == "U" else array


def _choices(
    columns: Mapping[Any, Any], datasets: Sequence[str], plans: Mapping[str, DatasetPlan]
) -> dict[str, tuple[str, ...]]:
    """Return the method chosen in each split of the data sets whose plan is nested."""
    nested = {name: [""] * plans[name].n_splits for name in datasets if plans[name].is_nested}
    if nested and "choice" in columns:
        for dataset, split, choice in zip(columns["dataset"], columns["split"], columns["choice"], strict=True):
            if dataset in nested and split >= 0:
                nested[dataset][int(split)] = choice
    return {name: tuple(each) for name, each in nested.items()}


def read_study_results(
    store: Store,
    stored: StudyDefinition,
    metrics: Sequence[str] | None = None,
    read_predictions: Callable[[str, str], Sequence[tuple[int, bytes]]] | None = None,
) -> StudyResults:
    """Return the results of the trials that count: those of the definition in the store.

    Parameters
    ----------
    store : Store
        The store.
    stored : StudyDefinition
        The study as the store keeps it.
    metrics : sequence of str, optional
        The metrics that are read; all of the study by default.
    read_predictions : function of data set and method, optional
        Returns the predictions that were kept; called when they are requested, after the store was closed.
    """
    if isinstance(metrics, str):
        raise ParameterError(f"metrics must be a list of metrics; got {metrics!r}. Write [{metrics!r}].")
    for name in metrics or ():
        choose_name("metric", name, stored.metric_names)
    wanted = [name for name in stored.metric_names if metrics is None or name in metrics]
    document, parts = stored.document, list[Part](["test"])
    planned = {each["dataset"]: each["facts"] for each in document.get("planned", [])}
    if any(facts["bootstrap"] for facts in planned.values()):
        parts += ["training", "no_information"]
    elif document["tests_training"]:
        parts += ["training"]
    found = store.trials(stored.name, wanted, parts)
    counts = stored.counts(found["key"])
    columns = {name: column[counts] for name, column in found.items()}
    with_params = [each.get("metric_params", {}) for each in (document, *document["datasets"])]
    return read_results(
        stored.name,
        columns,
        datasets=list(planned),
        methods=stored.trial_methods,
        metrics=stored.metric_names,
        plans={name: _plan(facts, name, columns) for name, facts in planned.items()},
        lacking=_lacking(store, stored, wanted, columns),
        candidates=stored.method_names if stored.choose_by else (),
        own_metrics=frozenset(each["name"] for each in document["metrics"] if "function" in each),
        keyed_metrics=frozenset(name for params in with_params for name, keywords in params.items() if keywords),
        read_predictions=read_predictions,
    )


def _plan(facts: Mapping[str, Any], dataset: str, columns: Columns) -> DatasetPlan:
    """Return the plan of a data set with the numbers of rows of the splits that have run."""
    n_splits = len(facts["split_names"])
    is_own = (columns["dataset"] == dataset) & (columns["split"] >= 0) & (columns["n_train"] > 0)
    n_train, n_test = np.zeros(n_splits, dtype=np.intp), np.zeros(n_splits, dtype=np.intp)
    n_train[columns["split"][is_own]] = columns["n_train"][is_own]
    n_test[columns["split"][is_own]] = columns["n_test"][is_own]
    return DatasetPlan.of(facts, n_train, n_test)


def _lacking(
    store: Store, stored: StudyDefinition, metrics: Sequence[str], columns: Columns
) -> dict[tuple[str, str], NDArray[np.bool_]]:
    """Mark the trials that were recorded before a metric became part of the study."""
    lacking: dict[tuple[str, str], NDArray[np.bool_]] = {}
    for metric in metrics:
        is_undefined = np.isnan(columns["test", metric]) & (columns["state"] == "done")
        if is_undefined.any():  # undefined, or not recorded: only the store knows
            needed: dict[Part, list[str]] = {"test": [metric]}
            states = store.finished(stored.name, needed)
            is_lacking = [states.get(key) == "incomplete" for key in columns["key"][is_undefined]]
            lacking["test", metric] = is_undefined
            lacking["test", metric][is_undefined] = is_lacking
    return lacking
