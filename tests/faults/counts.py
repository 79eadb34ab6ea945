"""Count the trials of a disturbed study that were kept, lost or recorded twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["FaultCounts"]


@dataclass
class FaultCounts:
    """The counts of the fault table.

    Parameters
    ----------
    tried : int
        Number of faults.
    rounds : int
        Number of studies that were brought to an end, each in a store of its own.
    lost : int
        Trials that were recorded, or acknowledged by `Store.record`, and are gone or changed after a fault.
    recorded_twice : int
        Trials that the store has more than once.
    computed_twice : int
        Computations that the store dropped because the trial was there.
    tables_differ : int
        Rounds whose tables or predictions differ from those of an undisturbed run.
    failed : int
        Trials that were recorded as failed, though no method fails.
    moments : Counter
        What the process was doing when the fault hit it.
    problems : list of str
        What went wrong otherwise: a process that did not end, an error of another kind.
    """

    tried: int = 0
    rounds: int = 0
    lost: int = 0
    recorded_twice: int = 0
    computed_twice: int = 0
    tables_differ: int = 0
    failed: int = 0
    slowest: float = 0.0
    moments: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, recorded twice or different."""
        return not (self.lost or self.recorded_twice or self.tables_differ or self.failed or self.problems)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"moments": dict(self.moments)}
