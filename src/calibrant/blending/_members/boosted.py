"""Boosted trees as a member: Real AdaBoost on coded rows, cross-validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import softmax

from calibrant._random import stream_seed
from calibrant.blending._members.cross_validation import cross_validate
from calibrant.blending._members.forest import TREE_SETTINGS
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading
from calibrant.blending._members.summed_tables import SummedTables
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.ensembles._internal import ALGORITHMS, TreeLearner, boost, start_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["BoostedLearner", "BoostedModel"]

_LEAST = 1e-10  # of a probability before its logarithm, as in Real AdaBoost's own contributions


@dataclass(frozen=True, eq=False)
class BoostedModel(OneReading):
    """The members' logarithms of probabilities: the score is their mean, normalised."""

    trees: SummedTables

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the scores of rows."""
        return [self.scores(new.rows, n_threads)]

    def scores(self, rows: Any, n_threads: int) -> NDArray[np.float64]:
        """Return the geometric mean of the members' probabilities, scaled to add up to 1."""
        return np.asarray(softmax(self.trees.sums(rows, n_threads)[0] / len(self.trees.trees), axis=1))


@dataclass(frozen=True)
class BoostedLearner:
    """Real AdaBoost of small trees."""

    family: str = "boosted"
    stream: int = 0
    n_trees: int = 50  # 100 gained 0.03 points, 25 lost 0.06 with two classes and none with more (default_quality.py)
    n_trees_of_many_classes: int = 25
    max_depth: int = 4

    def fit(self, table: BlendTable) -> FittedMember:
        """Boost on all rows of the sample, and on those outside each fold for the held-out scores."""
        seed = np.random.SeedSequence(stream_seed(table.seed, self.stream))

        def fit_rows(weights: NDArray[np.float64]) -> BoostedModel:
            return self._boost(table, weights, seed)

        def score(model: BoostedModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            columns = [table.columns.arrays[j][rows] for j in range(len(table.columns.arrays))]
            return model.scores((len(rows), columns), 1)

        model, held_out = cross_validate(fit_rows, score, table)
        return FittedMember(self.family, (self.family,), (held_out,), model)

    def _boost(self, table: BlendTable, weights: NDArray[np.float64], seed: np.random.SeedSequence) -> BoostedModel:
        params = BoostedTreesClassifier(
            algorithm="real", resample=False, max_depth=self.max_depth, n_jobs=1, **TREE_SETTINGS
        )
        n_trees = self.n_trees if table.n_classes == 2 else self.n_trees_of_many_classes
        run = start_run(None, n_trees, b"", seed)
        rows = np.flatnonzero(weights)
        is_few = table.is_sampled  # a round predicts all rows that it has
        examples = table.take_examples(rows, weights[rows]) if is_few else table.examples.reweighted(weights)
        learner = TreeLearner(examples, cast("Any", params), seed)
        boost(run, learner, ALGORITHMS["real"], n_trees, type(params).__name__)
        logs = [np.log(np.maximum(member.table, _LEAST)) for member in run.members]
        return BoostedModel(SummedTables.of([member.tree for member in run.members], [logs]))
