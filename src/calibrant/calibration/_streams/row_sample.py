"""A sample of rows that does not depend on the partition of a source: the smallest hashes of row numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration._fitting.replace_certain import CertainCounts, count_certain, merge_certain
from calibrant.calibration._streams.part_scores import ScoresOfParts
from calibrant.calibration._validation import ScoredRows
from calibrant.data._internal import SourcePart, hash_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_SAMPLED", "RowSample", "merge_samples", "sample_of_part"]

MOST_SAMPLED = 2**17  # rows: what the sample leaves to correct is 1/360 of a standard deviation


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """Rows with the hashes of their numbers, and counts over all rows."""

    numbers: NDArray[np.int64]
    rows: ScoredRows
    class_weights: NDArray[np.float64]
    certain: CertainCounts

    def in_order(self) -> ScoredRows:
        """Return the rows in the order of the source."""
        return self.rows.take(np.argsort(self.numbers))


def sample_of_part(part: SourcePart, parts: ScoresOfParts, most: int) -> RowSample:
    """Return the sample of a part."""
    rows = parts.rows(part)
    numbers = np.arange(len(rows.codes), dtype=np.int64) + (part.first_row or 0)
    return _of_least_hashes(RowSample(numbers, rows, rows.class_weights(), count_certain(rows)), most)


def merge_samples(first: RowSample, second: RowSample, most: int) -> RowSample:
    """Return the sample of the rows of both."""
    rows, more = first.rows, second.rows
    both = ScoredRows(
        np.concatenate([rows.scores, more.scores]),
        np.concatenate([rows.codes, more.codes]),
        rows.classes,
        np.concatenate([rows.weights(), more.weights()]),
    )
    counts = first.class_weights + second.class_weights
    numbers = np.concatenate([first.numbers, second.numbers])
    return _of_least_hashes(RowSample(numbers, both, counts, merge_certain(first.certain, second.certain)), most)


def _of_least_hashes(sample: RowSample, most: int) -> RowSample:
    if len(sample.numbers) <= most:
        return sample
    hashes = hash_codes([sample.numbers], len(sample.numbers))  # different ones for different numbers
    kept = np.argpartition(hashes, most)[:most]
    return RowSample(sample.numbers[kept], sample.rows.take(kept), sample.class_weights, sample.certain)
