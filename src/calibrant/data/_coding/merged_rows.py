"""Training rows without repetition: equal rows are one row of their summed weight, in an order of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._coding.row_hashes import hash_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._validation.training_rows import TrainingRows

__all__ = ["MergedRows"]


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The columns, class codes and weights of rows that differ.

    For estimators whose solvers depend on the order of rows: a row of weight 2 is then the row twice to the last bit.
    """

    arrays: tuple[NDArray[Any], ...]
    codes: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, rows: TrainingRows) -> MergedRows:
        """Return the rows that differ in a value or in their class, sorted by a hash of both.

        Examples
        --------
        >>> from calibrant.data._validation.training_rows import read_training_rows
        >>> MergedRows.of(read_training_rows([[1.0], [2.0], [1.0]], ["a", "b", "a"])).weights.tolist()
        [1.0, 2.0]
        """
        codes, n_rows = rows.labels.codes.astype(np.intp), rows.columns.n_rows
        hashes = hash_codes([*rows.columns.arrays, codes], n_rows)
        order = np.argsort(hashes, kind="stable")
        is_first = np.append(True, np.diff(hashes[order]) != 0)
        weights = np.ones(n_rows) if rows.weights is None else rows.weights[order]
        kept = order[is_first]
        merged = np.add.reduceat(weights, np.flatnonzero(is_first))
        return cls(tuple(values[kept] for values in rows.columns.arrays), codes[kept], merged)
