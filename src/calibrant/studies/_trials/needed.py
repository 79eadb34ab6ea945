"""What a recorded trial must have to count as finished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.studies._trials.records import Part, TrialRef

if TYPE_CHECKING:
    from calibrant.studies._store.catalogue import TrialState
    from calibrant.studies._store.leases import Worker
    from calibrant.studies._store.store import Store

__all__ = ["Needed", "is_unfinished"]


@dataclass(frozen=True)
class Needed:
    """The metrics that a finished trial has, by the rows they are computed on, and whether it has predictions."""

    metrics: Mapping[Part, tuple[str, ...]]
    predictions: bool = False

    def states(self, store: Store, name: str) -> Mapping[str, TrialState]:
        """Return the state of every recorded trial of a study."""
        return store.finished(name, self.metrics, predictions=self.predictions)

    def claim(self, store: Store, name: str, worker: Worker, keys: Iterable[str]) -> list[str]:
        """Claim those of some trials that are not finished, and return their keys."""
        return store.claim(name, worker, keys, needed=self.metrics, predictions=self.predictions)


def is_unfinished(states: Mapping[str, TrialState], ref: TrialRef) -> bool:
    """Return whether a trial is not recorded, or lacks something that is needed.

    Examples
    --------
    >>> ref = TrialRef("a-0", "iris", "tree", 0)
    >>> is_unfinished({}, ref), is_unfinished({"a-0": "incomplete"}, ref), is_unfinished({"a-0": "failed"}, ref)
    (True, True, False)
    """
    return states.get(ref.key, "incomplete") == "incomplete"
