"""Certain probabilities, whose log-loss may be infinite, replaced by the observed frequency of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._base import normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import ScoredRows

__all__ = ["ReplaceCertain", "fit_replace_certain"]

_CERTAIN = 1e-12  # where the logarithms of _fitting/logits.py are clipped


@dataclass(frozen=True, slots=True)
class ReplaceCertain:
    """The identity, clipped at both ends.

    A forest returns 0 for classes that none of its trees has in a leaf. Some of the rows with a 0 still are of that
    class: Laplace's estimate of their share, (k + 1) / (n + 2), replaces 0, but never by more than half the
    least probability above 0, so that the ranking stays. For two classes the same is done at 1. Where no row had a 0,
    it is 1 / (n + 2), or half the least probability if that is less.

    Parameters
    ----------
    floor, ceiling : float
        The least and the greatest probability that remain; rows of several columns are normalised again.
    """

    floor: float
    ceiling: float = 1.0

    def apply(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities with certain ones replaced.

        Examples
        --------
        >>> ReplaceCertain(0.01).apply(np.array([[0.0, 0.25, 0.75]])).round(4)
        array([[0.0099, 0.2475, 0.7426]])
        """
        clipped = np.clip(table, self.floor, self.ceiling)
        return clipped if table.shape[1] == 1 else normalised(clipped)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold, the arguments of `ReplaceCertain`."""
        return {"floor": self.floor, "ceiling": self.ceiling}


def fit_replace_certain(scored: ScoredRows) -> ReplaceCertain:
    """Return the replacements of 0 and 1, estimated from rows.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> fit_replace_certain(read_scored([0.0, 0.0, 0.0, 0.4, 0.7, 1.0], [0, 0, 1, 1, 1, 1])).floor
    0.2
    >>> fit_replace_certain(read_scored([0.0] * 98 + [0.4, 1.0], [0] * 98 + [1, 1]))
    ReplaceCertain(floor=0.01, ceiling=0.75)
    """
    weight = scored.weights()
    if scored.scores.shape[1] == 1:
        proba, positive = scored.scores[:, 0], scored.codes == 1
        return ReplaceCertain(
            _replacement_of_0(proba, positive, weight), 1.0 - _replacement_of_0(1.0 - proba, ~positive, weight)
        )
    is_own = scored.codes[:, None] == np.arange(len(scored.classes))
    weight_of_entry = np.repeat(weight, len(scored.classes))
    return ReplaceCertain(_replacement_of_0(scored.scores.ravel(), is_own.ravel(), weight_of_entry))


def _replacement_of_0(proba: NDArray[np.float64], is_own: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    certain = proba <= _CERTAIN
    half_least = 0.5 * float(proba[~certain].min(initial=0.5))
    if not certain.any():
        return min(1.0 / (float(weight.sum()) + 2.0), half_least)
    errors = float(weight[certain & is_own].sum())
    return min((errors + 1.0) / (float(weight[certain].sum()) + 2.0), half_least)
