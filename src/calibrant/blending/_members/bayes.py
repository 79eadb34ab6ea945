"""Naive Bayes as a member, cross-validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from calibrant.bayes import NaiveBayesClassifier
from calibrant.bayes._internal import Batch
from calibrant.blending._members.cross_validation import cross_validate
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable
    from calibrant.data._internal import Rows

__all__ = ["BayesLearner", "BayesModel"]


@dataclass(frozen=True, eq=False)
class BayesModel(OneReading):
    """A fitted naive Bayes classifier."""

    classifier: NaiveBayesClassifier

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:  # noqa: ARG002
        """Return the class probabilities of rows."""
        return [self.proba(new.rows)]

    def proba(self, rows: Rows) -> NDArray[np.float64]:
        """Return the class probabilities of validated rows."""
        return np.ascontiguousarray(softmax(self.classifier._joint_of(rows), axis=0).T)


@dataclass(frozen=True)
class BayesLearner:
    """Naive Bayes with numeric columns cut by minimum description length."""

    family: str = "bayes"

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit naive Bayes."""

        def fit_rows(weights: NDArray[np.float64]) -> BayesModel:
            rows = np.flatnonzero(weights)
            batch = Batch(table.take_columns(rows), table.codes[rows], table.n_classes, weights[rows])
            return BayesModel(NaiveBayesClassifier()._fit_batch(batch, table.examples.classes))

        def score(model: BayesModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return model.proba((len(rows), list(table.take_columns(rows).arrays)))

        model, held_out = cross_validate(fit_rows, score, table)
        return FittedMember(self.family, (self.family,), (held_out,), model)
