"""Bootstrap replicates of predictions by the core: rows or clusters are resampled as weights of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._random import stream, stream_seed


class Draws(NamedTuple):
    """The values of a metric in replicates, and with blocks of rows left out (None where there are no such values).

    `center` is the value that replicates vary about, where it is not that of the rows, which has a bias.
    """

    drawn: NDArray[np.float64]
    left_out: NDArray[np.float64] | None
    center: float | None = None


RANK_MEASURES = (
    "positive",
    "negative",
    "auc",
    "average_precision",
    "ks",
    "top_positive",
    "lift_area",
    "lift_area_negative",
)
MOST_BLOCKS = 200  # left out one by one: enough to know the acceleration of BCa to 0.003
_MOST_NUMBERS = 2**22  # of the aggregates that are held at a time: 32 MB


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """A plan to resample rows: units, strata and weights.

    Parameters
    ----------
    unit : array of shape (n_rows,) or None
        The unit that each row is drawn with, numbered so that strata are contiguous; None: each row is its own unit.
    stratum_ends : array of uint64
        The number of units up to the end of each stratum.
    unit_weight : array of shape (n_units,) or None
        The number of copies of each unit to draw from.
    row_weight : array of shape (n_rows,) or None
        The weight of a row when it is drawn.

    Examples
    --------
    >>> Sampling.of(4).stratum_ends
    array([4], dtype=uint64)
    """

    unit: NDArray[np.uint32] | None
    stratum_ends: NDArray[np.uint64]
    unit_weight: NDArray[np.float64] | None = None
    row_weight: NDArray[np.float64] | None = None

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.stratum_ends[-1])

    @staticmethod
    def of(
        n_rows: int,
        *,
        copies: NDArray[np.float64] | None = None,
        row_weight: NDArray[np.float64] | None = None,
        stratum: NDArray[np.intp] | None = None,
        group: NDArray[np.intp] | None = None,
    ) -> Sampling:
        """Return a plan to draw rows: within strata if `stratum` is passed, whole groups if `group` is.

        Examples
        --------
        >>> Sampling.of(4, stratum=np.array([1, 0, 1, 1])).unit
        array([1, 0, 2, 3], dtype=uint32)
        """
        if group is not None:
            ends = np.array([int(group.max()) + 1], dtype=np.uint64)
            # Weights of grouped rows stay with the rows: the unit drawn is the group.
            return Sampling(group.astype(np.uint32), ends, None, copies if row_weight is None else row_weight)
        if stratum is None:
            return Sampling(None, np.array([n_rows], dtype=np.uint64), copies, row_weight)
        order = np.argsort(stratum, kind="stable")
        # Units of a stratum are neighbors, so that the core draws within ranges.
        unit = np.empty(n_rows, dtype=np.uint32)
        unit[order] = np.arange(n_rows, dtype=np.uint32)
        ends = np.cumsum(np.bincount(stratum)).astype(np.uint64)
        return Sampling(unit, ends, None if copies is None else copies[order], row_weight)


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Rows from the most to the least likely.

    Parameters
    ----------
    rows : array of uint32 or None
        The row at each rank; None: the rows are in this order.
    marks : array of uint8
        1 for a row of the class, plus 2 for the last of the rows that share a probability.

    Examples
    --------
    >>> RankedRows.of(np.array([0.2, 0.9, 0.2]), np.array([True, True, False])).marks
    array([3, 1, 2], dtype=uint8)
    """

    rows: NDArray[np.uint32] | None
    marks: NDArray[np.uint8]

    @staticmethod
    def of(proba: NDArray[np.float64], positive: NDArray[np.bool_]) -> RankedRows:
        """Return rows sorted by the probability of a class."""
        order = np.argsort(-proba, kind="stable")
        return RankedRows(order.astype(np.uint32), RankedRows.sorted(proba[order], positive[order]).marks)

    @staticmethod
    def sorted(proba: NDArray[np.float64], positive: NDArray[np.bool_]) -> RankedRows:
        """Return rows that are sorted already."""
        is_last = np.append(proba[1:] != proba[:-1], True)
        # Two flags in a byte: the class, and the end of a tie, all that areas and distances need of a row.
        return RankedRows(None, (positive + 2 * is_last.astype(np.uint8)).astype(np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The rows of replicates with what is aggregated: row values, cells, rankings.

    Examples
    --------
    >>> Resampled(2, values=(np.array([1.0, 2.0]),)).n_cells
    0
    """

    n_rows: int
    values: tuple[NDArray[np.float64], ...] = ()
    cells: NDArray[np.uint32] | None = None
    n_cells: int = 0
    rankings: tuple[RankedRows, ...] = ()
    top_share: float = 0.1
    area_alone: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """The aggregates of each replicate.

    Parameters
    ----------
    weight : array of shape (n_replicates,)
        The weight of all rows.
    values : array of shape (n_replicates, n_values)
        The mean of each value.
    cells : array of shape (n_replicates, n_cells)
        The weight in each cell.
    rankings : array of shape (n_replicates, n_rankings, n_measures)
        The measures of each ranking, named in `RANK_MEASURES`.

    Examples
    --------
    >>> drawn, left_out = replicate(Resampled(3, (np.ones(3),)), Sampling.of(3), np.random.SeedSequence(0), 5)
    >>> drawn.values.ravel(), left_out.weight
    (array([1., 1., 1., 1., 1.]), array([2., 2., 2.]))
    """

    weight: NDArray[np.float64]
    values: NDArray[np.float64]
    cells: NDArray[np.float64]
    rankings: NDArray[np.float64]

    def ranked(self, measure: str, ranking: int = 0) -> NDArray[np.float64]:
        """Return one measure of a ranking for each replicate."""
        return self.rankings[:, ranking, RANK_MEASURES.index(measure)]


def replicate(
    rows: Resampled,
    sampling: Sampling,
    seed: np.random.SeedSequence,
    n_boot: int,
    *,
    n_threads: int = 1,
    leave_out: bool = True,
) -> tuple[Replicates, Replicates | None]:
    """Draw bootstrap replicates, and jackknife replicates with one block of rows left out; None if units have copies.

    Parameters
    ----------
    rows : Resampled
        The rows and what to aggregate.
    sampling : Sampling
        How they are resampled.
    seed : numpy.random.SeedSequence
        The root of all randomness; results are the same for any number of threads.
    n_boot : int
        The number of replicates.
    n_threads : int
        The number of threads.
    leave_out : bool
        Whether to leave blocks out, from which BCa estimates skewness.

    Returns
    -------
    Replicates, Replicates or None
        Those drawn, and those with a block left out.
    """
    drawn = _run(rows, sampling, n_boot, stream_seed(seed, 0), n_threads)
    blocks = left_out_blocks(sampling, seed) if leave_out else None
    if blocks is None:
        return drawn, None
    return drawn, _run(rows, sampling, int(blocks.max()) + 1, 0, n_threads, blocks=blocks)


def replicate_in_parts(
    rows: Resampled, sampling: Sampling, seed: np.random.SeedSequence, n_boot: int, *, n_threads: int = 1
) -> Iterator[tuple[bool, Replicates]]:
    """Yield what `replicate` returns, few enough replicates at a time to hold, and whether rows are left out of them.

    Examples
    --------
    >>> parts = replicate_in_parts(Resampled(3, (np.ones(3),)), Sampling.of(3), np.random.SeedSequence(0), 5)
    >>> [(is_left_out, len(part.weight)) for is_left_out, part in parts]
    [(False, 5), (True, 3)]
    """
    blocks = left_out_blocks(sampling, seed)
    size = max(1, _MOST_NUMBERS // (1 + len(rows.values) + rows.n_cells + len(rows.rankings) * len(RANK_MEASURES)))
    for of_blocks, n_replicates in ((None, n_boot), (blocks, 0 if blocks is None else int(blocks.max()) + 1)):
        for first in range(0, n_replicates, size):
            n_left = min(size, n_replicates - first)
            part = _run(rows, sampling, n_left, stream_seed(seed, 0), n_threads, blocks=of_blocks, first=first)
            yield of_blocks is not None, part


def replicate_counts(rows: Resampled, counts: NDArray[np.uint32], n_threads: int = 1) -> Replicates:
    """Return replicates whose draws are known: how often each row is drawn, a line for each replicate.

    Examples
    --------
    >>> replicate_counts(Resampled(2, (np.array([1.0, 2.0]),)), np.array([[2, 0], [1, 1]], dtype=np.uint32)).values
    array([[1. ],
           [1.5]])
    """
    flat = np.ascontiguousarray(counts).ravel()
    return _run(rows, Sampling.of(rows.n_rows), len(counts), 0, n_threads, counts=flat)


def left_out_blocks(sampling: Sampling, seed: np.random.SeedSequence) -> NDArray[np.uint32] | None:
    """Return the block that each unit is left out with; None where units have copies, or there is only one.

    Examples
    --------
    >>> left_out_blocks(Sampling.of(4), np.random.SeedSequence(0))
    array([2, 0, 3, 1], dtype=uint32)
    """
    if sampling.unit_weight is not None or sampling.n_units < 2:
        return None
    n_blocks = min(sampling.n_units, MOST_BLOCKS)
    # A random permutation first: files are often sorted, and blocks of neighbors would differ systematically.
    return (stream(seed, 1).permutation(sampling.n_units) % n_blocks).astype(np.uint32)


def _run(
    rows: Resampled,
    sampling: Sampling,
    n_replicates: int,
    seed: int,
    n_threads: int,
    *,
    blocks: NDArray[np.uint32] | None = None,
    counts: NDArray[np.uint32] | None = None,
    first: int = 0,
) -> Replicates:
    widths = (1, len(rows.values), rows.n_cells, len(rows.rankings) * _core.N_RANK_MEASURES)
    weight, values, cells, rankings = (np.empty(n_replicates * width) for width in widths)
    _core.resample(
        _core.ResampledRows(
            n_rows=rows.n_rows,
            row_unit=sampling.unit,
            row_weight=sampling.row_weight,
            values=list(rows.values),
            cells=rows.cells,
            n_cells=rows.n_cells,
            rankings=[(ranking.rows, ranking.marks) for ranking in rows.rankings],
        ),
        stratum_ends=sampling.stratum_ends,
        unit_weights=sampling.unit_weight,
        seed=seed,
        blocks=blocks,
        counts=counts,
        first=first,
        n_replicates=n_replicates,
        everything=not rows.area_alone,
        top_share=rows.top_share,
        n_threads=n_threads,
        out=(weight, values, cells, rankings),
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        # A replicate without weight, all rows of it drawn no times, is NaN and not an error.
        means = values.reshape(n_replicates, -1) / weight[:, None]
    shape = (n_replicates, len(rows.rankings), _core.N_RANK_MEASURES)
    return Replicates(weight, means, cells.reshape(n_replicates, -1), rankings.reshape(shape))
