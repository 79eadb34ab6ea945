"""The state of a study: trials done, running, failed, missing, as text or as sections."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant._sections import Block, Callout, DataTable, Definitions, Section, TableColumn
from calibrant.exceptions import CalibrantError
from calibrant.studies._results.tables import error_line
from calibrant.studies._trials.run_job import are_outdated

if TYPE_CHECKING:
    from calibrant.studies._definition.definition import StudyDefinition
    from calibrant.studies._results.study_results import StudyResults
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
        left = (
            ""
            if self.seconds_left != self.seconds_left or not self.n_unfinished
            else f"; about {_duration(self.seconds_left)} left in one process"
        )
        lines = [f"Study {self.name!r}: {', '.join(counts)}{left}"]
        if self.workers:
            lines.append(
                f"  {len(self.workers)} {'worker' if len(self.workers) == 1 else 'workers'}: {'; '.join(self.workers)}"
            )
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
            blocks += _status_blocks(status)
            tables = (_table_section(study.results()),) if status.is_complete else ()
        except CalibrantError as problem:
            blocks.append(Callout("info", "No results yet: nothing of this study can be read.", str(problem)))
    blocks += [Callout("warning", str(each.message)) for each in caught]
    return Section("study", f"Study {study.name}", tuple(blocks)), *tables


def _names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(names[:_MOST_NAMES])}{more})"


def _status_blocks(status: StudyStatus) -> list[Block]:
    counts = [
        ("planned", status.n_trials),
        ("finished", status.n_done),
        ("failed", status.n_failed),
        ("running", status.n_running),
        ("missing", status.n_missing),
    ]
    rows = tuple((name, f"{n:,}") for name, n in counts if n or name in ("planned", "finished", "failed"))
    table = DataTable("Trials", (TableColumn("state", "left"), TableColumn("trials")), rows)
    errors = [Callout("bad", f"{n:,} failed: {error}") for error, n in status.errors.items()]
    return [table, *errors]


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
