"""The verdict on calibration: its kind, its words and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from calibrant.metrics._verdict.pattern import OffRange

__all__ = ["ClassBound", "Kind", "Verdict"]

Kind = Literal["calibrated", "miscalibrated", "too little to matter", "cannot tell"]


class ClassBound(NamedTuple):
    """The bound and the test of one class, or of the rows predicted to be of it.

    Parameters
    ----------
    name : str
        The class or predicted class; "" where there are two.
    share, predicted, observed : float
        The fraction of the rows, their mean probability, and the observed frequency.
    gap_bound, tolerance : float
        The bound on the mean error, and the tolerance.
    pvalue : float
        That of perfect calibration, adjusted for all classes.
    """

    name: str
    share: float
    predicted: float
    observed: float
    gap_bound: float
    tolerance: float
    pvalue: float


@dataclass(frozen=True)
class Verdict:
    """The verdict on calibration, which prints as a sentence.

    Parameters
    ----------
    kind : {"calibrated", "miscalibrated", "too little to matter", "cannot tell"}
        The verdict in short: the mean error is bounded within the tolerance and no error is found; an error is found
        that matters; an error is found, but bounded within the tolerance and nowhere large; or none is found and the
        bound exceeds the tolerance.
    words : str
        The verdict in a sentence: its kind, and then `average`, `bound`, `finding` and `unseen`.
    gap_bound : float
        The upper confidence bound on the mean absolute difference of the probabilities and the true frequencies. With
        more than two classes, that of the class or predicted class whose bound is the largest relative to its
        tolerance.
    loss_bound : float or None
        The same on the mean log-loss that miscalibration costs, in nats; with more than two classes, the largest of
        each class against the others. None where the rows allow no bound.
    money_bound : float or None
        The same on the mean cost of a row; None without costs.
    rows_needed : int or None
        Where the verdict is "cannot tell": the approximate number of rows, in all, from which on the bound of a
        calibrated model is within the tolerance in 80 % of samples.
    off : tuple of OffRange
        The ranges where the probabilities are too high or too low, each with the fraction of the rows, the mean
        probability and the observed frequency.
    tolerance : float
        The largest mean error that does not matter: the smaller of the absolute and the relative one.
    pvalue : float
        The p-value of perfect calibration, of all tests together.
    tests : dict of str to float
        The p-value of each test on its own.
    average, bound, finding, unseen : str
        What came true on average; how far off it can be; what the tests found; what could have stayed unseen.
    classes : tuple of ClassBound
        The bound of everything that was judged.

    Examples
    --------
    >>> print(Verdict("calibrated", "calibrated: at most 2 points off on average"))
    calibrated: at most 2 points off on average
    """

    kind: Kind
    words: str
    gap_bound: float = float("nan")
    loss_bound: float | None = None
    money_bound: float | None = None
    rows_needed: int | None = None
    off: tuple[OffRange, ...] = ()
    tolerance: float = float("nan")
    pvalue: float = float("nan")
    tests: Mapping[str, float] = field(default_factory=dict, hash=False)
    average: str = ""
    bound: str = ""
    finding: str = ""
    unseen: str = ""
    classes: tuple[ClassBound, ...] = ()

    def __str__(self) -> str:
        return self.words

    @property
    def sentences(self) -> tuple[str, ...]:
        """The parts of the verdict after its kind, each a sentence.

        Examples
        --------
        >>> Verdict("calibrated", "", average="9 % predicted, 8 % came true", bound="at most 2 points off").sentences
        ('9 % predicted, 8 % came true.', 'At most 2 points off.')
        """
        said = (self.average, self.bound, self.finding, self.unseen)
        return tuple(f"{part[0].upper()}{part[1:]}." for part in said if part) or (f"{self.words}.",)
