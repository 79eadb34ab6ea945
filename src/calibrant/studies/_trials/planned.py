"""The trials that a study consists of: every method on every split of every data set, with a key for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from calibrant.studies._definition.keys import trial_key
from calibrant.studies._trials.records import TrialRef

__all__ = ["PlannedTrials"]


@dataclass(frozen=True)
class PlannedTrials:
    """The trials of one data set.

    Parameters
    ----------
    dataset : str
        Its name.
    families : tuple of tuples of str
        The methods, those that share grown trees together.
    splits : tuple of int
        The numbers of the splits.
    digests : dict of str to str
        What the keys of a method's trials begin with.
    """

    dataset: str
    families: tuple[tuple[str, ...], ...]
    splits: tuple[int, ...]
    digests: Mapping[str, str]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.digests) * len(self.splits)

    def refs(self, methods: Sequence[str], split: int) -> tuple[TrialRef, ...]:
        """Return some methods on one split."""
        return tuple(TrialRef(trial_key(self.digests[m], split), self.dataset, m, split) for m in methods)

    def __iter__(self) -> Iterator[TrialRef]:
        for split in self.splits:
            for family in self.families:
                yield from self.refs(family, split)
