"""The live table of a run: trials done, running and failed, and the time left, by data set or method and overall."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from calibrant._progress import LiveTable, is_shown
from calibrant.studies._trials.records import TrialRecord, TrialRef

__all__ = ["Cell", "StudyProgress", "TrialTimes", "study_progress"]


Cell = tuple[str, str]  # data set and method

_PRIOR_TRIALS = 4  # worth of time for which all slots are taken to be busy, until the speed of the run is known
_ROUNDS = 30  # of alternating least squares; the figure shown is rounded more coarsely than the last of them moves it
_LEAST_SECONDS = 1e-6
_REFIT = 0.95  # share of the trials that the factors may be fitted to before they are fitted again


@dataclass
class _Timed:
    """Number of trials, and their seconds."""

    n: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.n += 1
        self.seconds += seconds

    @property
    def mean(self) -> float:
        return self.seconds / max(self.n, 1)


@dataclass(frozen=True)
class _Factors:
    """Seconds as a product of a factor of the data set and one of the method, fitted to logarithms."""

    by_dataset: Mapping[str, float]
    by_method: Mapping[str, float]
    n_trials: int

    @classmethod
    def of(cls, means: Mapping[Cell, float], n_trials: int) -> _Factors:
        logs = {cell: math.log(max(seconds, _LEAST_SECONDS)) for cell, seconds in means.items()}
        by_dataset: dict[str, float] = {}
        by_method: dict[str, float] = {}
        for _ in range(_ROUNDS):
            by_method = _averages(
                (method, log - by_dataset.get(dataset, 0.0)) for (dataset, method), log in logs.items()
            )
            by_dataset = _averages((dataset, log - by_method[method]) for (dataset, method), log in logs.items())
        return cls(by_dataset, by_method, n_trials)

    def expected(self, cell: Cell) -> float:
        dataset = self.by_dataset.get(cell[0], _mean(self.by_dataset.values()))
        return math.exp(dataset + self.by_method.get(cell[1], _mean(self.by_method.values())))


def _averages(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        groups[name].append(value)
    return {name: _mean(values) for name, values in groups.items()}


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values)


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

    _all: _Timed = field(default_factory=_Timed)
    _cells: defaultdict[Cell, _Timed] = field(default_factory=lambda: defaultdict(_Timed))
    _factors: _Factors | None = None

    def add(self, cell: Cell, seconds: float) -> None:
        """Add the time of a trial that has run."""
        self._all.add(seconds)
        self._cells[cell].add(seconds)

    def expected(self, cell: Cell) -> float | None:
        """Return the seconds that a trial takes: as others of its method and data set took, if there are any.

        Otherwise as trials of its method and those of its data set suggest, taken to multiply; None before the first
        trial has finished.
        """
        if cell in self._cells:
            return self._cells[cell].mean
        if not self._cells:
            return None
        if self._factors is None or self._factors.n_trials < _REFIT * self._all.n:
            self._factors = _Factors.of({cell: timed.mean for cell, timed in list(self._cells.items())}, self._all.n)
        return self._factors.expected(cell)

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
        # The last trials cannot be divided among slots
        return max([work / self._speed(n_slots, elapsed), *expected.values()], default=0.0)

    def _speed(self, n_slots: int, elapsed: float) -> float:
        """Return the seconds of work that are done in a second; at first all slots count as busy."""
        prior = _PRIOR_TRIALS * self._all.mean
        done = self._all.seconds + n_slots * prior
        return done / (elapsed + prior) if elapsed + prior > 0 and done > 0 else float(n_slots)


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
