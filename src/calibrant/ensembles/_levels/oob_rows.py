"""Out-of-bag probabilities of the rows of a part, and their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from calibrant.ensembles._readings.averages import out_of_bag_average, score_sums
from calibrant.ensembles._readings.votes import count_votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart
    from calibrant.ensembles._levels.part_members import PartForest

__all__ = ["MeanTables", "OobRows", "RowsReader", "VoteShares", "read_rows"]


class RowsReader(Protocol):
    """What out-of-bag probabilities are read from, the same for all parts; picklable."""

    def proba(self, forest: PartForest, part: CodedPart) -> tuple[slice, NDArray[np.float64]]:
        """Return some rows of a part, and their probabilities."""


@dataclass(frozen=True, eq=False)
class MeanTables:
    """The probabilities at the nodes of each tree, as of bagged trees (B-PETs)."""

    tables: Sequence[NDArray[np.float64]]

    def proba(self, forest: PartForest, part: CodedPart) -> tuple[slice, NDArray[np.float64]]:
        """Return all rows, and the mean over the trees without each."""
        return slice(0, part.n_rows), out_of_bag_average(self.tables, forest.members(part))


@dataclass(frozen=True, eq=False)
class VoteShares:
    """The class frequencies by which the trees vote."""

    frequencies: Sequence[NDArray[np.float64]]
    smooth: bool

    def proba(self, forest: PartForest, part: CodedPart) -> tuple[slice, NDArray[np.float64]]:
        """Return all rows, and the shares of the votes of the trees without each."""
        members = forest.members(part)
        return slice(0, part.n_rows), count_votes(self.frequencies, members.paths, members.bags).shares(
            smooth=self.smooth
        )


@dataclass(frozen=True, eq=False)
class OobRows:
    """Rows by their numbers in the whole source, their probabilities unless only the score is wanted, and its sums."""

    rows: slice
    proba: NDArray[np.float64] | None
    right: float
    total: float


def read_rows(keep: bool, reader: RowsReader, forest: PartForest, part: CodedPart) -> OobRows:
    """Return the out-of-bag probabilities of some rows of a part and the sums of their score."""
    rows, proba = reader.proba(forest, part)
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    sums = score_sums(proba, forest.sorted_labels(part)[rows], weights[rows])
    whole = slice(part.first_row + rows.start, part.first_row + rows.stop, rows.step)
    return OobRows(whole, proba if keep else None, *sums)
