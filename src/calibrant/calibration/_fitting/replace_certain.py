"""Certain probabilities, which have no finite log-odds, replaced by the observed frequency of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._saved import MapOf, Number, need, saved
from calibrant.calibration._base import normalised
from calibrant.calibration._fitting.logits import Scale
from calibrant.calibration._validation import BinaryScores, ScoredRows

_CERTAIN = 1e-12  # where the logarithms of _fitting/logits.py are clipped


# The attribute of maps on the scale of log-odds that are no curve over a `ScoreAxis`, which holds the same numbers.
CERTAIN_ATTRIBUTE = """\
certain_ : dict or None
    The ``floor`` and the ``ceiling`` of probabilities, which replace 0 and 1; 0 and 1 themselves where no row in
    ``fit`` had them, None for margins."""


CERTAIN_FIELD = MapOf(Number(0, 1)) | None  # of `certain_` in model files


@saved(inline=True, floor=Number(0, 1), ceiling=Number(0, 1))
@dataclass(frozen=True, slots=True)
class ReplaceCertain:
    """The identity, clipped at both ends.

    A tree or forest returns 0 for classes that none of its leaves has. Some of the rows with a 0 still are of that
    class: Laplace's estimate of their share, (k + 1) / (n + 2), replaces 0, but never by more than half the
    least probability above 0, so that the ranking stays. For two classes the same is done at 1.

    Parameters
    ----------
    floor, ceiling : float
        The least and the greatest probability that remain; rows of several columns are normalised again.
    """

    floor: float
    ceiling: float = 1.0

    @classmethod
    def fit(cls, scored: ScoredRows | BinaryScores, *, only_seen: bool = False) -> ReplaceCertain:
        """Return the replacements of 0 and 1, estimated from rows.

        Parameters
        ----------
        scored : ScoredRows or BinaryScores
            Probabilities, classes and weights.
        only_seen : bool
            Whether an end that no row is at stays as it is: a map continues its curve there. Else the replacement is
            1 / (n + 2) for n rows, or half the least probability if that is less, as for rows that are not mapped.

        Returns
        -------
        ReplaceCertain
            The replacements.

        Examples
        --------
        >>> from calibrant.calibration._validation import read_scored
        >>> ReplaceCertain.fit(read_scored([0.0, 0.0, 0.0, 0.4, 0.7, 1.0], [0, 0, 1, 1, 1, 1])).floor
        0.2
        >>> ReplaceCertain.fit(read_scored([0.0] * 98 + [0.4, 1.0], [0] * 98 + [1, 1]))
        ReplaceCertain(floor=0.01, ceiling=0.75)
        >>> rows = read_scored([0.0, 0.4, 0.8], [0, 1, 1])
        >>> ReplaceCertain.fit(rows).ceiling, ReplaceCertain.fit(rows, only_seen=True).ceiling
        (0.9, 1.0)
        """
        weight = scored.weights()
        if isinstance(scored, ScoredRows) and len(scored.classes) > 2:
            is_own = scored.codes[:, None] == np.arange(len(scored.classes))
            args = scored.scores.ravel(), is_own.ravel(), np.repeat(weight, len(scored.classes))
            return cls(_replacement_of_0(*args, only_seen=only_seen))
        rows = scored if isinstance(scored, BinaryScores) else scored.two_class()
        floor = _replacement_of_0(rows.scores, rows.positive, weight, only_seen=only_seen)
        return cls(floor, 1.0 - _replacement_of_0(1.0 - rows.scores, ~rows.positive, weight, only_seen=only_seen))

    def apply(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of one class or of a row's classes with certain ones replaced.

        Examples
        --------
        >>> ReplaceCertain(0.01).apply(np.array([[0.0, 0.25, 0.75], [0.2, 0.3, 0.5]])).round(4)
        array([[0.0099, 0.2475, 0.7426],
               [0.2   , 0.3   , 0.5   ]])
        >>> ReplaceCertain(0.01, 0.9).apply(np.array([[0.0, 1.0]]))
        array([[0.1, 0.9]])
        """
        if table.ndim == 1 or table.shape[1] == 1:
            return np.clip(table, self.floor, self.ceiling)
        if table.shape[1] == 2:
            second = np.clip(table[:, 1], self.floor, self.ceiling)
            replaced = np.stack([1.0 - second, second], axis=1)
            return np.where((second != table[:, 1])[:, np.newaxis], replaced, table)
        clipped = np.maximum(table, self.floor)
        return np.where((clipped != table).any(axis=1, keepdims=True), normalised(clipped), table)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold, the arguments of `ReplaceCertain`."""
        return {"floor": self.floor, "ceiling": self.ceiling}


class ReplaceCertainMixin:
    """A map of probabilities that replaces certain ones first, by what the rows in ``fit`` show; margins stay."""

    certain_: dict[str, float] | None = None

    def _fit_certain(self, rows: ScoredRows | BinaryScores, scale: Scale) -> None:
        self.certain_ = ReplaceCertain.fit(rows, only_seen=True).to_dict() if scale == "logit" else None

    def _check_learned(self) -> None:
        super()._check_learned()  # type: ignore[misc]
        if self.certain_ is not None:
            is_complete = self.certain_.keys() == {"floor", "ceiling"}
            need(is_complete and self.certain_["floor"] <= self.certain_["ceiling"], "has wrong certain_")

    def _replace_certain(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores if self.certain_ is None else ReplaceCertain(**self.certain_).apply(scores)


def _replacement_of_0(
    proba: NDArray[np.float64], is_own: NDArray[np.bool_], weight: NDArray[np.float64], *, only_seen: bool
) -> float:
    """Return the probability that replaces 0, by all probabilities; one of 0 for the row's own class is wrong."""
    certain, least = proba <= _CERTAIN, float(proba.min(initial=np.inf))
    if least > _CERTAIN:
        return 0.0 if only_seen else min(1.0 / (float(weight.sum()) + 2.0), 0.5 * min(least, 0.5))
    share = (float(weight[certain & is_own].sum()) + 1.0) / (float(weight[certain].sum()) + 2.0)
    return min(share, 0.5 * min(float(proba[~certain].min(initial=np.inf)), 0.5))
