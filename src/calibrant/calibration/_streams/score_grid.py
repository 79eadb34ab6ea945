"""Scores of any number of rows in cells of a fixed binary grid, the same however the rows are partitioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_CELLS", "ScoreGrid", "margin_keys", "merge_grids", "probability_keys"]

MOST_CELLS = 2**16  # 2.6 MB a part and column; a cell then is 1/1000 to 1/4000 of the distance to the nearer of 0 and 1
_SIGN = np.uint64(1 << 63)
_HALF = np.float64(0.5).view(np.uint64)
_WORD = np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreGrid:
    """The cells that have rows, in ascending order, with their least and greatest score and the weight of each class.

    A cell holds the scores whose ordered keys agree but for their last `shift` bits: the least shift with at most
    ``most`` cells. Up to so many distinct scores have a cell each, and nothing is lost; where there are more, cells
    are 2^(shift - 52) of a score wide, or of the distance to the nearer of 0 and 1. All of that follows from the rows.

    Parameters
    ----------
    shift : int
        Number of bits that are cut off.
    cells : array of uint64, of shape (n_cells,)
        The keys without these bits.
    low, high : arrays of shape (n_cells,)
        The least and the greatest score of each cell.
    weight : array of shape (n_cells, n_classes)
        The weight of each class.
    most : int
        The greatest number of cells.
    """

    shift: int
    cells: NDArray[np.uint64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weight: NDArray[np.float64]
    most: int = MOST_CELLS

    @classmethod
    def of(
        cls,
        keys: NDArray[np.uint64],
        scores: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        n_classes: int,
        most: int = MOST_CELLS,
    ) -> ScoreGrid:
        """Return the grid of some rows.

        Examples
        --------
        >>> scores = np.array([0.7, 0.2, 0.7])
        >>> grid = ScoreGrid.of(probability_keys(scores), scores, np.array([1, 0, 0]), np.ones(3), 2)
        >>> grid.scores(), grid.weight.tolist(), grid.is_exact
        (array([0.2, 0.7]), [[1.0, 0.0], [1.0, 1.0]], True)
        """
        order = np.argsort(keys, kind="stable")
        by_class = np.zeros((len(keys), n_classes))
        by_class[np.arange(len(keys)), codes] = weights
        return _coarsened(0, keys[order], scores[order], scores[order], by_class[order], most)

    @property
    def is_exact(self) -> bool:
        """Whether every cell holds one distinct score."""
        return bool((self.low == self.high).all())

    def scores(self) -> NDArray[np.float64]:
        """Return the score that stands for each cell: the middle between its least and its greatest."""
        return np.where(self.low == self.high, self.low, self.low / 2 + self.high / 2)


def merge_grids(first: ScoreGrid, second: ScoreGrid) -> ScoreGrid:
    """Return the grid of the rows of both.

    Examples
    --------
    >>> one, other = (
    ...     ScoreGrid.of(margin_keys(each), each, np.zeros(2, dtype=np.int32), np.ones(2), 1)
    ...     for each in (np.array([-3.0, 1.0]), np.array([1.0, 7.5]))
    ... )
    >>> merged = merge_grids(one, other)
    >>> merged.scores(), merged.weight.ravel()
    (array([-3. ,  1. ,  7.5]), array([1., 2., 1.]))
    """
    cells = np.concatenate([first.cells, second.cells])
    order = np.argsort(cells, kind="stable")
    low, high, weight = (
        np.concatenate(pair)[order]
        for pair in ((first.low, second.low), (first.high, second.high), (first.weight, second.weight))
    )
    return _coarsened(max(first.shift, second.shift), cells[order], low, high, weight, first.most)


def _coarsened(
    shift: int,
    keys: NDArray[np.uint64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    weight: NDArray[np.float64],
    most: int,
) -> ScoreGrid:
    """Return the grid of sorted keys with the least shift, at least that passed, that leaves few enough cells."""
    if not len(keys):
        return ScoreGrid(shift, keys, low, high, weight, most)
    bits = _bit_lengths(keys[1:] ^ keys[:-1])  # two neighbors share a cell from this shift on
    n_cells = 1 + np.append(np.cumsum(np.bincount(bits, minlength=65)[:0:-1])[::-1], 0)
    shift = max(shift, int(np.argmax(n_cells <= most)))
    starts = np.flatnonzero(np.append(True, bits > shift))
    cells = (keys[starts] >> np.uint64(shift)) << np.uint64(shift) if shift < 64 else np.zeros(1, dtype=np.uint64)
    return ScoreGrid(
        shift,
        cells,
        np.minimum.reduceat(low, starts),
        np.maximum.reduceat(high, starts),
        np.add.reduceat(weight, starts, axis=0),
        most,
    )


def _bit_lengths(numbers: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the number of bits of each whole number; halves of them are exact as floats."""
    upper, lower = numbers >> _WORD, numbers & np.uint64(0xFFFFFFFF)
    of_upper, of_lower = (np.frexp(half.astype(np.float64))[1] for half in (upper, lower))
    return np.where(upper > 0, of_upper + 32, of_lower).astype(np.intp)


def margin_keys(scores: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return whole numbers in the order of the scores, their bits.

    Examples
    --------
    >>> keys = margin_keys(np.array([-2.0, -0.0, 0.0, 3.0]))
    >>> bool(keys[0] < keys[1] == keys[2] < keys[3])
    True
    """
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def probability_keys(proba: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return whole numbers in the order of probabilities, as fine near 1 as near 0.

    Examples
    --------
    >>> keys = probability_keys(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    >>> (np.diff(keys.astype(float)) > 0).all(), keys[-1] - keys[-2] == keys[1] - keys[0]
    (np.True_, np.True_)
    """
    near = (np.minimum(proba, 1.0 - proba) + 0.0).view(np.uint64)
    return np.where(proba < 0.5, near, np.uint64(2) * _HALF - near)
