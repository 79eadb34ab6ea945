"""Out-of-bag probabilities of the rows of a part, and their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from calibrant.ensembles._readings.averages import Cells, out_of_bag_average, score_sums
from calibrant.ensembles._readings.honest_out_of_bag import N_FIFTHS, fifth_average, honest_oob_proba
from calibrant.ensembles._readings.out_of_bag_weight import Alpha
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.ensembles._readings.votes import count_votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart
    from calibrant.ensembles._levels.part_members import PartForest
    from calibrant.ensembles._readings.forest_members import AllRows, Members

__all__ = ["FifthTables", "HonestLeaves", "MeanTables", "OobRows", "RowsReader", "VoteShares", "read_rows"]


class RowsReader(Protocol):
    """What out-of-bag probabilities are read from, the same for all parts; picklable."""

    def proba(self, members: Members, first_row: int) -> tuple[slice, NDArray[np.float64]]:
        """Return some rows of a part that begins at a row of the whole source, and their probabilities."""


@dataclass(frozen=True, eq=False)
class MeanTables:
    """The probabilities at the nodes of each tree, as of bagged trees (B-PETs)."""

    tables: Sequence[NDArray[np.float64]]

    def proba(self, members: Members, first_row: int) -> tuple[slice, NDArray[np.float64]]:  # noqa: ARG002
        """Return all rows, and the means over the trees without each."""
        return slice(0, members.n_rows), out_of_bag_average(self.tables, members)


@dataclass(frozen=True, eq=False)
class VoteShares:
    """The class frequencies by which the trees vote."""

    frequencies: Sequence[NDArray[np.float64]]
    smooth: bool

    def proba(self, members: Members, first_row: int) -> tuple[slice, NDArray[np.float64]]:  # noqa: ARG002
        """Return all rows, and the shares of the votes of the trees without each."""
        tally = count_votes(self.frequencies, members.paths, members.bags)
        return slice(0, members.n_rows), tally.shares(smooth=self.smooth)


@dataclass(frozen=True, eq=False)
class HonestLeaves:
    """How counts at leaves are pooled, as of EB-PETs with an estimate of the leaf alone."""

    pooling: Pooling
    alpha: Alpha

    def proba(self, members: Members, first_row: int) -> tuple[slice, NDArray[np.float64]]:  # noqa: ARG002
        """Return all rows, and the probabilities of leaves without the row itself."""
        return slice(0, members.n_rows), honest_oob_proba(members, self.pooling, self.alpha)


@dataclass(frozen=True, eq=False)
class FifthTables:
    """The probabilities of trees pooled without a fifth of the rows, as of EB-PETs with any other estimate."""

    fifth: int
    level: Sequence[Cells]

    def proba(self, members: Members, first_row: int) -> tuple[slice, NDArray[np.float64]]:
        """Return the rows of the fifth."""
        rows = slice((self.fifth - first_row) % N_FIFTHS, members.n_rows, N_FIFTHS)
        return rows, fifth_average(members, self.level)[rows]


@dataclass(frozen=True, eq=False)
class OobRows:
    """Rows by their numbers in the whole source, their probabilities unless only the score is wanted, and its sums."""

    rows: slice
    proba: NDArray[np.float64] | None
    right: float
    total: float


def read_rows(keep: bool, reader: RowsReader, whole: AllRows, forest: PartForest, part: CodedPart) -> OobRows:
    """Return the out-of-bag probabilities of some rows of a part and the sums of their score."""
    members = forest.members(part, whole)
    rows, proba = reader.proba(members, part.first_row)
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    sums = score_sums(proba, members.labels[rows], weights[rows])
    numbers = slice(part.first_row + rows.start, part.first_row + rows.stop, rows.step)
    return OobRows(numbers, proba if keep else None, *sums)
