"""The reading of a forest whose rows are in parts: what is counted or predicted there is added up or put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibrant._memory import FLOAT_BYTES, format_bytes, machine_memory
from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._levels.part_passes import (
    OobRows,
    PartForest,
    Voters,
    choose_level_alpha,
    count_all_cells,
    count_all_leaves,
    n_out_of_bag,
    pool_cell_counts,
    read_rows,
    vote_shares,
)
from calibrant.ensembles._readings.eb_pets import (
    N_FIFTHS,
    EBPets,
    eb_pets_of,
    fifth_average,
    fifth_level,
    honest_oob_proba,
    pool_counts,
)
from calibrant.ensembles._readings.forest_members import AllRows, out_of_bag_average
from calibrant.ensembles._readings.forest_reading import ForestReader, ReadingOptions
from calibrant.ensembles._readings.mob_esp import MobEsp, n_voting_of_share
from calibrant.ensembles._readings.pooling import Alpha, PooledTree, core_pooling, is_local
from calibrant.trees._internal import LevelPlan, Parts

_BY_PAIRS = (
    "oob_proba_ and oob_score_ of MOB-ESP compare all pairs of rows that share a leaf, and the rows are on several "
    "workers where trees are grown level by level. Start workers that have memory for the codes of all rows, or use "
    'out_of_bag="count" (EBPETsClassifier).'
)
_MEMORY_SHARE = 4  # out-of-bag probabilities may take a quarter of the memory of the process that fits


def read_levels(parts: Parts, plan: LevelPlan, forest: Forest, options: ReadingOptions) -> ForestReader:
    """Return the reading of a forest, with all that is computed from the rows: to the bit that of all rows at once."""
    by_pairs = options.combine != "vote" and options.out_of_bag == "condition"
    reader = ForestReader(forest, options, _BY_PAIRS if by_pairs else _too_large(plan.n_rows, plan.n_classes))
    rows = _RowsInParts(parts, plan, reader)
    if options.out_of_bag == "condition":
        # Set as cached values: the reader would compute them from rows that are not here.
        vars(reader)["n_voters"] = rows.count_voters()
    if by_pairs:
        vars(reader)["mob_esp"] = rows.read_mob_esp()
    elif options.combine != "vote" and options.out_of_bag != "ignore":
        vars(reader)["eb_pets"] = rows.read_eb_pets()
    if forest.params.bootstrap is not None and not by_pairs:
        rows.store_out_of_bag()
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


class _RowsInParts:
    """The rows of a reading, in parts that share the forest and what is known of all rows."""

    def __init__(self, parts: Parts, plan: LevelPlan, reader: ForestReader) -> None:
        self._parts, self._reader, self._plan, self._n_rows = parts, reader, plan, plan.n_rows
        self._class_weights = reader.forest.examples.class_weights
        self._forest = parts.share(PartForest(reader.forest.trees, plan))
        self._whole = parts.share(AllRows(self._class_weights))

    def read_eb_pets(self) -> EBPets:
        """Return the reading by the counts of all rows, which the parts share from then on."""
        counts, pooling = self._count(), self._reader.pooling
        self._whole = self._parts.share(AllRows(self._class_weights, counts))
        alpha = choose_level_alpha(self._parts, pooling, self._class_weights, self._whole, self._forest)
        return eb_pets_of(self._pool(counts, alpha), pooling, alpha)

    def read_mob_esp(self) -> MobEsp:
        """Return the reading by leaf and out-of-bag vote."""
        fallback, reader = self.read_eb_pets(), self._reader
        trees, voters = reader.forest.trees, self._parts.share(Voters(reader.frequencies))
        shared = voters, self._whole, self._forest
        cells = count_all_cells(self._parts, trees, *shared, multiplicity=self._multiplicity)
        core = core_pooling(reader.forest.examples, reader.pooling, fallback.alpha)
        tables = [pool_cell_counts(tree, each, core) for tree, each in zip(trees, cells, strict=True)]
        return MobEsp(tables, fallback, fallback.alpha, np.empty(0, dtype=np.int32))

    def count_voters(self) -> int:
        """Return the number of trees that label a new row."""
        share, n_trees = self._reader.options.vote_trees, len(self._reader.forest.trees)
        if share == "out_of_bag":
            share = n_out_of_bag(self._parts, self._plan, n_trees) / (n_trees * self._n_rows)
        return n_voting_of_share(share, n_trees)

    def store_out_of_bag(self) -> None:
        """Store the out-of-bag score of the reading, and the probabilities where they fit memory."""
        reader, sums = self._reader, np.zeros(2)
        keep = reader.why_not is None
        proba = np.empty((self._n_rows if keep else 0, len(self._class_weights)))

        def receive(found: OobRows) -> None:
            sums[:] += found.right, found.total
            if found.proba is not None:
                proba[found.rows] = found.proba

        for fifth, read in self._rows_readers():
            shared = self._parts.share(read), self._whole, self._forest
            self._parts.each(read_rows, keep, fifth, *shared, receive=receive)
        vars(reader)["oob_score"] = float(sums[0] / sums[1]) if sums[1] > 0 else float("nan")
        if keep:
            vars(reader)["oob_proba"] = proba

    def _rows_readers(self) -> Iterator[tuple[int | None, Callable[..., NDArray[np.float64]]]]:
        """Yield functions that read out-of-bag probabilities of all rows or of a fifth, for one pass each."""
        reader, options = self._reader, self._reader.options
        if options.combine == "vote":
            yield None, partial(vote_shares, reader.frequencies, smooth=options.smooth_votes)
        elif options.out_of_bag == "ignore":
            yield None, partial(out_of_bag_average, reader.tables)
        elif is_local(reader.estimate):
            yield None, partial(honest_oob_proba, pooling=reader.pooling, alpha=reader.eb_pets.alpha)
        else:
            for fifth in range(N_FIFTHS):
                trees = self._pool(self._count(without=fifth), reader.eb_pets.alpha)
                yield fifth, partial(fifth_average, level=fifth_level(trees, reader.pooling))

    @property
    def _multiplicity(self) -> bool:
        return self._reader.options.in_bag_counts == "multiplicity"

    def _count(self, without: int | None = None) -> list[NDArray[np.float64]]:
        multiplicity, trees = self._multiplicity, self._reader.forest.trees
        return count_all_leaves(
            self._parts, trees, self._whole, self._forest, multiplicity=multiplicity, without=without
        )

    def _pool(self, counts: list[NDArray[np.float64]], alpha: Alpha) -> list[PooledTree]:
        reader = self._reader
        core = core_pooling(reader.forest.examples, reader.pooling, alpha)
        return pool_counts(reader.forest.trees, counts, core)
