"""Resubstitution: tests on the training rows themselves (Witten, Frank & Hall 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant.resampling._plans.plan import IntervalKind, Plan, Split

if TYPE_CHECKING:
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Resubstitution"]


class Resubstitution(Plan):
    """Train on all rows and test on the same rows.

    Notes
    -----
    When it misleads: always, if it is taken for the error on new rows. It is optimistic, hopelessly so for a learner
    that memorises, which makes no error at all. It is useful next to an estimate on held-out rows: the gap between the
    two is how much the learner overfits. No interval holds for it, and nothing is drawn at random.

    Examples
    --------
    >>> next(Resubstitution().split([[1], [2], [3]]))
    (array([0, 1, 2]), array([0, 1, 2]))
    >>> Resubstitution().describe()
    'resubstitution (tested on the training rows)'
    """

    caution: ClassVar[str] = "Tested on the training rows: too good, and no estimate of the error on new rows."
    _interval: ClassVar[IntervalKind] = "none"

    def _describe(self) -> str:
        return "resubstitution (tested on the training rows)"

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        yield np.arange(rows.n_rows), np.arange(rows.n_rows)
