"""Sums of money with bootstrap intervals (BCa; Efron 1987)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._params import CONFIDENCE, Choice, Int, Nothing, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.data._internal import warn_of_weights
from calibrant.metrics._internal import BootstrapPlan, Predictions, bca_interval

_RULES = {
    "weight_kind": Choice("frequency", "probability"),
    "confidence": CONFIDENCE | Nothing(),
    "n_boot": Int(1),
}


@dataclass(frozen=True, repr=False)
class Money:
    """A sum of money with its interval.

    Parameters
    ----------
    value : float
        The sum over the rows.
    low, high : float or None
        Ends of the confidence interval of the expected sum over as many rows; None where none was requested.

    Examples
    --------
    >>> Money(1234.5, 1000.0, 1400.25)
    1,234.50 [1,000.00, 1,400.25]
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __neg__(self) -> Money:
        """Return the sum with the opposite sign.

        Examples
        --------
        >>> -Money(3.0, 1.0, 4.0)
        -3.00 [-4.00, -1.00]
        """
        ends = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return Money(0.0 - self.value, *ends)

    def __repr__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" [{_to_cents(self.low)}, {_to_cents(self.high)}]"
        return f"{_to_cents(self.value)}{ends}"


def _to_cents(value: float) -> str:
    """Return a sum as text to the cent, never as -0.00."""
    return f"{round(value, 2) + 0.0:,.2f}"


@dataclass(frozen=True)
class IntervalOptions:
    """Options of the bootstrap intervals.

    Parameters
    ----------
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or a row that represents two of the population; the latter are
        resampled within their classes.
    groups : sequence or None
        The cluster of each row; whole clusters are resampled.
    confidence : float or None
        Confidence of the intervals; None for no intervals.
    n_boot : int
        Number of bootstrap replicates.
    random_state : seed
        Seed of the resampling.

    Examples
    --------
    >>> IntervalOptions(confidence=None).check()
    """

    weight_kind: Any = "frequency"
    groups: Any = None
    confidence: float | None = 0.95
    n_boot: int = 1000
    random_state: SeedLike = 0

    def check(self) -> None:
        """Raise if an option is invalid."""
        for name, rule in _RULES.items():
            check_param(name, getattr(self, name), rule)

    def for_rows(self, read: Predictions) -> BootstrapPlan:
        """Return the rows together with the way they are resampled."""
        group = None if self.groups is None else read.read_codes("groups", self.groups)[0]
        if self.weight_kind == "frequency" and self.confidence is not None:
            warn_of_weights(read.weights)
        return BootstrapPlan(
            read,
            group,
            self.weight_kind,
            self.weight_kind == "probability",
            self.n_boot,
            self.confidence,
            seed_sequence(self.random_state),
            n_threads(None),
        )


def totals(read: Predictions, values: Mapping[Any, NDArray[np.float64]], options: IntervalOptions) -> dict[Any, Money]:
    """Sum values over the rows, with BCa intervals that share their bootstrap replicates.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> read = read_predictions([0, 1, 1], [0.2, 0.7, 0.6], sample_weight=[1, 1, 2])
    >>> totals(read, {"profit": np.array([-1.0, 4.0, 4.0])}, IntervalOptions(confidence=None))
    {'profit': 11.00}
    """
    options.check()
    sums = {name: float((read.weight * value).sum()) for name, value in values.items()}
    if options.confidence is None:
        return {name: Money(value) for name, value in sums.items()}
    plan = options.for_rows(read)
    replicates, left_out = plan.replicate_means([np.ascontiguousarray(value) for value in values.values()])
    money = {}
    for column, (name, value) in enumerate(sums.items()):
        jackknife = None if left_out is None else read.total * left_out[:, column]
        ends = bca_interval(value, read.total * replicates[:, column], jackknife, options.confidence)
        money[name] = Money(value, *ends)
    return money
