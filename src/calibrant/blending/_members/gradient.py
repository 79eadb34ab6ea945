"""Gradient boosting as a member: a model for each fold, stopped early by another fold, and all of them averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream_seed
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading
from calibrant.ensembles._internal import GradientBoostedFolds, fit_gradient_boosting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["GradientLearner", "GradientModel"]


@dataclass(frozen=True, eq=False)
class GradientModel(OneReading):
    """The models of all folds."""

    folds: GradientBoostedFolds

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows."""
        return [self.folds.predict_proba(new.rows, n_jobs=n_threads)]


@dataclass(frozen=True)
class GradientLearner:
    """Boosts on all rows, the units of weighted rows in folds of their own."""

    family: str = "gradient"
    stream: int = 5

    def fit(self, table: BlendTable) -> FittedMember:
        """Boost, and take the held-out probabilities of the sampled pieces."""
        seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))
        folds = fit_gradient_boosting(table.piece_examples, table.pieces.fold, seed=seed, n_jobs=table.n_threads)
        held_out = folds.held_out_proba[table.sample.pieces]
        return FittedMember(self.family, (self.family,), (held_out,), GradientModel(folds))
