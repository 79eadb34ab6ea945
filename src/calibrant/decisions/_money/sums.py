"""Sums of money with their intervals, from rows drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Choice, Int, Nothing, Real, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.metrics._internal import Judged, Predictions, Resampled, bca_interval, read_codes, replicate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Drawing", "Money", "totals"]

_CONFIDENCE = Real(0, 1, closed="neither") | Nothing()
_RULES = {
    "weight_kind": Choice("frequency", "probability"),
    "confidence": _CONFIDENCE,
    "n_boot": Int(1),
}


@dataclass(frozen=True, repr=False)
class Money:
    """A sum with its interval.

    Parameters
    ----------
    value : float
        The sum over the rows.
    low, high : float or None
        The interval of what is expected of as many rows; None where none was asked for.

    Examples
    --------
    >>> Money(1234.5, 1000.0, 1400.25)
    1,234.50 [1,000.00, 1,400.25]
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __neg__(self) -> Money:
        """Give the sum with the other sign.

        Examples
        --------
        >>> -Money(3.0, 1.0, 4.0)
        -3.00 [-4.00, -1.00]
        """
        ends = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return Money(0.0 - self.value, *ends)

    def __repr__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" [{_shown(self.low)}, {_shown(self.high)}]"
        return f"{_shown(self.value)}{ends}"


def _shown(value: float) -> str:
    """Write a sum to the cent, never as -0.00."""
    return f"{round(value, 2) + 0.0:,.2f}"


@dataclass(frozen=True)
class Drawing:
    """How rows are drawn anew for intervals.

    Parameters
    ----------
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 is the row twice, or a row that stands for two; then rows are drawn within the classes.
    groups : sequence or None
        The cluster of each row given; whole clusters are drawn.
    confidence : float or None
        That of intervals; None for no intervals.
    n_boot : int
        Number of replicates.
    random_state : seed
        Seeds the draws.

    Examples
    --------
    >>> Drawing(confidence=None).check()
    """

    weight_kind: Any = "frequency"
    groups: Any = None
    confidence: float | None = 0.95
    n_boot: int = 1000
    random_state: SeedLike = 0

    def check(self) -> None:
        """Check what was asked for."""
        for name, rule in _RULES.items():
            check_param(name, getattr(self, name), rule)

    def judged(self, read: Predictions) -> Judged:
        """Give the rows with how they are drawn."""
        group = None if self.groups is None else read_codes("groups", self.groups, read)[0]
        return Judged(
            read,
            group,
            self.weight_kind,
            self.weight_kind == "probability",
            self.n_boot,
            self.confidence,
            seed_sequence(self.random_state),
            n_threads(None),
        )


def totals(read: Predictions, values: Mapping[Any, NDArray[np.float64]], drawing: Drawing) -> dict[Any, Money]:
    """Sum values over the rows, each with an interval from the same draws (BCa; Efron 1987).

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> read = read_predictions([0, 1, 1], [0.2, 0.7, 0.6], sample_weight=[1, 1, 2])
    >>> totals(read, {"profit": np.array([-1.0, 4.0, 4.0])}, Drawing(confidence=None))
    {'profit': 11.00}
    """
    drawing.check()
    sums = {name: float((read.weight * value).sum()) for name, value in values.items()}
    if drawing.confidence is None:
        return {name: Money(value) for name, value in sums.items()}
    plan = drawing.judged(read)
    rows = Resampled(read.n_rows, values=tuple(np.ascontiguousarray(value) for value in values.values()))
    drawn, left_out = replicate(rows, plan.sampling(None), plan.seed, plan.n_boot, n_threads=plan.n_threads)
    found = {}
    for column, (name, value) in enumerate(sums.items()):
        without = None if left_out is None else read.total * left_out.values[:, column]
        ends = bca_interval(value, read.total * drawn.values[:, column], without, drawing.confidence)
        found[name] = Money(value, *ends)
    return found
