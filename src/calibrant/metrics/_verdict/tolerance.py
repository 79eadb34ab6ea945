"""The tolerance of a verdict on calibration, absolute and relative to the base rate."""

from __future__ import annotations

from typing import NamedTuple

from calibrant.metrics._calibration.probability_cells import ProbabilityCells

__all__ = ["Tolerance", "tolerance_of"]


class Tolerance(NamedTuple):
    """The largest error that does not matter, and the base rate that it is compared with.

    Parameters
    ----------
    error : float
        The smaller of the absolute tolerance and the relative one times the base rate.
    base_rate : float
        The observed frequency of the rarer outcome: positives, or negatives where those are fewer.
    of_negatives : bool
        Whether negatives are rarer.
    is_relative : bool
        Whether the relative tolerance is the smaller one.

    Examples
    --------
    >>> str(Tolerance(0.05, 0.1, is_relative=True)), str(Tolerance(0.1, 0.3, True))
    ('5 points (50 % of the base rate of 10 %)', '10 points')
    """

    error: float
    base_rate: float
    of_negatives: bool = False
    is_relative: bool = False

    @property
    def base_words(self) -> str:
        """What the base rate is."""
        return "the rate of negatives" if self.of_negatives else "the base rate"

    def __str__(self) -> str:
        from calibrant.metrics._verdict.words import percent

        share = f" ({percent(self.error / self.base_rate)} of {self.base_words} of {percent(self.base_rate)})"
        return f"{100.0 * self.error:.2g} points{share if self.is_relative else ''}"


def tolerance_of(cells: ProbabilityCells, within: float, relative: float | None) -> Tolerance:
    """Return the tolerance for some rows; half a row is added to each class, so that none has the rate 0."""
    positive = float(cells.weight @ cells.proba + cells.residual.sum())
    rate = (positive + 0.5) / (cells.total + 1.0)
    of_negatives = rate > 0.5
    base = min(rate, 1.0 - rate)
    is_relative = relative is not None and relative * base < within
    return Tolerance(relative * base if relative and is_relative else within, base, of_negatives, is_relative)
