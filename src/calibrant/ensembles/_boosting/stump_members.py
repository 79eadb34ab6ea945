"""Boosted stumps as arrays, and their sum: each looks at one column, so that the sum is one step function a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._internal import Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows

__all__ = ["Stumps", "branch_of", "column_of", "summed"]


@dataclass(frozen=True, eq=False, repr=False)
class Stumps:
    """One-test trees as read-only arrays with one entry a stump; each has three branches.

    The first branch takes numbers up to the threshold, or one category; the second the other values; the third what is
    missing, categories that were not seen among it.

    Parameters
    ----------
    feature : array of shape (n_stumps,)
        The column that each stump tests, -1 for none: then every row is in the first branch.
    threshold : array of shape (n_stumps,)
        Half-way between two values of the training rows; NaN where the column is nominal.
    category : array of shape (n_stumps,)
        The category of the first branch, a position among those of the column; -1 where the column is numeric.
    gain : array of shape (n_stumps,)
        By how much the test made the criterion better, per unit of weight.
    counts : array of shape (n_stumps, 3, n_classes)
        The weights of the classes, sorted, in each branch, as they were in the round of the stump.
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
        """Give the stumps as a pandas frame with a row for each, in the order of the rounds.

        Returns
        -------
        pandas.DataFrame
            What each stump tests, and what the test gained.

        Examples
        --------
        >>> from calibrant.ensembles import BoostedStumpsClassifier
        >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
        >>> model.stumps_.to_frame()["test"].tolist()
        ['x0 <= 1.5', 'x0 <= 3.5']
        """
        pd = optional_import("pandas", extra="data", purpose="give stumps as a frame")
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
    """Give a column of the rows: numbers with NaN, or category codes with negative ones where unknown."""
    columns = rows[1]
    return columns[j] if isinstance(columns, list) else columns[:, j]


def branch_of(stumps: Stumps, i: int, rows: Rows) -> NDArray[np.intp]:
    """Give the branch of each row at one stump."""
    if stumps.feature[i] < 0:
        return np.zeros(rows[0], dtype=np.intp)
    values = column_of(rows, int(stumps.feature[i]))
    if stumps.category[i] < 0:
        return np.where(np.isnan(values), 2, (values > stumps.threshold[i]).astype(np.intp))
    return np.where(values < 0, 2, (values != stumps.category[i]).astype(np.intp))


def summed(stumps: Stumps, said: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Sum what the stumps say in the branches of the rows; said is stumps x branches x classes.

    Examples
    --------
    >>> from calibrant.ensembles import BoostedStumpsClassifier
    >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    >>> summed(model.stumps_, np.array([[[1.0], [10.0], [0.0]], [[2.0], [20.0], [0.0]]]), (2, np.array([[1.0], [3.0]])))
    array([[ 3.],
           [12.]])
    """
    sums = np.tile(said[stumps.feature < 0, 0].sum(axis=0), (rows[0], 1))
    for j in np.unique(stumps.feature[stumps.feature >= 0]):
        of_column = np.flatnonzero(stumps.feature == j)
        values = column_of(rows, int(j))
        if stumps.category[of_column[0]] < 0:
            sums += _of_numbers(stumps.threshold[of_column], said[of_column], values)
        else:
            n_categories = len(stumps.schema.features[j].categories)
            sums += _of_categories(stumps.category[of_column], said[of_column], values, n_categories)
    return sums


def _of_numbers(
    thresholds: NDArray[np.float64], said: NDArray[np.float64], values: NDArray[Any]
) -> NDArray[np.float64]:
    """Look each number up among the thresholds: those below it say what they say of the second branch."""
    order = np.argsort(thresholds, kind="stable")
    steps = said[order, 1] - said[order, 0]
    table = np.concatenate([[np.zeros(said.shape[2])], np.cumsum(steps, axis=0)]) + said[:, 0].sum(axis=0)
    found: NDArray[np.float64] = table[np.searchsorted(thresholds[order], values.astype(np.float64), side="left")]
    found[np.isnan(values)] = said[:, 2].sum(axis=0)
    return found


def _of_categories(
    categories: NDArray[np.int32], said: NDArray[np.float64], values: NDArray[Any], n_categories: int
) -> NDArray[np.float64]:
    table = np.tile(said[:, 1].sum(axis=0), (n_categories + 1, 1))
    np.add.at(table, categories, said[:, 0] - said[:, 1])
    table[n_categories] = said[:, 2].sum(axis=0)
    return np.asarray(table[np.where(values < 0, n_categories, values)])
