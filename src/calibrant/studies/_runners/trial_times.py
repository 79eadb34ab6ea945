"""How long trials that have not run will take, from those that have."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Cell", "TrialTimes"]

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
