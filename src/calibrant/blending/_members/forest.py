"""Forests as members: grown once, read in several ways, with out-of-bag probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._random import stream_seed
from calibrant.blending._members.member import BlendRows, FittedMember
from calibrant.blending._members.summed_tables import SummedTables
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._internal import Forest
from calibrant.exceptions import CalibrantWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["ForestLearner", "ForestModel"]

# What measured best for probabilities (benchmarks/defaults.py), unlike C4.5's settings
TREE_SETTINGS: dict[str, Any] = {
    "criterion": "entropy",
    "nominal_splits": "binary",
    "threshold": "midpoint",
    "mdl_penalty": False,
    "missing": "learned",  # benchmarks/missing_values.py
}
_READINGS: dict[str, dict[str, Any]] = {
    "laplace": {"estimate": "laplace"},
    "frequency": {"estimate": "frequency"},
    "eb_pets": {"kind": "eb_pets", "estimate": "laplace"},
}


@dataclass(frozen=True, eq=False)
class ForestModel:
    """The trees of a forest with the tables of its readings."""

    trees: SummedTables

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows, for each reading."""
        return list(self.trees.sums(new.rows, n_threads) / len(self.trees.trees))

    def only(self, readings: Sequence[int]) -> ForestModel:
        """Return the model with some of its readings."""
        return ForestModel(self.trees.only(readings))


@dataclass(frozen=True)
class ForestLearner:
    """Grows a forest on all rows, or each tree on a share of them."""

    family: str
    stream: int
    n_trees: int = 300
    max_features: Any = "sqrt"
    max_samples: float | None = None
    readings: tuple[str, ...] = ("laplace", "frequency", "eb_pets")

    def fit(self, table: BlendTable) -> FittedMember:
        """Grow the forest and read its out-of-bag probabilities."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)  # of copies of rows: `fit` warns once for all members
            seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))
            params = self._params(table)
            grown = params._adopt(Forest.of(table.examples, params, seed))
            read = [grown.reread(**_READINGS[name]) for name in self.readings]
            held_out = tuple(_known(each.oob_proba_, table) for each in read)
        model = ForestModel(SummedTables.of(grown.trees_, [each._reading.few_rows.tables for each in read]))
        return FittedMember(self.family, self._names, held_out, model, self._note(table))

    @property
    def _names(self) -> tuple[str, ...]:
        if len(self.readings) == 1:
            return (self.family,)
        return tuple(f"{self.family} ({reading.replace('_', '-')})" for reading in self.readings)

    def _params(self, table: BlendTable) -> BaggedTreesClassifier:
        settings = dict(TREE_SETTINGS)
        if self.max_samples is not None:
            settings |= {"bootstrap": "subsample", "max_samples": self.max_samples}
        return BaggedTreesClassifier(
            n_trees=self.n_trees, max_features=self.max_features, n_jobs=table.n_threads, **settings
        )

    def _note(self, table: BlendTable) -> str:
        if self.max_samples is None:
            return ""
        return f"{self.n_trees} trees of {round(self.max_samples * table.n_rows):,} rows each"


def _known(proba: NDArray[np.float64], table: BlendTable) -> NDArray[np.float64]:
    """Return the probabilities of the sampled pieces; base rates of the others for rows that are in every bag."""
    found = proba[table.sample.rows]
    is_missing = np.isnan(found)
    return np.where(is_missing, table.sample.base_rates_of_others, found) if is_missing.any() else found
