"""The weights of the rows of a part in the bag of each tree of a forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.ensembles._bagging.bags import BagSampling, Bootstrap, ForestBags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart
    from calibrant.trees._internal import Parts

__all__ = ["BagWeights", "count_classes"]


@dataclass(frozen=True, eq=False)
class BagWeights:
    """How the bags of a forest are drawn; the units of all parts, and those before each part by its first row."""

    kind: Bootstrap | None
    seed: np.random.SeedSequence
    max_samples: float
    n_units: tuple[int, ...]
    first_units: dict[int, tuple[int, ...]]

    @classmethod
    def of(
        cls,
        parts: Parts,
        kind: Bootstrap | None,
        seed: np.random.SeedSequence,
        max_samples: float,
        *,
        n_classes: int,
        n_groups: int | None = None,
    ) -> BagWeights:
        """Return how bags are drawn from all parts, whose rows are counted."""
        counted = sorted(parts.reduce(count_classes, n_classes, merge=_joined), key=lambda each: each[:2])
        counts = np.array([of_part for *_, of_part in counted], dtype=np.int64).reshape(len(counted), n_classes)
        before = np.cumsum(counts, axis=0) - counts
        if n_groups is not None:
            n_units, first = (n_groups,), [(0,)] * len(counted)
        elif kind == "by_class":
            n_units, first = tuple(counts.sum(axis=0).tolist()), [tuple(each) for each in before.tolist()]
        else:
            n_units, first = (int(counts.sum()),), [(each,) for each in before.sum(axis=1).tolist()]
        # of empty parts and the one that follows them, which begin at the same row, the last is right for both
        first_units: dict[int, tuple[int, ...]] = {
            first_row: units for (first_row, *_), units in zip(counted, first, strict=True)
        }
        return cls(kind, seed, max_samples, n_units, first_units)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:
        """Return the weight of each row in the bag of a tree; None where all rows are in it with a weight of 1."""
        if self.kind is None or not part.n_rows:
            return part.weights
        times = self.bags(part).count(tree).astype(np.float64)
        return times if part.weights is None else times * part.weights

    def bags(self, part: CodedPart) -> ForestBags:
        """Return the rows of a part in the bags of all trees."""
        first = self.first_units[part.first_row]
        sampling = BagSampling(self.kind, part.labels, part.groups, self.max_samples, self.n_units, first)
        return ForestBags.draw(sampling, self.seed)


def count_classes(n_classes: int, part: CodedPart) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Return the first row of a part, its number of rows and that of each class."""
    return [(part.first_row, part.n_rows, np.bincount(part.labels, minlength=n_classes))]


def _joined(
    several: Sequence[list[tuple[int, int, NDArray[np.int64]]]],
) -> list[tuple[int, int, NDArray[np.int64]]]:
    return [each for one in several for each in one]
