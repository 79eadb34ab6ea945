"""A forest of all rows of a source as a member, with its out-of-bag probabilities of the sampled rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._random import stream_seed
from calibrant.blending._members.estimator import EstimatorModel
from calibrant.blending._members.forest import TREE_SETTINGS
from calibrant.blending._members.member import FittedMember
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import CalibrantWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["SourceForestLearner"]

_STREAM = 2  # of the random streams of a blend: that of its forest
_N_TREES = 100  # fewer than of a table in memory, as each tree has all rows


@dataclass(frozen=True, eq=False)
class SourceForestLearner:
    """Grows a forest of binned columns on all rows of a source.

    Parameters
    ----------
    X : source
        The table, which the forest reads by itself.
    y : str
        Its column of classes.
    arguments : mapping
        Further arguments of `fit`: the column of weights, and the cluster.
    numbers : array of shape (n_sampled,)
        The number of each sampled row in the source.
    n_rows : int
        Number of rows of the source.
    """

    X: Any
    y: str
    arguments: Mapping[str, Any]
    numbers: NDArray[np.int64]
    n_rows: int
    family: str = "forest"

    def fit(self, table: BlendTable) -> FittedMember:
        """Grow the forest, and take its out-of-bag probabilities of the sample; base rates of rows in every bag."""
        seed = np.random.SeedSequence(stream_seed(table.seed, _STREAM))
        forest = BaggedTreesClassifier(
            n_trees=_N_TREES, max_features="sqrt", n_jobs=table.n_threads, random_state=seed, **TREE_SETTINGS
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)
            forest.fit(self.X, self.y, **self.arguments)
        held_out = forest.oob_proba_[self.numbers][table.sample.rows]
        held_out = np.where(np.isnan(held_out), table.sample.base_rates_of_others, held_out)
        note = f"{_N_TREES} trees of all {self.n_rows:,} rows, in bins"
        return FittedMember(
            self.family, (self.family,), (held_out,), EstimatorModel(forest, table.examples.classes), note
        )
