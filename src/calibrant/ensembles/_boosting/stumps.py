"""Boosted stumps as arrays, and their sum: a step function of each column, since a stump tests only one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._internal import Rows, Schema


class StumpMember(NamedTuple):
    """A stump: its test, the class weights in its branches, and the probabilities there; classes in declared order."""

    feature: int
    threshold: float
    category: int
    gain: float
    counts: NDArray[np.float64]
    proba: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Stumps:
    """Trees of one test as read-only arrays with one entry for each stump; each has three branches.

    The first branch takes numbers up to the threshold, or one category; the second the other values; the third missing
    values, including categories that were not seen in `fit`.

    Parameters
    ----------
    feature : array of shape (n_stumps,)
        The column that each stump tests, -1 for none: then every row is in the first branch.
    threshold : array of shape (n_stumps,)
        Half-way between two values of the training rows; NaN where the column is nominal.
    category : array of shape (n_stumps,)
        The category of the first branch, a position among those of the column; -1 where the column is numeric.
    gain : array of shape (n_stumps,)
        The improvement of the criterion by the test, per unit of weight.
    counts : array of shape (n_stumps, 3, n_classes)
        The weights of the sorted classes in each branch, in the round of the stump.
    schema : Schema
        Names, kinds and categories of the columns.

    Examples
    --------
    >>> from calibrant.ensembles import BoostedStumpsClassifier
    >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    >>> model.stumps_.threshold
    array([1.5, 3.5])
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    category: NDArray[np.int32]
    gain: NDArray[np.float64]
    counts: NDArray[np.float64]
    schema: Schema

    def __len__(self) -> int:
        return len(self.feature)

    def to_frame(self) -> Any:
        """Return the stumps as a pandas frame with a row for each, in the order of the rounds.

        Returns
        -------
        pandas.DataFrame
            The test of each stump and its gain.

        Examples
        --------
        >>> from calibrant.ensembles import BoostedStumpsClassifier
        >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
        >>> model.stumps_.to_frame()["test"].tolist()
        ['x0 <= 1.5', 'x0 <= 3.5']
        """
        pd = optional_import("pandas", extra="data", purpose="return stumps as a frame")
        names = np.array([*self.schema.names, ""], dtype=object)
        tests = [self._test(i) for i in range(len(self))]
        columns = {"column": names[self.feature], "test": tests, "threshold": self.threshold, "gain": self.gain}
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self), name="round"))

    def _test(self, i: int) -> str:
        if self.feature[i] < 0:
            return ""
        feature = self.schema.features[self.feature[i]]
        if self.category[i] < 0:
            return f"{feature.name} <= {self.threshold[i]:g}"
        return f"{feature.name} = {feature.categories[self.category[i]]}"

    def __repr__(self) -> str:
        used = len(np.unique(self.feature[self.feature >= 0]))
        return f"<Stumps: {len(self):,} on {used:,} of {len(self.schema.features):,} columns>"


def column_of(rows: Rows, j: int) -> NDArray[Any]:
    """Return a column of the rows: numbers with NaN, or category codes, negative where missing."""
    columns = rows[1]
    return columns[j] if isinstance(columns, list) else columns[:, j]


def branch_of(stump: StumpMember, rows: Rows) -> NDArray[np.intp]:
    """Return the branch of each row at one stump."""
    if stump.feature < 0:
        return np.zeros(rows[0], dtype=np.intp)
    values = column_of(rows, stump.feature)
    if stump.category < 0:
        return np.where(np.isnan(values), 2, (values > np.float64(stump.threshold)).astype(np.intp))
    return np.where(values < 0, 2, (values != stump.category).astype(np.intp))


class StumpSums:
    """The contributions of stumps (stumps x branches x classes) in the branches of the rows, summed over the first few.

    Each number is looked up once among all thresholds of its column; its position among those of fewer stumps follows.

    Examples
    --------
    >>> from calibrant.ensembles import BoostedStumpsClassifier
    >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    >>> contributions = np.array([[[1.0], [10.0], [0.0]], [[2.0], [20.0], [0.0]]])
    >>> sums = StumpSums(model.stumps_, contributions, (2, np.array([[1.0], [3.0]])))
    >>> sums.of_first(2).tolist(), sums.of_first(1).tolist()
    ([[3.0], [12.0]], [[1.0], [10.0]])
    """

    def __init__(self, stumps: Stumps, contributions: NDArray[np.float64], rows: Rows) -> None:
        self._stumps, self._contributions, self._rows = stumps, contributions, rows
        self._lookups: dict[int, _Lookup] = {}

    def of_first(self, n_stumps: int) -> NDArray[np.float64]:
        """Return the sums over the first stumps, to the last bit what they are without the others."""
        feature, contributions = self._stumps.feature[:n_stumps], self._contributions[:n_stumps]
        # Stumps without a test have one branch, the same for all rows.
        sums = np.tile(contributions[feature < 0, 0].sum(axis=0), (self._rows[0], 1))
        for j in np.unique(feature[feature >= 0]).tolist():
            of_column = np.flatnonzero(feature == j)
            if self._stumps.category[of_column[0]] < 0:
                sums += self._lookup(j).sum(contributions[of_column])
            else:
                n_categories = len(self._stumps.schema.features[j].categories)
                categories, values = self._stumps.category[of_column], column_of(self._rows, j)
                sums += _sum_nominal(categories, contributions[of_column], values, n_categories)
        return sums

    def _lookup(self, j: int) -> _Lookup:
        if j not in self._lookups:
            thresholds = self._stumps.threshold[self._stumps.feature == j]
            self._lookups[j] = _Lookup.of(thresholds, column_of(self._rows, j))
        return self._lookups[j]


class _Lookup(NamedTuple):
    """The order of the thresholds of a numeric column, and the position of each of its values among them."""

    order: NDArray[np.intp]
    positions: NDArray[np.int32]
    is_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, thresholds: NDArray[np.float64], values: NDArray[Any]) -> _Lookup:
        order = np.argsort(thresholds, kind="stable")
        # side="left" counts the thresholds below a value, as a value equal to one goes to the first branch.
        positions = np.searchsorted(thresholds[order], values.astype(np.float64), side="left")
        return cls(order, positions.astype(np.int32), np.isnan(values))

    def sum(self, contributions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the contributions of the first stumps of the column: the second branch where a threshold is below."""
        is_first = self.order < len(contributions)
        order = self.order[is_first]
        # Sorted by threshold, the stumps a value exceeds are a prefix: one cumulative sum answers all rows.
        steps = contributions[order, 1] - contributions[order, 0]
        table = np.concatenate([[np.zeros(contributions.shape[2])], np.cumsum(steps, axis=0)])
        table += contributions[:, 0].sum(axis=0)
        n_below = np.concatenate([[0], np.cumsum(is_first)])
        found: NDArray[np.float64] = table[n_below][self.positions]
        found[self.is_missing] = contributions[:, 2].sum(axis=0)
        return found


def _sum_nominal(
    categories: NDArray[np.int32], contributions: NDArray[np.float64], values: NDArray[Any], n_categories: int
) -> NDArray[np.float64]:
    # Every category is "another one" for all stumps but those that test it, which are corrected after.
    table = np.tile(contributions[:, 1].sum(axis=0), (n_categories + 1, 1))
    np.add.at(table, categories, contributions[:, 0] - contributions[:, 1])
    table[n_categories] = contributions[:, 2].sum(axis=0)
    return np.asarray(table[np.where(values < 0, n_categories, values)])


def stack_stumps(members: list[StumpMember], order: NDArray[np.intp], schema: Schema) -> Stumps:
    """Return the stumps of all rounds as arrays, with the classes sorted."""
    arrays = (
        np.array([member.feature for member in members], dtype=np.int32),
        np.array([member.threshold for member in members]),
        np.array([member.category for member in members], dtype=np.int32),
        np.array([member.gain for member in members]),
        np.stack([member.counts[:, order] for member in members]),
    )
    for array in arrays:
        array.setflags(write=False)
    return Stumps(*arrays, schema)
