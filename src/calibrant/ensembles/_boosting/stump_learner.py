"""Stumps as members of boosting: the rows of every column are sorted once, so a round takes linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.ensembles._boosting.adaboost_variants import MemberPredictions
from calibrant.ensembles._boosting.stumps import StumpMember

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._internal import Examples

__all__ = ["STUMP_CRITERIA", "StumpCriterion", "StumpEstimate", "StumpLearner"]

StumpCriterion: TypeAlias = Literal["entropy", "gain_ratio", "gini", "dkm", "twoing"]
StumpEstimate: TypeAlias = Literal["frequency", "laplace"]
STUMP_CRITERIA: tuple[StumpCriterion, ...] = ("entropy", "gain_ratio", "gini", "dkm", "twoing")


class StumpLearner:
    """Fits one stump each round to coded rows and their weights."""

    advice = ""
    is_random = False

    def __init__(self, examples: Examples, criterion: str, estimate: str, n_jobs: int | None) -> None:
        self._n_classes = len(examples.classes)
        self._kinds = [feature.kind for feature in examples.table.schema.features]
        self._prior_counts = 1.0 if estimate == "laplace" else 0.0
        core_criterion = _core.StumpCriterion[criterion]
        table = examples.table.core
        self._search = _core.stump_search(table, examples.labels, self._n_classes, core_criterion, n_threads(n_jobs))
        self.weights = np.ones(examples.n_rows) if examples.weights is None else examples.weights.copy()
        self._total = float(self.weights.sum())

    def fit(self, number: int) -> tuple[StumpMember, MemberPredictions]:  # noqa: ARG002
        """Find the stump of a round; all rows of one class and branch have one prediction."""
        self._stump = self._search.best(self.weights)
        self._counts = np.asarray(self._stump.counts)
        member = self._member(self._stump)
        labels = np.tile(np.arange(self._n_classes), 3)
        return member, MemberPredictions(np.repeat(member.proba, self._n_classes, axis=0), labels, self._counts.ravel())

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows in each branch and class, scaled to their previous sum."""
        scale = self._total / (factors * self._counts.ravel()).sum()
        self._search.reweight(self._stump, (factors * scale).reshape(3, -1), self.weights)

    def _member(self, stump: _core.Stump) -> StumpMember:
        is_nominal = stump.column >= 0 and self._kinds[stump.column] == "nominal"
        threshold = np.nan if is_nominal or stump.column < 0 else stump.threshold
        category = stump.code if is_nominal else -1
        return StumpMember(stump.column, threshold, category, stump.gain, self._counts, self._proba(self._counts))

    def _proba(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities in the branches; one without weight has those of all rows."""
        filled = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, counts.sum(axis=0))
        filled = filled + self._prior_counts
        return np.asarray(filled / filled.sum(axis=1, keepdims=True))
