"""The reading of a forest whose rows are in parts: what is counted or predicted there is added up or put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._memory import FLOAT_BYTES, format_bytes, machine_memory
from calibrant.ensembles._levels.oob_rows import MeanTables, OobRows, RowsReader, VoteShares, read_rows
from calibrant.ensembles._levels.part_members import PartForest
from calibrant.ensembles._readings.forest_reading import ForestReader, ReadingOptions

if TYPE_CHECKING:
    from calibrant.ensembles._bagging.forest import Forest
    from calibrant.trees._internal import LevelPlan, Parts

__all__ = ["read_levels"]

_MEMORY_SHARE = 4  # out-of-bag probabilities may take a quarter of the memory of the process that fits


def read_levels(parts: Parts, plan: LevelPlan, forest: Forest, options: ReadingOptions) -> ForestReader:
    """Return the reading of a forest, with all that is computed from the rows: to the bit that of all rows at once."""
    reader = ForestReader(forest, options, _too_large(plan.n_rows, plan.n_classes))
    if forest.params.bootstrap is not None:
        _store_out_of_bag(reader, parts, parts.share(PartForest(forest.trees, plan)), plan.n_rows)
    return reader


def _too_large(n_rows: int, n_classes: int) -> str | None:
    """Return why out-of-bag probabilities of all rows are not kept, or None."""
    n_bytes, memory = n_rows * n_classes * FLOAT_BYTES, machine_memory()
    if n_bytes <= memory // _MEMORY_SHARE:
        return None
    return (
        f"oob_proba_ is not stored: the out-of-bag probabilities of {n_rows:,} rows take {format_bytes(n_bytes)}, more "
        f"than a quarter of the memory here ({format_bytes(memory)}). Use oob_score_, or fit on a machine with more "
        "memory."
    )


def _store_out_of_bag(reader: ForestReader, parts: Parts, shared: Any, n_rows: int) -> None:
    """Store the out-of-bag score of a reading, and the probabilities where they fit memory."""
    n_classes, keep, sums = len(reader.forest.examples.classes), reader.why_not is None, np.zeros(2)
    proba = np.empty((n_rows if keep else 0, n_classes))

    def receive(found: OobRows) -> None:
        sums[:] += found.right, found.total
        if found.proba is not None:
            proba[found.rows] = found.proba

    for rows_reader in _rows_readers(reader):
        parts.each(read_rows, keep, parts.share(rows_reader), shared, receive=receive)
    vars(reader)["oob_score"] = float(sums[0] / sums[1]) if sums[1] > 0 else float("nan")
    if keep:
        vars(reader)["oob_proba"] = proba


def _rows_readers(reader: ForestReader) -> Iterator[RowsReader]:
    """Yield what out-of-bag probabilities are read from, for one pass over the rows each."""
    if reader.options.combine == "vote":
        yield VoteShares(reader.frequencies, reader.options.smooth_votes)
    else:
        yield MeanTables(reader.tables)
