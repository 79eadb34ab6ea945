"""A grown forest as whoever holds a part of its rows needs it, to read it by those rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant import _core
from calibrant.ensembles._readings.forest_members import AllRows, Members
from calibrant.ensembles._readings.leaf_paths import WalkedPaths

if TYPE_CHECKING:
    from calibrant.data._internal import CodedPart
    from calibrant.ensembles._levels.bag_weights import BagWeights
    from calibrant.trees import Tree
    from calibrant.trees._internal import LevelPlan

__all__ = ["PartForest"]


@dataclass(frozen=True, eq=False)
class PartForest:
    """The trees, and the plan by which they were grown: columns, and how bags are drawn."""

    trees: Sequence[Tree]
    plan: LevelPlan

    def members(self, part: CodedPart, whole: AllRows) -> Members:
        """Return the forest with the rows of a part, of those of which `whole` is known; paths are walked at each use.

        Labels are positions in the sorted classes.
        """
        plan = self.plan
        cores = [tree.core for tree in self.trees]
        paths = _core.leaf_paths_of_table(cores, plan.table_of(part), 0, plan.n_threads)
        return Members(
            self.trees,
            WalkedPaths(paths, part.n_rows, plan.n_threads),
            cast("BagWeights", plan.row_weights).bags(part),
            np.argsort(self.trees[0].order)[part.labels],
            plan.n_classes,
            part.weights,
            groups=part.groups,
            whole=whole,
        )
