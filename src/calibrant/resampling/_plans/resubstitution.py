"""The training rows tested again: named as what it is (Witten, Frank & Hall 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant.resampling._plans.plan import IntervalKind, Plan, Split

if TYPE_CHECKING:
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Resubstitution"]


class Resubstitution(Plan):
    """Learn from all rows and test on the same rows: what the model says of what it has seen.

    Notes
    -----
    When it misleads: always, if it is taken for the error on new rows. It is optimistic, hopelessly so for a learner
    that memorises, which makes no error at all. It is of use beside an honest estimate: the gap between the two is how
    much the learner overfits. No interval holds for it, and it draws nothing.

    Examples
    --------
    >>> next(Resubstitution().split([[1], [2], [3]]))
    (array([0, 1, 2]), array([0, 1, 2]))
    """

    caution: ClassVar[str] = "Tested on the rows it learnt from: too good, and no estimate of the error on new rows."
    _interval: ClassVar[IntervalKind] = "none"

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> Resubstitution().describe()
        'resubstitution (tested on the training rows)'
        """
        return "resubstitution (tested on the training rows)"

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        yield np.arange(rows.n_rows), np.arange(rows.n_rows)
