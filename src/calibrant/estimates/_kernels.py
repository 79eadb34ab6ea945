"""Class densities as sums of product kernels at the training rows, in blocks of bounded memory.

Their widths follow a rule, or the leave-one-out likelihood (Duin 1976).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant._saved import Array, Plain, TupleOf, need, saved

WidthChoice: TypeAlias = Literal["silverman", "cv"]
CHOICES: Final = ("silverman", "cv")

# Multiples of the rule's width that are tried: the rule suits one normal bump, several narrow ones need far less, and a
# skewed column somewhat more. Steps of sqrt(2) change the likelihood of a row by at most a few hundredths.
_FACTORS = 2.0 ** np.arange(-4.0, 2.5, 0.5)
_MAX_EXACT, _N_CELLS = 1024, 4096  # more distinct values are rounded: the least width is then four cells


def numeric_width(
    values: NDArray[Any], weight: NDArray[np.float64], all_values: NDArray[Any], choice: WidthChoice
) -> float:
    """Return the width for the values of one class, at least a thousandth of the range of all rows.

    The rule is 1.06 s n^(-1/5) (Silverman 1986, eq. 3.28).

    Examples
    --------
    >>> values = np.array([0.0, 0.1, 0.2, 9.8, 9.9, 10.0])
    >>> [round(numeric_width(values, np.ones(6), values, choice), 2) for choice in ("silverman", "cv")]
    [3.98, 0.25]
    """
    total = float(weight.sum())
    least = 1e-3 * float(np.ptp(all_values.astype(np.float64))) if len(all_values) else 0.0
    if total <= 1.0:
        return least or 1.0
    mean = (values * weight).sum() / total
    deviation = np.sqrt((weight * (values - mean) ** 2).sum() / (total - 1.0))
    rule = max(1.06 * float(deviation) * total**-0.2, least) or 1.0
    return rule if choice == "silverman" else _likeliest_width(values.astype(np.float64), weight, rule, least)


def category_width(codes: NDArray[Any], weight: NDArray[np.float64], n: int, choice: WidthChoice) -> float:
    """Return the probability that the kernel of a category leaves it, for n categories.

    The rule is (n - 1) / (w + n), w the weight of the class: the kernel estimate of the column is then Laplace's.

    Examples
    --------
    >>> codes, weight = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]), np.ones(12)
    >>> [round(category_width(codes, weight, 3, choice), 3) for choice in ("silverman", "cv")]
    [0.133, 0.533]
    """
    total = float(weight.sum())
    rule = (n - 1) / (total + n)
    if choice == "silverman" or n < 2 or total <= 1.0:
        return rule
    counts = np.bincount(codes, weight, minlength=n)[codes]
    left_out = np.minimum(weight, 1.0)
    candidates = np.unique(np.minimum(rule * _FACTORS, (n - 1) / n))  # beyond it the other categories are likelier
    own, others = (counts - left_out)[:, np.newaxis], (total - counts)[:, np.newaxis]
    return _likeliest(candidates, own * (1 - candidates) + others * candidates / (n - 1), weight, rule)


def _likeliest_width(values: NDArray[np.float64], weight: NDArray[np.float64], rule: float, least: float) -> float:
    """Return the candidate under which each row is likeliest given the others; a row of weight 3 is three rows."""
    candidates = np.unique(np.maximum(rule * _FACTORS, least))
    distinct, position = _distinct(values)
    at_value = np.asarray(np.bincount(position, weight, minlength=len(distinct)), dtype=np.float64)
    left_out = np.minimum(weight, 1.0)
    remaining = (weight.sum() - left_out)[:, np.newaxis]
    sums = np.stack([_sums_of_others(distinct, at_value, width) / width for width in candidates], axis=1)
    own = (at_value[position] - left_out)[:, np.newaxis] / candidates
    with np.errstate(invalid="ignore", divide="ignore"):
        return _likeliest(candidates, (sums[position] + own) / remaining, weight, rule)


def _likeliest(
    candidates: NDArray[np.float64], densities: NDArray[np.float64], weight: NDArray[np.float64], rule: float
) -> float:
    """Return the candidate (column) of maximum likelihood, the widest if tied, the rule if all are impossible."""
    with np.errstate(divide="ignore"):
        logs = weight @ np.log(np.maximum(densities, 0.0))
    return float(candidates[len(logs) - 1 - np.argmax(logs[::-1])]) if np.isfinite(logs.max()) else rule


def _distinct(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the distinct values, or equally spaced ones near them if there are many, and the position of each row."""
    distinct, position = np.unique(values, return_inverse=True)
    if len(distinct) <= _MAX_EXACT:
        return distinct, position
    cells = np.linspace(distinct[0], distinct[-1], _N_CELLS)
    return cells, np.rint((values - cells[0]) / (cells[1] - cells[0])).astype(np.intp)


def _sums_of_others(distinct: NDArray[np.float64], weight: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return the sum of the Gaussian kernels of all other distinct values at each of them, up to a constant."""
    with np.errstate(under="ignore"):
        if len(distinct) == _N_CELLS:  # equally spaced: a kernel depends on the distance in cells alone
            kernel = np.exp(-0.5 * ((distinct - distinct[0]) / width) ** 2)
            kernel[0] = 0.0
            both = np.concatenate([kernel[:0:-1], kernel])
            return np.convolve(weight, both)[len(distinct) - 1 : 2 * len(distinct) - 1]
        kernels = np.exp(-0.5 * ((distinct[:, np.newaxis] - distinct) / width) ** 2)
    np.fill_diagonal(kernels, 0.0)
    return np.asarray(kernels @ weight)


_BLOCK = 1 << 22  # pairs of a new and a training row at a time: bounds the two temporary arrays to 32 MB each
_NEAR = float(np.log(np.finfo(np.float64).tiny))  # the logarithm of a kernel that is just above 0 in floating point


@saved(
    columns=TupleOf(Array("f8 f4 i4", finite=False)),
    label=Array("i8", low=0),
    weight=Array("f8", finite=True, low=0),
    width=Array("f8", ndim=2, finite=True),
    n_categories=Plain(),
)
@dataclass(frozen=True, slots=True, eq=False)
class ClassKernels:
    """Training rows with a kernel width for each column (rows) and class (columns).

    Parameters
    ----------
    columns : tuple of arrays
        The training rows, column by column.
    label, weight : arrays of shape (n_rows,)
        The class and the weight of each row.
    width : array of shape (n_columns, n_classes)
        The standard deviation of Gaussian kernels; of categories, the probability that a kernel leaves them.
    n_categories : dict of int to int
        Number of categories of each tested column, 0 for a numeric one.

    Examples
    --------
    >>> rows = [np.array([0.0, 2.0, 10.0])]
    >>> kernels = fit_kernels(rows, np.array([0, 0, 1]), np.ones(3), {0: 0}, 2)
    >>> kernels.width.round(3)
    array([[1.305, 0.01 ]])
    >>> densities, is_near = kernels.log_densities([np.array([1.0])], (0,), (0,))
    >>> densities[:, 0].round(2), is_near
    (array([-0.56]), array([ True]))
    """

    columns: tuple[NDArray[Any], ...]
    label: NDArray[np.intp]
    weight: NDArray[np.float64]
    width: NDArray[np.float64]
    n_categories: Mapping[int, int]

    def log_densities(
        self, rows: Sequence[NDArray[Any]], tested: Sequence[int], used: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the log density of each class (columns) at rows, up to a constant, and whether a kernel is near each.

        ``rows`` has the columns ``used``; training rows with a missing value in a ``tested`` column are left out.
        """
        complete = np.logical_and.reduce([known(self.columns[each]) for each in tested])
        found = [self._log_density(rows, used, complete & (self.label == k), k) for k in range(self.width.shape[1])]
        return np.stack([log for log, _ in found], axis=1), np.any([near for _, near in found], axis=0)

    def _log_density(
        self, rows: Sequence[NDArray[Any]], used: Sequence[int], members: NDArray[np.bool_], k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        if not members.any():
            return np.full(len(rows[0]), -np.inf), np.zeros(len(rows[0]), dtype=bool)
        pairs = [self._pair(new, each, members, k) for new, each in zip(rows, used, strict=True)]
        sums, is_near = _log_sums(pairs, self.weight[members])
        widths = sum(np.log(self.width[each, k]) for each in used if self.n_categories[each] == 0)
        return sums - widths - np.log(self.weight[members].sum()), is_near

    def _pair(self, new: NDArray[Any], column: int, members: NDArray[np.bool_], k: int) -> _Pair:
        """Pair a column of new rows with that of the training rows, in units of the kernel's width."""
        width, n = self.width[column, k], self.n_categories[column]
        old = self.columns[column][members]
        if n == 0:
            return _Pair(new.astype(np.float64) / width, old.astype(np.float64) / width)
        return _Pair(new, old, np.log1p(-width), np.log(width / (n - 1)) if n > 1 else 0.0)

    def _check_saved(self) -> None:
        (n_columns, n_classes), n_rows = self.width.shape, len(self.label)
        has_shape = len(self.columns) == n_columns and len(self.weight) == n_rows and n_classes >= 1
        need(has_shape, "has kernels of other columns or rows")
        is_class = ((self.label >= 0) & (self.label < n_classes)).all()
        need(is_class and (self.width > 0).all(), "has kernels of no class or of no width")
        tested = self.n_categories
        is_counted = type(tested) is dict and all(type(key) is int and type(n) is int for key, n in tested.items())
        need(is_counted, "must have a number of categories for each column")
        for column, n in tested.items():
            is_column = 0 <= column < n_columns and n >= 0 and len(self.columns[column]) == n_rows
            need(is_column, "has kernels of a column that does not exist")
            values, is_nominal = self.columns[column], n > 0
            is_value = not is_nominal or -1 <= values.min(initial=-1) <= values.max(initial=-1) < n
            is_kind = (values.dtype.kind == "f") != is_nominal
            need(is_kind and is_value, "has kernels of values that the column does not have")
            need(not is_nominal or (self.width[column] < 1).all(), "has kernels that are too wide")


class _Pair(NamedTuple):
    """A column of new and of training rows; for categories, the log kernel where they are equal and where not."""

    new: NDArray[Any]
    old: NDArray[Any]
    equal: float = 0.0
    unequal: float = 0.0

    def add_to(self, block: NDArray[np.float64], rows: slice) -> None:
        new = self.new[rows, np.newaxis]
        if self.old.dtype.kind == "f":
            difference = new - self.old
            difference *= difference
            block -= np.multiply(difference, 0.5, out=difference)
        else:
            block += np.where(new == self.old, self.equal, self.unequal)


def _log_sums(pairs: list[_Pair], weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the logarithm of the sum of kernels at each new row, and whether any of them is above 0."""
    n_rows, step = len(pairs[0].new), max(_BLOCK // len(weight), 1)
    sums, peaks = np.empty(n_rows), np.empty(n_rows)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        block = np.zeros((rows.stop - rows.start, len(weight)))
        with np.errstate(over="ignore"):
            for pair in pairs:
                pair.add_to(block, rows)
        peaks[rows] = block.max(axis=1)
        block -= np.maximum(peaks[rows], np.finfo(np.float64).min)[:, np.newaxis]
        np.exp(block, out=block)
        block *= weight
        with np.errstate(divide="ignore"):
            sums[rows] = np.log(block.sum(axis=1)) + peaks[rows]
    return sums, peaks > _NEAR


def fit_kernels(
    columns: Sequence[NDArray[Any]],
    label: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_categories: Mapping[int, int],
    n_classes: int,
    choice: WidthChoice = "silverman",
) -> ClassKernels:
    """Choose the widths of the kernels, for each tested column and each class separately.

    Examples
    --------
    >>> colours = [np.array([0, 0, 2, 1], dtype=np.int32)]
    >>> fit_kernels(colours, np.array([0, 0, 0, 1]), np.ones(4), {0: 3}, 2).width.round(3)
    array([[0.333, 0.5  ]])
    """
    width = np.ones((len(columns), n_classes))
    for column, n in n_categories.items():
        values, found = columns[column], known(columns[column])
        for k in range(n_classes):
            own = found & (label == k)
            width[column, k] = (
                category_width(values[own], weight[own], n, choice)
                if n
                else numeric_width(values[own], weight[own], values[found], choice)
            )
    return ClassKernels(tuple(columns), label, weight, width, n_categories)


def known(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Return marks of the values of a column that are not missing: finite numbers, codes that are not negative.

    Examples
    --------
    >>> known(np.array([1.0, np.nan])), known(np.array([-1, 0]))
    (array([ True, False]), array([False,  True]))
    """
    return np.isfinite(column) if column.dtype.kind == "f" else column >= 0


def group_rows(
    columns: Sequence[NDArray[Any]], row: NDArray[np.intp], number: NDArray[np.intp], sets: Sequence[tuple[int, ...]]
) -> Iterator[tuple[NDArray[np.intp], tuple[int, ...], tuple[int, ...]]]:
    """Yield groups of rows with the same set of columns, of which the same are known.

    Each is positions in ``row``, the columns of the set, and those of them that are known.

    Examples
    --------
    >>> columns = [np.array([1.0, np.nan, 2.0])]
    >>> [(rows.tolist(), known) for rows, _, known in group_rows(columns, np.arange(3), np.zeros(3, int), [(0,)])]
    [([1], ()), ([0, 2], (0,))]
    """
    order = np.argsort(number, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else ():
        features = sets[number[members[0]]]
        is_known = np.array([known(columns[each][row[members]]) for each in features], dtype=bool)
        patterns, which = np.unique(is_known.reshape(len(features), len(members)), axis=1, return_inverse=True)
        for i, pattern in enumerate(patterns.T):
            used = tuple(each for each, flag in zip(features, pattern, strict=True) if flag)
            yield members[which == i], features, used
