"""A test of whether probabilities are calibrated, which Auto consults first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DRAWS = 399  # with the observed outcomes 400: the size of 5 % is exact
_SEED = 19_580_101  # arbitrary and fixed: the same rows have the same p-value in every fit
_CHUNK = 1 << 20  # numbers held at once
_WAVES = 6  # the shortest has three periods; the j-th counts 1 / j**2
_SINGULAR = 1e-10  # directions of a covariance of unit diagonal below this are rounding
_TIE = 1e-9  # statistics nearer than this, relatively, are equal: outcomes are discrete


def calibration_pvalue(
    log_proba: NDArray[np.float64],
    codes: NDArray[np.int32],
    weight: NDArray[np.float64],
    groups: NDArray[np.intp] | None = None,
) -> float:
    """Return the p-value of the hypothesis that each row's class is drawn from its probabilities.

    Parameters
    ----------
    log_proba : array of shape (n_rows, n_classes)
        The logarithms of probabilities, none of which is 0.
    codes : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,)
        The weight of each row; up to 1 it is a share of a row, above 1 it multiplies the row's variance too.
    groups : array of shape (n_rows,), optional
        The number of each row's group. Outcomes of a group may depend on each other, so the sums of groups are given
        random signs in place of drawing outcomes. Where every row is a group of its own, its weight counts its outcome
        in full, as a probability weight does.

    Returns
    -------
    float
        The p-value.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> proba = random.beta(2, 2, 100)
    >>> y, logs = (random.random(100) < proba).astype(np.int32), np.log(np.stack([1 - proba, proba], axis=1))
    >>> calibration_pvalue(logs, y, np.ones(100)) > 0.05, calibration_pvalue(3 * logs, y, np.ones(100)) < 0.01
    (True, True)
    """
    rows = _Rows.of(log_proba)
    own = rows.sums(codes[np.newaxis], weight)
    if groups is None:
        null = rows.draws(np.maximum(np.sqrt(weight), weight))
    elif len(np.unique(groups)) == len(groups):  # whole rows, whatever they weigh
        null = rows.draws(weight)
    else:
        null = rows.sign_flips(codes, weight, groups)
    return _least_pvalue(_statistics(np.concatenate([own, null])))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows by class: the probabilities, and the functions of each that its excess of outcomes is summed with."""

    proba: NDArray[np.float64]  # (n_rows, n_classes)
    functions: NDArray[np.float64]  # (n_classes, n_rows, n_functions): the logarithm, 1 and waves over the ranks

    @classmethod
    def of(cls, log_proba: NDArray[np.float64]) -> _Rows:
        """Return rows by the logarithms of their probabilities."""
        proba = np.exp(log_proba)
        proba /= proba.sum(axis=1, keepdims=True)
        return cls(proba, np.stack([_functions(logs) for logs in log_proba.T]))

    def sums(self, codes: NDArray[np.int32], weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of each class and function, for each row of `codes`, which holds a class for every row."""
        return np.stack(
            [((codes == k) - self.proba[:, k]) * weight @ each for k, each in enumerate(self.functions)], axis=1
        )

    def draws(self, scale: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of classes drawn from the probabilities, each row's excess multiplied by its `scale`."""
        random, upper = np.random.default_rng(_SEED), self.proba.cumsum(axis=1)[:, :-1]
        at_once = max(1, _CHUNK // self.proba.size)
        sizes = [min(at_once, _DRAWS - start) for start in range(0, _DRAWS, at_once)]
        drawn = ((random.random((size, len(upper), 1)) > upper).sum(axis=2, dtype=np.int32) for size in sizes)
        return np.concatenate([self.sums(codes, scale) for codes in drawn])

    def sign_flips(
        self, codes: NDArray[np.int32], weight: NDArray[np.float64], groups: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the sums with a random sign for each group."""
        own = ((codes[:, np.newaxis] == np.arange(self.proba.shape[1])) - self.proba) * weight[:, np.newaxis]
        numbers = np.unique(groups, return_inverse=True)[1]
        signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (_DRAWS, int(numbers.max()) + 1))[:, numbers]
        return np.stack([(signs * own[:, k]) @ each for k, each in enumerate(self.functions)], axis=1)


def _functions(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    _, numbers, counts = np.unique(logs, return_inverse=True, return_counts=True)
    share_below = ((np.cumsum(counts) - counts / 2.0) / len(logs))[numbers]
    waves = np.cos(np.pi * np.outer(share_below, np.arange(1, _WAVES + 1)))
    return np.column_stack([logs, np.ones(len(logs)), waves / np.arange(1, _WAVES + 1)])


def _statistics(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics (rows) of the observed and of drawn outcomes (columns)."""
    line, waves = sums[:, :, :2].reshape(len(sums), -1), sums[:, :, 2:].reshape(len(sums), -1)
    combinations = (sums[:, :, 1], sums[:, :, 0].sum(axis=1, keepdims=True), line)
    return np.stack([*(_quadratic_form(each) for each in combinations), (waves**2).sum(axis=1)])


def _quadratic_form(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared length of each row in units of the rows' covariance."""
    scaled = sums / np.maximum(np.sqrt((sums**2).mean(axis=0)), np.finfo(np.float64).tiny)
    inverse = np.linalg.pinv(scaled.T @ scaled / len(scaled), rcond=_SINGULAR, hermitian=True)
    return np.asarray(((scaled @ inverse) * scaled).sum(axis=1))


def _least_pvalue(statistics: NDArray[np.float64]) -> float:
    """Return the p-value of the first column, by the least p-value that a statistic (row) has in each column."""
    total = statistics.shape[1]
    ranks = [np.searchsorted(np.sort(each), each - _TIE * (each + each.mean())) for each in statistics]
    least = (total - np.array(ranks)).min(axis=0)
    return float((least <= least[0]).mean())


def standard_error_of_mean(
    values: NDArray[np.float64], weight: NDArray[np.float64], groups: NDArray[np.intp] | None = None
) -> float:
    """Return the standard error of a weighted mean; rows of a group are one observation.

    Without groups weights are frequencies. With groups it is that of a ratio of totals of groups (Cochran 1977), which
    holds for weights of any kind.

    Examples
    --------
    >>> values = np.array([1.0, 1.0, 3.0, 3.0])
    >>> round(standard_error_of_mean(values, np.ones(4)), 3)
    0.577
    >>> standard_error_of_mean(values, np.ones(4), np.array([0, 0, 1, 1]))
    1.0
    """
    total = float(weight.sum())
    deviations = values - float(weight @ values) / total
    if groups is None:
        return float(np.sqrt(float(weight @ deviations**2) / max(total - 1.0, 1.0) / total))
    sums, sizes = np.bincount(groups, weight * deviations), np.bincount(groups)
    n_groups = int(np.count_nonzero(sizes))
    return float(np.sqrt(float(sums @ sums) * n_groups / max(n_groups - 1, 1)) / total)
