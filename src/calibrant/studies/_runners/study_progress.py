"""The live table of a run: trials done, running and failed, and the time left, by data set or method and overall."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import fmean
from typing import Any, Self

from calibrant._progress import LiveTable, is_shown
from calibrant.studies._trials.records import TrialRecord, TrialRef

Cell = tuple[str, str]  # data set and method

_MAX_ROWS = 14  # data sets in the table; more do not fit beside what the user wants to see
_PRIOR_TRIALS = 4  # worth of time for which all slots are taken to be busy, until the speed of the run is known
_ROUNDS = 30  # of alternating least squares; the figure shown is rounded more coarsely than the last of them moves it
_LEAST_SECONDS = 1e-6
_REFIT = 0.95  # share of the trials that the factors may be fitted to before they are fitted again


@dataclass
class TrialTimes:
    """The seconds that trials took, by data set and method.

    Examples
    --------
    >>> times = TrialTimes()
    >>> times.add(("small", "bayes"), 1.0)
    >>> times.add(("small", "forest"), 10.0)
    >>> times.add(("large", "bayes"), 3.0)
    >>> times.expected(("small", "forest")), round(times.expected(("large", "forest")))
    (10.0, 30)
    >>> round(times.seconds_left({("small", "forest"): 4}, n_slots=2, elapsed=7.0))
    20
    """

    _cells: dict[Cell, tuple[int, float]] = field(default_factory=dict)  # number of trials, and their seconds
    _n_trials: int = 0
    _seconds: float = 0.0
    _factors: tuple[dict[str, float], dict[str, float]] = field(default_factory=lambda: ({}, {}))
    _n_fitted: float = 0.0

    def add(self, cell: Cell, seconds: float) -> None:
        """Add the time of a trial that has run."""
        n, total = self._cells.get(cell, (0, 0.0))
        self._cells[cell] = n + 1, total + seconds
        self._n_trials, self._seconds = self._n_trials + 1, self._seconds + seconds

    def expected(self, cell: Cell) -> float | None:
        """Return the seconds that a trial takes: as others of its method and data set took, if there are any.

        Otherwise as trials of its method and those of its data set suggest, taken to multiply; None before the first
        trial has finished.
        """
        if cell in self._cells:
            n, seconds = self._cells[cell]
            return seconds / n
        if not self._cells:
            return None
        if self._n_fitted < _REFIT * self._n_trials:
            self._fit()
        return math.exp(
            sum(logs.get(name, fmean(logs.values())) for logs, name in zip(self._factors, cell, strict=True))
        )

    def _fit(self) -> None:
        """Fit a factor of each data set and one of each method to logarithms, by alternating least squares."""
        # Copied at once: another thread adds trials meanwhile
        logs = {cell: math.log(max(seconds / n, _LEAST_SECONDS)) for cell, (n, seconds) in list(self._cells.items())}
        by_dataset, by_method = dict[str, float](), dict[str, float]()
        for _ in range(_ROUNDS):
            by_method = _averages(
                (method, log - by_dataset.get(dataset, 0.0)) for (dataset, method), log in logs.items()
            )
            by_dataset = _averages((dataset, log - by_method[method]) for (dataset, method), log in logs.items())
        self._factors, self._n_fitted = (by_dataset, by_method), self._n_trials

    def seconds_left(self, missing: Mapping[Cell, int], *, n_slots: int, elapsed: float) -> float | None:
        """Return the time that missing trials take at the speed of the run so far; None if nothing is known.

        Parameters
        ----------
        missing : dict of cell to int
            Numbers of trials.
        n_slots : int
            Number of trials that run at a time.
        elapsed : float
            Seconds that the run took so far.
        """
        if not self._cells:
            return None
        expected = {cell: self.expected(cell) or 0.0 for cell, n in missing.items() if n > 0}
        work = sum(missing[cell] * seconds for cell, seconds in expected.items())
        # The speed is the seconds of work done in a second; at first all slots count as busy
        prior = _PRIOR_TRIALS * self._seconds / self._n_trials
        done = self._seconds + n_slots * prior
        speed = done / (elapsed + prior) if elapsed + prior > 0 and done > 0 else float(n_slots)
        # The last trials cannot be divided among slots
        return max([work / speed, *expected.values()], default=0.0)


def _averages(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        groups[name].append(value)
    return {name: fmean(values) for name, values in groups.items()}


class StudyProgress:
    """The live table of a run, drawn by a thread of its own: what the run calls only counts.

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

    Examples
    --------
    >>> with StudyProgress("leaves", [], {}, n_slots=1, enabled=False) as progress:
    ...     progress.running(3)
    """

    def __init__(
        self,
        name: str,
        trials: Iterable[TrialRef],
        states: Mapping[str, str],
        *,
        n_slots: int,
        enabled: bool | None = None,
        console: Any = None,
    ) -> None:
        self._name, self._n_slots = name, n_slots
        self._table = LiveTable(self.render, console) if is_shown(enabled) else None
        self._counts: dict[str, Counter[Cell]] = {"planned": Counter(), "done": Counter(), "failed": Counter()}
        for ref in () if self._table is None else trials:
            for state in ("planned", states.get(ref.key)):
                if state in self._counts:
                    self._counts[state][ref.dataset, ref.method] += 1
        planned = self._counts["planned"]
        self._by_method = len({dataset for dataset, _ in planned}) == 1
        self._groups: dict[str, list[Cell]] = {}  # by data set, or by method where there is one data set
        for cell in planned:
            self._groups.setdefault(cell[self._by_method], []).append(cell)
        self._times, self._n_running, self._start = TrialTimes(), 0, time.monotonic()

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        if self._table is not None:
            self._table.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._table is not None:
            self._n_running = 0
            self._table.__exit__(*error)

    def recorded(self, record: TrialRecord) -> None:
        """Count a trial that this run recorded."""
        cell = record.ref.dataset, record.ref.method
        self._counts["failed" if record.error else "done"][cell] += 1
        self._times.add(cell, record.seconds)

    def running(self, refs: int) -> None:
        """Show the number of trials that run now."""
        self._n_running = refs

    def recorded_elsewhere(self, refs: Iterable[TrialRef]) -> None:
        """Count trials that other processes recorded."""
        self._counts["done"].update((ref.dataset, ref.method) for ref in refs)

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
        table.add_row(*map(Text, self._row("all", list(self._counts["planned"]), running, elapsed)), style="bold")
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
        planned, done, failed = (sum(each[cell] for cell in self._groups[name]) for each in self._counts.values())
        return 2 if done + failed == planned else int(done + failed == 0)

    def _row(self, label: str, cells: list[Cell], running: str, elapsed: float) -> tuple[str, ...]:
        planned, done, failed = (sum(each[cell] for cell in cells) for each in self._counts.values())
        missing = {
            cell: self._counts["planned"][cell] - self._counts["done"][cell] - self._counts["failed"][cell]
            for cell in cells
        }
        left = self._times.seconds_left(missing, n_slots=self._n_slots, elapsed=elapsed)
        return label, f"{done:,}/{planned:,}", running, f"{failed:,}", "" if left is None else _clock(left)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))  # hours, minutes and seconds
