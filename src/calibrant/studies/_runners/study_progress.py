"""The live table of a run: trials done, running and failed, and the time left, by data set or method and overall."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from calibrant._progress import LiveTable, is_shown
from calibrant.studies._runners.trial_times import Cell, TrialTimes
from calibrant.studies._trials.records import TrialRecord, TrialRef

__all__ = ["StudyProgress", "study_progress"]

_MAX_ROWS = 14  # data sets in the table; more do not fit beside what the user wants to see


class StudyProgress:
    """Progress of a run that is not shown; the one that is shown has the same methods.

    Examples
    --------
    >>> with StudyProgress() as progress:
    ...     progress.running(3)
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def recorded(self, record: TrialRecord) -> None:
        """Count a trial that this run recorded."""

    def running(self, refs: int) -> None:
        """Show the number of trials that run now."""

    def recorded_elsewhere(self, refs: Iterable[TrialRef]) -> None:
        """Count trials that other processes recorded."""


def study_progress(
    name: str,
    trials: Iterable[TrialRef],
    states: Mapping[str, str],
    *,
    n_slots: int,
    enabled: bool | None = None,
    console: Any = None,
) -> StudyProgress:
    """Return the progress of a run, to be opened with ``with``.

    Parameters
    ----------
    name : str
        The name of the study.
    trials : iterable of TrialRef
        All planned trials; not looked at where nothing is shown.
    states : dict of str to str
        By key, ``"done"`` or ``"failed"`` for the trials that are finished already.
    n_slots : int
        Number of jobs that run at a time.
    enabled : bool, optional
        None shows the table on a terminal or in a notebook, but not in CI, in a pipe, or where the environment
        variable ``CALIBRANT_PROGRESS`` is ``0``.
    console : rich.console.Console, optional
        Where the table is drawn; by default on standard error.

    Returns
    -------
    StudyProgress
        A context manager.
    """
    if not is_shown(enabled):
        return StudyProgress()
    return _ShownStudy(name, _count_trials(trials, states), n_slots, console)


@dataclass
class _Counts:
    """Numbers of trials by data set and method."""

    total: Counter[Cell] = field(default_factory=Counter)
    done: Counter[Cell] = field(default_factory=Counter)
    failed: Counter[Cell] = field(default_factory=Counter)

    def missing(self, cells: Iterable[Cell]) -> dict[Cell, int]:
        return {cell: self.total[cell] - self.done[cell] - self.failed[cell] for cell in cells}


def _count_trials(trials: Iterable[TrialRef], states: Mapping[str, str]) -> _Counts:
    counts = _Counts()
    for ref in trials:
        cell, state = (ref.dataset, ref.method), states.get(ref.key)
        counts.total[cell] += 1
        counts.done[cell] += state == "done"
        counts.failed[cell] += state == "failed"
    return counts


class _ShownStudy(StudyProgress):
    """A live table, drawn by a thread of its own: what the run calls only counts."""

    def __init__(self, name: str, counts: _Counts, n_slots: int, console: Any) -> None:
        self._name, self._counts, self._n_slots, self._console = name, counts, n_slots, console
        self._by_method = len({dataset for dataset, _ in counts.total}) == 1
        self._groups: dict[str, list[Cell]] = {}  # by data set, or by method where there is one data set
        for cell in counts.total:
            self._groups.setdefault(cell[self._by_method], []).append(cell)
        self._times, self._n_running, self._start = TrialTimes(), 0, time.monotonic()
        self._table: LiveTable | None = None

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        self._table = LiveTable(self.render, self._console)
        self._table.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._table is not None:
            self._n_running = 0
            self._table.__exit__(*error)

    def recorded(self, record: TrialRecord) -> None:
        """Count a trial that this run recorded."""
        cell = record.ref.dataset, record.ref.method
        counts = self._counts.failed if record.is_failed else self._counts.done
        counts[cell] += 1
        seconds = record.fit_seconds + record.predict_seconds + record.shared_seconds / record.n_sharing
        self._times.add(cell, seconds)

    def running(self, refs: int) -> None:
        """Show the number of trials that run now."""
        self._n_running = refs

    def recorded_elsewhere(self, refs: Iterable[TrialRef]) -> None:
        """Count trials that other processes recorded."""
        self._counts.done.update((ref.dataset, ref.method) for ref in refs)

    def render(self) -> Any:
        """Return the table as it stands."""
        from rich.table import Table
        from rich.text import Text

        elapsed = time.monotonic() - self._start
        table = Table(title=Text(f"Study {self._name!r}"), caption=f"{_clock(elapsed)} elapsed", title_justify="left")
        table.add_column("method" if self._by_method else "data set")
        for column in ("done", "running", "failed", "time left"):
            table.add_column(column, justify="right")
        for row in self._rows(elapsed):
            table.add_row(*map(Text, row))
        table.add_section()
        running = f"{self._n_running:,}"
        table.add_row(*map(Text, self._row("all", list(self._counts.total), running, elapsed)), style="bold")
        return table

    def _rows(self, elapsed: float) -> Iterator[tuple[str, ...]]:
        """Yield the rows of data sets: those under way, then those to come; finished ones as far as there is room."""
        if len(self._groups) == 1:
            return
        by_stage = list(self._groups) if len(self._groups) <= _MAX_ROWS else sorted(self._groups, key=self._stage)
        for name in by_stage[:_MAX_ROWS]:
            yield self._row(name, self._groups[name], "", elapsed)
        if hidden := by_stage[_MAX_ROWS:]:
            cells = [cell for name in hidden for cell in self._groups[name]]
            yield self._row(f"{len(hidden):,} more", cells, "", elapsed)

    def _stage(self, name: str) -> int:
        """Return 0 for a data set under way, 1 for one to come, 2 for a finished one."""
        cells = self._groups[name]
        missing = sum(self._counts.missing(cells).values())
        if not missing:
            return 2
        return 1 if missing == self._sum(self._counts.total, cells) else 0

    def _row(self, label: str, cells: list[Cell], running: str, elapsed: float) -> tuple[str, ...]:
        done, total = self._sum(self._counts.done, cells), self._sum(self._counts.total, cells)
        missing = self._counts.missing(cells)
        left = self._times.seconds_left(missing, n_slots=self._n_slots, elapsed=elapsed)
        text = "" if left is None else _clock(left)
        return label, f"{done:,}/{total:,}", running, f"{self._sum(self._counts.failed, cells):,}", text

    @staticmethod
    def _sum(counts: Counter[Cell], cells: list[Cell]) -> int:
        return sum(counts[cell] for cell in cells)


def _clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds.

    Examples
    --------
    >>> _clock(3725.4)
    '1:02:05'
    """
    return str(timedelta(seconds=round(seconds)))
