"""The latest rows held out to test on: how a model of the past predicts the future."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Int
from calibrant.exceptions import DataError, DataTypeError, SchemaError, nearest
from calibrant.resampling._plans.held_out_size import SIZE, n_test_rows, size_text
from calibrant.resampling._plans.plan import Plan, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["TimeOrderedHoldout"]


class TimeOrderedHoldout(Plan):
    """Test on the latest third of the rows and train on the earlier ones.

    Parameters
    ----------
    test_size : float or int
        The share of test rows, or their number; more where rows of one time would be split.
    time : sequence of length n_rows or str, optional
        The time of each row, anything that can be sorted, or the name of its column in X; None: the rows are in
        order of time.
    gap : int
        Number of rows just before the test rows that are not trained on, because their outcomes would not have been
        known yet.

    Notes
    -----
    With groups, rows of a group that is tested are not trained on. Nothing is drawn at random, and classes have the
    proportions that their times have.

    When it misleads: it is one split, at one moment, and estimates the performance just after it. Where the
    world changes, a random split of the same rows looks better than the model will be in use; this does not, but
    its model has not seen the latest rows, and the one in use will have.

    Examples
    --------
    >>> next(TimeOrderedHoldout(time=[3, 1, 2, 4]).split([[0]] * 4))
    (array([1, 2, 0]), array([3]))
    >>> TimeOrderedHoldout().describe()
    'holdout of the latest 33 % of the rows'
    """

    caution: ClassVar[str] = "One split at one moment: it estimates the performance just after it."
    _rules: ClassVar = {"test_size": SIZE, "gap": Int(0)}

    def __init__(self, test_size: float = 1 / 3, *, time: Any = None, gap: int = 0) -> None:
        self.test_size = test_size
        self.time = time
        self.gap = gap

    def _describe(self) -> str:
        return f"holdout of the latest {size_text(self.test_size)}"

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        rank = self._rank(rows)
        order = np.argsort(rank, kind="stable")
        first = rows.n_rows - n_test_rows(self.test_size, rows.n_rows)
        first = int(np.searchsorted(rank[order], rank[order[first]]))
        train, test = order[: max(0, first - self.gap)], order[first:]
        if rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        yield train, test

    def _rank(self, rows: PlanRows) -> NDArray[np.intp]:
        """Return the rank of each row's time."""
        if self.time is None:
            return np.arange(rows.n_rows)
        times = np.asarray(_column(rows.arguments[0], self.time) if isinstance(self.time, str) else self.time)
        if times.shape != (rows.n_rows,) or any(map(_is_missing, times)):
            raise DataError(f"time must have a value for each of the {rows.n_rows} rows, none of them missing.")
        try:
            return np.unique(times, return_inverse=True)[1].reshape(-1)
        except TypeError as error:
            raise DataTypeError(f"time must hold values that can be sorted: {error}.") from error

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> TimeOrderedHoldout:
        if self.time is None or isinstance(self.time, str) or len(self.time) != n_rows:
            return self
        return TimeOrderedHoldout(self.test_size, time=np.asarray(self.time)[kept], gap=self.gap)


def _is_missing(time: Any) -> bool:
    """Return whether a time is None, or not equal to itself as NaN and NaT; pandas' NA raises on that question."""
    try:
        return time is None or bool(time != time)
    except TypeError:
        return True


def _column(X: Any, name: str) -> Any:
    columns = [str(each) for each in getattr(X, "column_names", getattr(X, "columns", []))]
    if name not in columns:
        raise SchemaError(f"time={name!r} is not a column of X.{nearest(name, columns)}")
    return X[name]
