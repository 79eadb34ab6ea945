"""Kernel logistic regression as a member: radial functions at sampled rows (Nystroem), for smooth boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from calibrant._random import stream
from calibrant.blending._members.cross_validation import cross_validate
from calibrant.blending._members.logistic import Coefficients, Design, in_blocks
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading
from calibrant.blending._table.blend_table import base_rates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["KernelLearner", "KernelModel"]

_LEAST_EIGENVALUE = 1e-6  # relative to the largest: below, a direction is rounding


@dataclass(frozen=True, eq=False)
class KernelModel(OneReading):
    """Coefficients of the kernel values at the centres."""

    design: Design
    centres: NDArray[np.float64]
    coefficients: Coefficients

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows."""
        return [in_blocks(self.proba, new, sum(self.centres.shape), n_threads)]

    def proba(self, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        return self.coefficients.proba(_kernel(self.design.matrix(arrays), self.centres))


@dataclass(frozen=True)
class KernelLearner:
    """Logistic regression on the columns of the logistic member through radial functions at sampled rows."""

    family: str = "kernel"
    stream: int = 6
    n_centres: int = 300  # 400 gained 0.03 points (benchmarks/default_quality.py)
    C: float = 10.0
    max_iter: int = 60  # as good as 200, with half of the time

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the coefficients, with centres among the training rows of each fold."""

        def fit_rows(weights: NDArray[np.float64]) -> KernelModel:
            rows = np.flatnonzero(weights)
            design, matrix = Design.of_rows(table, rows, weights[rows])
            drawn = stream(table.seed, self.stream).permutation(len(rows))[: self.n_centres]
            centres = matrix[drawn]
            values, vectors = eigh(_kernel(centres, centres))
            kept = values > _LEAST_EIGENVALUE * values[-1]
            whitening = vectors[:, kept] / np.sqrt(values[kept])
            features = _kernel(matrix, centres) @ whitening
            codes = table.codes[rows]
            rates = base_rates(codes, weights[rows], table.n_classes)
            fitted = Coefficients.fit(features, codes, weights[rows], rates, self.C, self.max_iter)
            return KernelModel(design, centres, replace(fitted, coef=fitted.coef @ whitening.T))

        def score(model: KernelModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return model.proba(table.take_columns(rows).arrays)

        model, held_out = cross_validate(fit_rows, score, table)
        return FittedMember(self.family, (self.family,), (held_out,), model)


def _kernel(matrix: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(-d / n_columns) of the squared distances d of rows to centres."""
    squares = np.sum(matrix**2, axis=1)[:, np.newaxis] + np.sum(centres**2, axis=1) - 2.0 * (matrix @ centres.T)
    return np.asarray(np.exp(-np.maximum(squares, 0.0) / matrix.shape[1]))
