"""Probabilities of exactly 0 and 1, which no log-loss forgives, replaced by what the rows that had them say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._base import normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import ScoredRows

__all__ = ["Mended", "mend"]

_CERTAIN = 1e-12  # nearer to 0 or 1 is as good as 0 or 1


@dataclass(frozen=True, slots=True)
class Mended:
    """The identity but at the ends.

    A forest gives 0 to classes that none of its trees saw at a leaf. Of the rows that had a 0, a share was of that
    class all the same: Laplace's estimate of it, (k + 1) / (n + 2), takes the place of 0, but never more than half the
    least probability above 0, so that the ranking stays. For two classes the same is done at 1. Where no row had a 0,
    it is 1 / (n + 2), or half the least probability seen if that is less.

    Parameters
    ----------
    floor, ceiling : float
        The least and the greatest probability that is left; rows of several columns are divided by their sum again.
    """

    floor: float
    ceiling: float = 1.0

    def table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give probabilities without 0.

        Examples
        --------
        >>> Mended(0.01).table(np.array([[0.0, 0.25, 0.75]])).round(4)
        array([[0.0099, 0.2475, 0.7426]])
        """
        clipped = np.clip(table, self.floor, self.ceiling)
        return clipped if table.shape[1] == 1 else normalised(clipped)

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON can hold and ``Mended(**...)`` reads."""
        return {"floor": self.floor, "ceiling": self.ceiling}


def mend(scored: ScoredRows) -> Mended:
    """Learn what takes the place of 0 and 1.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> mend(read_scored([0.0, 0.0, 0.0, 0.4, 0.7, 1.0], [0, 0, 1, 1, 1, 1])).floor
    0.2
    >>> mend(read_scored([0.0] * 98 + [0.4, 1.0], [0] * 98 + [1, 1]))
    Mended(floor=0.01, ceiling=0.75)
    """
    weight = np.ones(len(scored.codes)) if scored.weight is None else scored.weight
    if scored.scores.shape[1] == 1:
        proba, positive = scored.scores[:, 0], scored.codes == 1
        return Mended(_least(proba, positive, weight), 1.0 - _least(1.0 - proba, ~positive, weight))
    is_own = scored.codes[:, None] == np.arange(len(scored.classes))
    every = np.repeat(weight, len(scored.classes))
    return Mended(_least(scored.scores.ravel(), is_own.ravel(), every))


def _least(proba: NDArray[np.float64], is_own: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    certain = proba <= _CERTAIN
    half_a_step = 0.5 * float(proba[~certain].min(initial=0.5))
    if not certain.any():
        return min(1.0 / (float(weight.sum()) + 2.0), half_a_step)
    surprises = float(weight[certain & is_own].sum())
    return min((surprises + 1.0) / (float(weight[certain].sum()) + 2.0), half_a_step)
