"""How often the rows of a part are drawn by their weights in a round of boosting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from calibrant.ensembles._boosting.drawn_rows import draw_rows
from calibrant.ensembles._levels.boosted_weights import BoostedWeights, KeptWeights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart
    from calibrant.trees._internal import Parts

__all__ = ["DrawnWeights"]

_KEPT = KeptWeights()  # every level of a tree needs them
_PartWeight = tuple[int, int, float]  # first row, number of rows, weight


@dataclass(frozen=True, eq=False)
class DrawnWeights:
    """The weights of the rows in a round, their sum over all parts, and that before each part by its first row."""

    rows: BoostedWeights
    seed: int
    total: float
    before: dict[int, float]

    @classmethod
    def of(cls, parts: Parts, rows: BoostedWeights, seed: int) -> DrawnWeights:
        """Return how rows are drawn from all parts, whose weights are added up."""
        weighed: list[_PartWeight] = sorted(parts.reduce(_weigh, rows, merge=_joined))
        ends = list(accumulate(weight for *_, weight in weighed))
        # an empty part and the one that follows it begin at the same row, with the same weight before them
        before = {first: end - weight for (first, _, weight), end in zip(weighed, ends, strict=True)}
        return cls(rows, seed, ends[-1], before)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64]:
        """Return how often each row is drawn for the tree of this round."""
        known, drawn = _KEPT.find(self.rows.run, part, tree)
        if drawn is None or known != tree:
            weights, before = self.rows.of_rows(part), self.before[part.first_row]
            drawn = draw_rows(weights, self.seed, before=before, total=self.total)
            _KEPT.keep(self.rows.run, part, tree, drawn)
        return drawn


def _weigh(rows: BoostedWeights, part: CodedPart) -> list[_PartWeight]:
    return [(part.first_row, part.n_rows, float(rows.of_rows(part).sum()))]


def _joined(several: Sequence[list[_PartWeight]]) -> list[_PartWeight]:
    return [each for one in several for each in one]
