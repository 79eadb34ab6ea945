"""Stores to disturb studies in, and the checks after each fault."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tests.faults.children import Child
from tests.faults.counts import FaultCounts
from tests.faults.disturbed_study import Recorded, make_study, read_recorded, results_of

__all__ = ["Ground", "Watch"]


class Ground:
    """The ground of disturbed studies: new stores, an undisturbed run to compare with, and random numbers.

    Parameters
    ----------
    folder : Path
        For stores and logs.
    new_url : function, optional
        Returns the URL of a new store; SQLite files in the folder by default.
    seed : int
        Of the moments of the faults.
    n_repeats : int
        Of the cross-validation: 60 trials each.
    """

    def __init__(
        self, folder: Path, new_url: Callable[[], str] | None = None, seed: int = 0, n_repeats: int = 2
    ) -> None:
        self.folder, self.n_repeats = folder, n_repeats
        self._number = itertools.count()
        self.new_url = new_url or self._new_file
        self.rng = np.random.default_rng(seed)

    def _new_file(self) -> str:
        return f"sqlite:///{self.folder / f'store-{next(self._number)}.db'}"

    def start(self, url: str, **options: Any) -> Child:
        """Run the study in a new process."""
        return Child(lambda: make_study(url, self.n_repeats).run(**options), self.folder / f"log-{next(self._number)}")

    @cached_property
    def _undisturbed_url(self) -> str:
        return self.new_url()

    @cached_property
    def undisturbed(self) -> tuple[dict[str, Any], float]:
        """The results of a run without faults, and the seconds that it took."""
        url = self._undisturbed_url
        begin = time.monotonic()
        with self.start(url) as child:
            assert child.wait(120.0), "the undisturbed run did not end"
            assert child.status == 0, child.output
        seconds = time.monotonic() - begin
        assert not read_recorded(url)[-1], "a method fails"
        return results_of(url), seconds

    @cached_property
    def trials(self) -> dict[Any, Any]:
        """The keys and results of the trials of a run without faults, the bytes of predictions among them."""
        return _trials_of(self._undisturbed_url)

    @property
    def expected(self) -> dict[str, Any]:
        """The results of a run without faults."""
        return self.undisturbed[0]

    @property
    def seconds(self) -> float:
        """The time of a run without faults."""
        return self.undisturbed[1]


class Watch:
    """Watches one store over the faults of a round: nothing that was there may be gone or change."""

    def __init__(self, url: str, counts: FaultCounts) -> None:
        self.url, self.counts = url, counts
        self._seen: Recorded = {}

    def check(self, *children: Child) -> set[str]:
        """Compare the store with what it had before and with what processes were told; return the keys it has."""
        now, recorded_twice, *_ = read_recorded(self.url)
        keys = {trial.key for trial in now.values()}
        told = {key for child in children for key in child.acknowledged}
        self.counts.lost += sum(now.get(name) != trial for name, trial in self._seen.items()) + len(told - keys)
        self.counts.recorded_twice += recorded_twice
        self._seen = now
        return keys

    def finish(self, ground: Ground, child: Child | None = None) -> None:
        """Compare the finished study with an undisturbed run."""
        self.check(*([child] if child else []))
        *_, computed_twice, failed = read_recorded(self.url)
        self.counts.rounds += 1
        self.counts.computed_twice += computed_twice
        self.counts.failed += failed
        is_equal = results_of(self.url) == ground.expected and _trials_of(self.url) == ground.trials
        self.counts.tables_differ += not is_equal

    @property
    def n_recorded(self) -> int:
        """Number of trials that the store had at the last check."""
        return len(self._seen)


def _trials_of(url: str) -> dict[Any, Any]:
    return {name: (trial.key, trial.result) for name, trial in read_recorded(url)[0].items()}
