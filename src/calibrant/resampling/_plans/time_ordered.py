"""The latest rows held out to test on: what a model of the past knows of the future."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Int
from calibrant.exceptions import DataError, DataTypeError, SchemaError, nearest
from calibrant.resampling._plans.holdout import TEST_SIZE
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split, n_tested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["TimeOrderedHoldout"]


class TimeOrderedHoldout(Plan):
    """Test on the latest third of the rows and learn from the earlier ones.

    Parameters
    ----------
    test_size : float or int
        The share of rows to test on, or their number; more where rows of one time would be parted.
    time : sequence of length n_rows or str, optional
        The time of each row, anything that can be sorted, or the column of X that has it; None: the rows stand in
        order of time.
    gap : int
        So many rows just before the test rows are not learnt from, because their outcomes would not have been known
        yet.

    Notes
    -----
    With groups, rows of a group that is tested are not learnt from. It draws nothing, and classes keep the shares that
    their times give them.

    When it misleads: it is one split, at one moment, and tells of the stretch of time just after it. Where the
    world changes, a random division of the same rows looks better than the model will be in use; this does not, but
    its model has not seen the latest rows, and the one in use will have.

    Examples
    --------
    >>> next(TimeOrderedHoldout(time=[3, 1, 2, 4]).split([[0]] * 4))
    (array([1, 2, 0]), array([3]))
    """

    caution: ClassVar[str] = "One split at one moment: it tells of the stretch of time just after it."
    _interval: ClassVar[IntervalKind] = "rows"
    _rules: ClassVar = {"test_size": TEST_SIZE, "gap": Int(0)}

    def __init__(self, test_size: float = 1 / 3, *, time: Any = None, gap: int = 0) -> None:
        self.test_size = test_size
        self.time = time
        self.gap = gap

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> TimeOrderedHoldout().describe()
        'holdout of the latest 33 % of the rows'
        """
        size = f"{100 * self.test_size:.0f} % of the rows" if self.test_size < 1 else f"{self.test_size:,} rows"
        return f"holdout of the latest {size}"

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        rank = self._rank(rows)
        order = np.argsort(rank, kind="stable")
        first = rows.n_rows - n_tested(self.test_size, rows.n_rows)
        first = int(np.searchsorted(rank[order], rank[order[first]]))
        train, test = order[: max(0, first - self.gap)], order[first:]
        if rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        yield train, test

    def _rank(self, rows: PlanRows) -> NDArray[np.intp]:
        """Give the place of each row's time among all times."""
        if self.time is None:
            return np.arange(rows.n_rows)
        times = np.asarray(_column(rows.given[0], self.time) if isinstance(self.time, str) else self.time)
        if times.shape != (rows.n_rows,) or any(map(_is_missing, times)):
            raise DataError(f"time must have a value for each of the {rows.n_rows} rows, none of them missing.")
        try:
            return np.unique(times, return_inverse=True)[1].reshape(-1)
        except TypeError as error:
            raise DataTypeError(f"time must hold values that can be sorted: {error}.") from error

    def _only(self, kept: NDArray[np.intp], n_rows: int) -> TimeOrderedHoldout:
        if self.time is None or isinstance(self.time, str) or len(self.time) != n_rows:
            return self
        return TimeOrderedHoldout(self.test_size, time=np.asarray(self.time)[kept], gap=self.gap)


def _is_missing(time: Any) -> bool:
    """Say whether a time is None, or unlike itself as NaN and NaT are; that of pandas says neither."""
    try:
        return time is None or bool(time != time)
    except TypeError:
        return True


def _column(X: Any, name: str) -> Any:
    columns = [str(each) for each in getattr(X, "column_names", getattr(X, "columns", []))]
    if name not in columns:
        raise SchemaError(f"time={name!r} is no column of X.{nearest(name, columns)}")
    return X[name]
