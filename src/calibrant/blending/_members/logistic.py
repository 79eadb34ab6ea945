"""Logistic regression as a member: the only one that codes nominal columns one-hot and fills in missing values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from calibrant.blending._members.cross_validation import cross_validate
from calibrant.blending._members.member import BlendRows, FittedMember, OneReading
from calibrant.blending._table.blend_table import base_rates
from calibrant.data._internal import known_moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["Coefficients", "Design", "LogisticLearner", "LogisticModel", "in_blocks"]

_MAX_ITER = 200
_BLOCK_CELLS = 2_000_000  # numbers in the design of a block of rows, 16 MB
_MIN_CATEGORY = 3.0  # weight: rarer categories share one column, as unseen ones do
_FARTHEST = 8.0  # standard deviations: beyond, a straight line says nothing of a row (covertype, kdd98_case_control)


@dataclass(frozen=True, eq=False)
class Design:
    """How columns become numbers: nominal ones one-hot, numeric ones standardised, the mean where missing.

    A numeric column with missing values has a second one, 1 where the value is missing. Rare and unseen categories have
    a column together.
    """

    categories: tuple[NDArray[np.intp] | None, ...]  # of a nominal column: the position of each category's column
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, arrays: Sequence[NDArray[Any]], sizes: Sequence[int | None], weight: NDArray[np.float64]) -> Design:
        """Return the design that rows of these weights have; `sizes` is the number of categories, None if numeric."""
        categories: list[NDArray[np.intp] | None] = []
        moments = np.zeros((3, len(arrays)))
        for j, (values, n_categories) in enumerate(zip(arrays, sizes, strict=True)):
            if n_categories is None:
                categories.append(None)
                moments[:2, j] = known_moments(values, weight)[:2]
                moments[2, j] = weight[~np.isfinite(values)].sum()
            else:
                counts = np.bincount(values[values >= 0], weight[values >= 0], n_categories)
                is_own = counts >= _MIN_CATEGORY
                categories.append(np.append(np.where(is_own, np.cumsum(is_own) - 1, is_own.sum()), is_own.sum()))
        return cls(tuple(categories), moments[0], moments[1], moments[2] > 0)

    @classmethod
    def of_rows(
        cls, table: BlendTable, rows: NDArray[np.intp], weight: NDArray[np.float64]
    ) -> tuple[Design, NDArray[np.float64]]:
        """Return the design of some training rows, and their numbers."""
        features = table.columns.schema.features
        arrays = table.take_columns(rows).arrays
        design = cls.of(arrays, [len(each.categories) if each.kind == "nominal" else None for each in features], weight)
        return design, design.matrix(arrays)

    @property
    def n_terms(self) -> int:
        """Number of numbers that a row becomes."""
        of_nominal = sum(int(positions[-1]) + 1 for positions in self.categories if positions is not None)
        is_numeric = np.array([positions is None for positions in self.categories], dtype=bool)
        return of_nominal + int(is_numeric.sum()) + int((is_numeric & self.has_missing).sum())

    def sparse_matrix(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Return the numbers of rows as a sparse matrix of scipy."""
        parts: list[Any] = []
        for j, values in enumerate(arrays):
            positions = self.categories[j]
            if positions is None:
                parts.extend(sparse.csr_array(each[:, np.newaxis]) for each in self._numeric(j, values))
            else:
                cells = np.ones(len(values)), (np.arange(len(values)), positions[values])
                parts.append(sparse.csr_array(cells, shape=(len(values), int(positions[-1]) + 1)))
        return sparse.hstack(parts, format="csr")

    def matrix(self, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the numbers of rows."""
        parts = []
        for j, values in enumerate(arrays):
            positions = self.categories[j]
            if positions is None:
                parts.extend(self._numeric(j, values))
            else:
                parts.append(np.eye(int(positions[-1]) + 1)[positions[values]])
        return np.hstack([part.reshape(len(part), -1) for part in parts])

    def _numeric(self, j: int, values: NDArray[Any]) -> list[NDArray[np.float64]]:
        is_missing = ~np.isfinite(values)
        with np.errstate(over="ignore"):  # the difference of vast values may be infinite, and is clipped
            standard = np.where(is_missing, 0.0, (np.where(is_missing, 0.0, values) - self.centre[j]) / self.scale[j])
        clipped = np.clip(standard, -_FARTHEST, _FARTHEST)
        return [clipped, is_missing.astype(np.float64)] if self.has_missing[j] else [clipped]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients of a multinomial logistic regression; classes without training rows keep their base rates."""

    coef: NDArray[np.float64]  # classes seen x columns
    intercept: NDArray[np.float64]
    seen: NDArray[np.intp]
    base_rates: NDArray[np.float64]

    @classmethod
    def fit(
        cls,
        matrix: Any,  # dense or sparse
        codes: NDArray[np.intp],
        weights: NDArray[np.float64],
        base_rates: NDArray[np.float64],
        C: float,
        max_iter: int = _MAX_ITER,
    ) -> Coefficients:
        """Fit with an L2 penalty of strength 1 / C."""
        seen = np.unique(codes)
        if len(seen) == 1:
            return cls(np.zeros((1, matrix.shape[1])), np.zeros(1), seen, base_rates)
        fitted = _fit_logistic(matrix, codes, weights, C, max_iter)
        if len(seen) > 2:
            return cls(fitted.coef_, fitted.intercept_, seen, base_rates)
        halves = np.array([-0.5, 0.5])
        return cls(halves[:, np.newaxis] * fitted.coef_, halves * fitted.intercept_, seen, base_rates)

    def proba(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        of_seen = softmax(matrix @ self.coef.T + self.intercept, axis=1)
        proba = np.tile(self.base_rates, (len(of_seen), 1))
        proba[:, self.seen] = of_seen * self.base_rates[self.seen].sum()
        return proba


@dataclass(frozen=True, eq=False)
class LogisticModel(OneReading):
    """Coefficients on a design."""

    design: Design
    coefficients: Coefficients

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows."""
        return [in_blocks(self.proba, new, self.coefficients.coef.shape[1], n_threads)]

    def proba(self, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        return self.coefficients.proba(self.design.matrix(arrays))


def in_blocks(
    proba: Callable[[Sequence[NDArray[Any]]], NDArray[np.float64]], new: BlendRows, n_columns: int, n_threads: int
) -> NDArray[np.float64]:
    """Return the class probabilities of rows, in blocks that bound the memory and do not depend on the threads."""
    n_rows, columns = new.rows
    arrays = list(columns.T) if isinstance(columns, np.ndarray) else columns
    size = max(1, _BLOCK_CELLS // max(1, n_columns))
    blocks = [[each[first : first + size] for each in arrays] for first in range(0, n_rows, size)]
    if n_threads == 1 or len(blocks) == 1:
        return np.vstack([proba(block) for block in blocks])
    with ThreadPoolExecutor(n_threads) as pool:
        return np.vstack(list(pool.map(proba, blocks)))


@dataclass(frozen=True)
class LogisticLearner:
    """Logistic regression with an L2 penalty of strength 1 / C."""

    family: str = "logistic"
    C: float = 1.0

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit logistic regression, and its design, to each fold's training rows."""

        def fit_rows(weights: NDArray[np.float64]) -> LogisticModel:
            rows = np.flatnonzero(weights)
            design, matrix = Design.of_rows(table, rows, weights[rows])
            codes = table.codes[rows]
            rates = base_rates(codes, weights[rows], table.n_classes)
            return LogisticModel(design, Coefficients.fit(matrix, codes, weights[rows], rates, self.C))

        def score(model: LogisticModel, rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return model.proba(table.take_columns(rows).arrays)

        model, held_out = cross_validate(fit_rows, score, table)
        return FittedMember(self.family, (self.family,), (held_out,), model)


def _fit_logistic(
    matrix: Any, codes: NDArray[np.intp], weights: NDArray[np.float64], C: float, max_iter: int
) -> LogisticRegression:
    return LogisticRegression(C=C, max_iter=max_iter).fit(matrix, codes, weights)
