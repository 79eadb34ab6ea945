"""The splits of a plan by number, without holding all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.resampling._plans import splitters

if TYPE_CHECKING:
    from calibrant.resampling._plans.plan import Split
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["SplitSource"]

_MAX_KEPT_BYTES = 2**26  # those of 10 times 10 folds of 80,000 rows; all of leave-one-out take n_rows squared


class SplitSource:
    """Returns splits by their numbers, fastest in ascending order; the first ones, up to 64 MiB, are kept.

    A plan without a fixed seed splits otherwise each time it starts again: its splits are requested in order, or few
    enough to be kept.

    Examples
    --------
    >>> from calibrant.resampling import LeaveOneOut
    >>> from calibrant.resampling._plans.plan_rows import read_plan_rows
    >>> source = SplitSource(LeaveOneOut(), read_plan_rows([[1], [2], [3]]))
    >>> source.get(2)[1], source.get(0)[1]
    (array([2]), array([0]))
    """

    def __init__(self, plan: Any, rows: PlanRows) -> None:
        self.plan = plan
        self._rows = rows
        self._kept: list[Split] = []
        self._free_bytes = _MAX_KEPT_BYTES
        self._upcoming: Iterator[tuple[int, Split]] = iter(())
        self._next = 0
        self._lock = Lock()

    def __iter__(self) -> Iterator[Split]:
        """Yield all splits, none of them kept."""
        return ((np.asarray(train), np.asarray(test)) for train, test in splitters.split(self.plan, self._rows))

    def get(self, number: int) -> Split:
        """Return a split by its number; raise if there are not so many."""
        if 0 <= number < len(self._kept):
            return self._kept[number]
        with self._lock:  # a worker of Dask may run jobs in several threads
            return self._advance_to(number)

    def _advance_to(self, number: int) -> Split:
        if not 0 < self._next <= number:
            self._upcoming, self._next = zip(count(), self, strict=False), 0
        for found, split in self._upcoming:
            self._next = found + 1
            self._keep(found, split)
            if found == number:
                return split
        raise ParameterError(f"splits: {splitters.describe(self.plan)} has {self._next} splits; got number {number}.")

    def _keep(self, number: int, split: Split) -> None:
        """Keep a split that follows the kept ones while there is room."""
        if number == len(self._kept):
            self._free_bytes -= split[0].nbytes + split[1].nbytes
            if self._free_bytes >= 0:
                self._kept.append(split)
