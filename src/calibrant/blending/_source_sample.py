"""Rows of a source in memory: those of the smallest hashes of row numbers, some of every class among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data._internal import Source, SourcePart, hash_codes

if TYPE_CHECKING:
    import pandas as pd

_MOST = 100_000  # rows: five times what the weights of members are fitted to
_OF_A_CLASS = 500  # rows of each class, where it has so many


@dataclass(frozen=True, eq=False)
class SourceSample:
    """Sampled rows, with the number of rows of each class in the whole source."""

    X: pd.DataFrame
    numbers: NDArray[np.int64]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    counts: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """Number of rows of the source."""
        return int(self.counts.sum())

    @property
    def balanced_weights(self) -> NDArray[np.float64] | None:
        """The weights with which each class has its share of the source; None where all rows are sampled."""
        sampled = np.bincount(self.codes, minlength=len(self.counts))
        expected = self.counts * (len(self.codes) / self.n_rows)
        if len(self.codes) == self.n_rows:
            return self.weights
        of_class = np.divide(expected, sampled, out=np.ones(len(sampled)), where=sampled > 0)[self.codes]
        return np.asarray(of_class if self.weights is None else of_class * self.weights)

    def take(self, rows: NDArray[np.intp]) -> SourceSample:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return SourceSample(self.X.iloc[rows], self.numbers[rows], self.codes[rows], weights, self.counts)


def sample_source(source: Source, classes: NDArray[Any], most: int = _MOST) -> SourceSample:
    """Return the sample of a source, in the order of its rows; all of them where there are few.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._internal import open_source
    >>> with open_source(polars.LazyFrame({"x": [1, 2, 3], "y": [0, 1, 1]}), target="y") as source:
    ...     sample_source(source, np.array([0, 1])).codes
    array([0, 1, 1], dtype=int32)
    """
    source.survey()
    merge = partial(_merge, most=most)
    found: SourceSample = source.reduce(_of_part, classes, most, merge=merge, description="Sampling rows")
    return found.take(np.argsort(found.numbers))


def _of_part(part: SourcePart, classes: NDArray[Any], most: int) -> SourceSample:
    codes = part.class_codes(classes)
    numbers = np.arange(len(codes), dtype=np.int64) + (part.first_row or 0)
    X = part.X
    nominal = [name for name, kind in X.dtypes.items() if str(kind) == "category"]
    frame = X.astype(dict.fromkeys(nominal, object))  # the categories of parts may differ
    counts = np.bincount(codes, minlength=len(classes)).astype(np.int64)
    return _of_least_hashes(SourceSample(frame, numbers, codes, part.weights, counts), most)


def _merge(first: SourceSample, second: SourceSample, most: int) -> SourceSample:
    import pandas as pd

    if not len(first.codes) or not len(second.codes):
        return first if len(first.codes) else second
    weights = None
    if first.weights is not None and second.weights is not None:
        weights = np.concatenate([first.weights, second.weights])
    both = SourceSample(
        pd.concat([first.X, second.X], ignore_index=True),
        np.concatenate([first.numbers, second.numbers]),
        np.concatenate([first.codes, second.codes]),
        weights,
        first.counts + second.counts,
    )
    return _of_least_hashes(both, most)


def _of_least_hashes(sample: SourceSample, most: int) -> SourceSample:
    if len(sample.numbers) <= most:
        return sample
    # Hashes of row numbers do not depend on how the source is cut into parts, nor on the order of their merges
    order = np.argsort(hash_codes([sample.numbers], len(sample.numbers)))
    kept = np.zeros(len(order), dtype=bool)
    kept[order[:most]] = True
    for code in range(len(sample.counts)):
        kept[order[sample.codes[order] == code][:_OF_A_CLASS]] = True
    return sample.take(np.flatnonzero(kept))
