"""Splits made elsewhere: pairs of training rows and test rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._plans.plan import Plan, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["PredefinedSplits"]


class PredefinedSplits(Plan):
    """Split rows into predefined pairs of training rows and test rows.

    Parameters
    ----------
    pairs : iterable of (train, test)
        Positions of rows, or a boolean for each row.

    Examples
    --------
    >>> plan = PredefinedSplits([([0, 1], [2]), ([True, False, True], [False, True, False])])
    >>> [(train.tolist(), test.tolist()) for train, test in plan.split([[5], [6], [7]])]
    [([0, 1], [2]), ([0, 2], [1])]
    >>> PredefinedSplits([([0], [1])]).describe()
    '1 predefined split'
    """

    def __init__(self, pairs: Iterable[Any]) -> None:
        self.pairs = [_pair(each) for each in pairs]
        if not self.pairs:
            raise ParameterError("plan has no splits; pass at least one pair of (train, test).")

    def _describe(self) -> str:
        return f"{len(self.pairs)} predefined splits" if len(self.pairs) > 1 else "1 predefined split"

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return len(self.pairs)

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        for train, test in self.pairs:
            yield _positions(train, rows.n_rows), _positions(test, rows.n_rows)

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> PredefinedSplits:
        position = np.full(n_rows, -1)
        position[kept] = np.arange(len(kept))
        parts = [[position[_positions(part, n_rows)] for part in pair] for pair in self.pairs]
        return PredefinedSplits([(train[train >= 0], test[test >= 0]) for train, test in parts])


def _pair(pair: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"plan must be pairs of (train, test), two sequences of rows each; got one of type {type(pair).__name__}."
        ) from error
    return train, test


def _positions(part: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    if part.dtype == bool and part.shape == (n_rows,):
        return np.flatnonzero(part)
    if part.size == 0:
        return np.empty(0, dtype=np.intp)
    if part.ndim != 1 or part.dtype.kind not in "iu" or part.min() < -n_rows or part.max() >= n_rows:
        raise DataError(
            f"plan: a split must hold positions of rows, 0 to {n_rows - 1}, or {n_rows} booleans; got {part!r}."
        )
    return np.asarray(part, dtype=np.intp) % n_rows
