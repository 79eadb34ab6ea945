"""Logistic regression on the columns of a table, plain or through radial functions for smooth boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from calibrant._saved import Array, TupleOf, need, saved
from calibrant.data._internal import Rows, Schema, known_moments

_BLOCK_CELLS = 2_000_000  # numbers in the design of a block of rows, 16 MB
_MAX_DENSE = 50_000_000  # numbers of a design, 400 MB; a larger one is sparse where most of it are indicators
_MIN_CATEGORY = 3.0  # weight: rarer categories share one column, as unseen ones do
_FARTHEST = 8.0  # standard deviations: beyond, a straight line says nothing of a row (covertype, kdd98_case_control)
_ROWS_OF_MEAN = 5  # a centre is the mean of so many rows, because model files may hold no training row
_PARTITIONS = 4  # of rows into groups of 5: with 2 there are too few centres of few rows (sonar, vehicle lose)
_LEAST_EIGENVALUE = 1e-6  # relative to the largest: below, a direction is rounding
_LARGE = 1e150  # products of two such numbers are finite


@saved(
    inline=True,
    categories=TupleOf(Array("i8", low=0) | None, least=1),
    centre=Array("f8", finite=True),
    scale=Array("f8", finite=True, low=0),
    has_missing=Array("b"),
)
@dataclass(frozen=True, eq=False)
class Design:
    """The coding of columns as numbers: nominal ones one-hot, numeric ones standardised, the mean where missing.

    A numeric column with missing values has a second one, 1 where the value is missing. Rare and unseen categories have
    a column together.
    """

    categories: tuple[NDArray[np.intp] | None, ...]  # of a nominal column: the position of each category's column
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, schema: Schema, arrays: Sequence[NDArray[Any]], weight: NDArray[np.float64]) -> Design:
        """Return the design that rows of these weights have."""
        categories: list[NDArray[np.intp] | None] = []
        moments = np.zeros((3, len(arrays)))
        for j, (values, feature) in enumerate(zip(arrays, schema.features, strict=True)):
            if feature.kind != "nominal":
                categories.append(None)
                moments[:2, j] = known_moments(values, weight)[:2]
                moments[2, j] = weight[~np.isfinite(values)].sum()
            else:
                counts = np.bincount(values[values >= 0], weight[values >= 0], len(feature.categories))
                is_own = counts >= _MIN_CATEGORY
                # The last position serves code -1, a missing or unseen category, as NumPy counts it from the end
                categories.append(np.append(np.where(is_own, np.cumsum(is_own) - 1, is_own.sum()), is_own.sum()))
        return cls(tuple(categories), moments[0], moments[1], moments[2] > 0)

    @property
    def n_terms(self) -> int:
        """Number of numbers that a row becomes."""
        of_nominal = sum(int(positions[-1]) + 1 for positions in self.categories if positions is not None)
        is_numeric = np.array([positions is None for positions in self.categories], dtype=bool)
        return of_nominal + int(is_numeric.sum()) + int((is_numeric & self.has_missing).sum())

    def matrix(self, arrays: Sequence[NDArray[Any]], *, is_sparse: bool = False) -> Any:
        """Return the numbers of rows, as an array or a sparse one of scipy."""
        parts: list[Any] = []
        for j, (positions, values) in enumerate(zip(self.categories, arrays, strict=True)):
            if positions is None:
                parts.extend(each[:, np.newaxis] for each in self._numeric(j, values))
            elif is_sparse:
                cells = np.ones(len(values)), (np.arange(len(values)), positions[values])
                parts.append(sparse.csr_array(cells, shape=(len(values), int(positions[-1]) + 1)))
            else:
                parts.append(np.eye(int(positions[-1]) + 1)[positions[values]])
        return sparse.hstack(parts, format="csr") if is_sparse else np.hstack(parts)

    def _numeric(self, j: int, values: NDArray[Any]) -> list[NDArray[np.float64]]:
        is_missing = ~np.isfinite(values)
        with np.errstate(over="ignore"):  # the difference of vast values may be infinite, and is clipped
            standard = np.where(is_missing, 0.0, (np.where(is_missing, 0.0, values) - self.centre[j]) / self.scale[j])
        clipped = np.clip(standard, -_FARTHEST, _FARTHEST)
        return [clipped, is_missing.astype(np.float64)] if self.has_missing[j] else [clipped]

    def check_columns(self, schema: Schema, n_terms: int) -> None:
        """Raise unless a loaded design makes so many terms of the columns of a schema."""
        features = schema.features
        lengths = {len(part) for part in (self.categories, self.centre, self.scale, self.has_missing)}
        need(lengths == {len(features)}, "has a design of other columns")
        for column, feature in enumerate(features):
            positions = self.categories[column]
            need((positions is None) == (feature.kind == "numeric"), "has a design of other kinds of columns")
            if positions is None:
                need(self.scale[column] > 0, "has a design without a scale")
            else:
                most = len(feature.categories)
                need(len(positions) == most + 1 and positions.max() == positions[-1] <= most, "has other categories")
        need(self.n_terms == n_terms, "has other coefficients than columns")


@saved(
    inline=True,
    coef=Array("f8", ndim=2, finite=True, low=-_LARGE, high=_LARGE),
    intercept=Array("f8", finite=True, low=-_LARGE, high=_LARGE),
    seen=Array("i8", low=0),
    base_rates=Array("f8", finite=True, low=0, high=1),
)
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
        max_iter: int,
    ) -> Coefficients:
        """Fit with an L2 penalty of strength 1 / C."""
        seen = np.unique(codes)
        if len(seen) == 1:
            return cls(np.zeros((1, matrix.shape[1])), np.zeros(1), seen, base_rates)
        fitted = LogisticRegression(C=C, max_iter=max_iter).fit(matrix, codes, weights)
        if len(seen) > 2:
            return cls(fitted.coef_, fitted.intercept_, seen, base_rates)
        halves = np.array([-0.5, 0.5])  # scikit-learn keeps the log-odds of two classes only: their difference
        return cls(halves[:, np.newaxis] * fitted.coef_, halves * fitted.intercept_, seen, base_rates)

    def proba(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        of_seen = softmax(matrix @ self.coef.T + self.intercept, axis=1)
        proba = np.tile(self.base_rates, (len(of_seen), 1))
        proba[:, self.seen] = of_seen * self.base_rates[self.seen].sum()
        return proba

    def check_classes(self, n_classes: int) -> None:
        """Raise unless loaded coefficients are of so many classes."""
        need(len(self.seen) == len(self.coef) == len(self.intercept) >= 1, "has other coefficients than classes")
        need(bool((np.diff(self.seen) > 0).all()) and int(self.seen[-1]) < n_classes, "has classes that are not there")
        need(len(self.base_rates) == n_classes, "has other base rates than classes")
        need(abs(self.base_rates.sum() - 1) < 1e-6, "has base rates that do not sum to 1")


@saved(centres=Array("f8", ndim=2, finite=True, low=-1e50, high=1e50) | None)
@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Coefficients of the terms of a design, or of their radial functions at centres."""

    design: Design
    coefficients: Coefficients
    centres: NDArray[np.float64] | None = None

    @classmethod
    def fit(
        cls,
        schema: Schema,
        arrays: Sequence[NDArray[Any]],
        codes: NDArray[np.intp],
        weights: NDArray[np.float64],
        base_rates: NDArray[np.float64],
        *,
        C: float,
        max_iter: int,
        n_centres: int = 0,
        random: np.random.Generator | None = None,
    ) -> LogisticModel:
        """Fit the coefficients to training rows, with an L2 penalty of strength 1 / C.

        With a random generator they are those of radial functions at most at so many centres, each a mean of rows.
        """
        design = Design.of(schema, arrays, weights)
        matrix = design.matrix(arrays, is_sparse=random is None and design.n_terms * len(weights) > _MAX_DENSE)
        if random is None:
            return cls(design, Coefficients.fit(matrix, codes, weights, base_rates, C, max_iter))
        centres = _means_of_rows(matrix, n_centres, random)
        values, vectors = eigh(_radial(centres, centres))
        kept = values > _LEAST_EIGENVALUE * values[-1]
        # With whitened functions the penalty is that of the kernel, as if all rows were centres (Nystroem)
        whitening = vectors[:, kept] / np.sqrt(values[kept])
        functions = _radial(matrix, centres) @ whitening
        fitted = Coefficients.fit(functions, codes, weights, base_rates, C, max_iter)
        return cls(design, replace(fitted, coef=fitted.coef @ whitening.T), centres)

    def proba(self, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the class probabilities of validated columns."""
        matrix = self.design.matrix(arrays)
        return self.coefficients.proba(matrix if self.centres is None else _radial(matrix, self.centres))

    def predict_proba(self, rows: Rows, *, n_jobs: int = 1) -> NDArray[np.float64]:
        """Return the class probabilities of rows, in blocks that bound the memory and do not depend on the threads."""
        n_rows, columns = rows
        arrays = list(columns.T) if isinstance(columns, np.ndarray) else columns
        n_cells = self.design.n_terms + (0 if self.centres is None else len(self.centres))
        size = max(1, _BLOCK_CELLS // max(1, n_cells))
        blocks = [[each[first : first + size] for each in arrays] for first in range(0, n_rows, size)]
        if n_jobs == 1 or len(blocks) == 1:
            return np.vstack([self.proba(block) for block in blocks])
        with ThreadPoolExecutor(n_jobs) as pool:
            return np.vstack(list(pool.map(self.proba, blocks)))

    def check_loaded(self, schema: Schema, classes: NDArray[Any]) -> None:
        """Raise unless a loaded model is of these columns and classes."""
        self.coefficients.check_classes(len(classes))
        n_terms = self.coefficients.coef.shape[1]
        if self.centres is not None:
            need(n_terms == len(self.centres), "has other coefficients than centres")
            n_terms = self.centres.shape[1]
        self.design.check_columns(schema, n_terms)


def _means_of_rows(matrix: NDArray[np.float64], n_means: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return means of five different rows near to one another, at most so many; no row is in more than four.

    There are fewer means than rows, so that rows cannot be computed from all of them together.

    Examples
    --------
    >>> _means_of_rows(np.arange(12.0)[:, np.newaxis], 4, np.random.default_rng(0)).ravel()
    array([9., 4., 2., 7.])
    """
    n_drawn = _ROWS_OF_MEAN * n_means
    rows = np.unique(matrix[random.permutation(len(matrix))[:n_drawn]], axis=0)
    distances = _squared_distances(rows, rows)
    means: list[NDArray[np.float64]] = []
    for _ in range(_PARTITIONS):
        is_free, n_left = np.ones(len(rows), dtype=bool), min(n_means // _PARTITIONS, len(rows) // _ROWS_OF_MEAN)
        for row in random.permutation(len(rows)):
            if n_left and is_free[row]:
                to_free = np.where(is_free, distances[row], np.inf)
                nearest = np.argpartition(to_free, _ROWS_OF_MEAN - 1)[:_ROWS_OF_MEAN]
                is_free[nearest] = False
                means.append(rows[nearest].mean(axis=0))
                n_left -= 1
    return np.array(means) if means else np.zeros((1, matrix.shape[1]))  # the mean of all rows, in standard deviations


def _radial(matrix: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(-d / n_columns) of the squared distances d of rows to centres."""
    return np.asarray(np.exp(-_squared_distances(matrix, centres) / matrix.shape[1]))


def _squared_distances(matrix: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = np.sum(matrix**2, axis=1)[:, np.newaxis] + np.sum(others**2, axis=1) - 2.0 * (matrix @ others.T)
    return np.asarray(np.maximum(squares, 0.0))
