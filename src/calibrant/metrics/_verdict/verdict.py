"""The verdict on calibration, with the sentences that it consists of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from calibrant._repr import percent, points, round_up
from calibrant.metrics._calibration.probability_cells import ProbabilityCells
from calibrant.metrics._intervals.intervals import wilson_interval
from calibrant.metrics._verdict.pattern import OffRange, Pattern

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


_MOST_NAMED, _MOST_FEW = 3, 5  # classes with a finding, and those not judged

_TESTS = {
    "intercept": "the intercept",
    "slope": "the slope",
    "intercept and slope": "intercept and slope",
    "Spiegelhalter": "Spiegelhalter",
    "ECE": "the expected calibration error",
    "scan of ranges": "single ranges",
    "cumulative residuals": "cumulative residuals",
}
_FEW = 0.05  # of the rows on one side of a range: then the range has no end there


def pattern_words(pattern: Pattern) -> str:
    """Return a pattern of miscalibration in words, with its ranges.

    Examples
    --------
    >>> from calibrant.metrics._verdict.pattern import Pattern
    >>> pattern_words(Pattern("too low", (OffRange(0.01, 0.3, "too low", 1.0, 0.0, 0.08, 0.12),)))
    'probabilities are too low'
    """
    if pattern.kind == "falls":
        where = "" if pattern.falls is None else f" between {_number(pattern.falls[0])} and {_number(pattern.falls[1])}"
        return f"the curve falls: higher scores come true less often{where}"
    if pattern.kind == "unplaced":
        return f"an error that no range explains is found by the test of {_TESTS[pattern.by]}"
    if len(pattern.off) == 1 and pattern.kind == pattern.off[0].how:
        only = pattern.off[0]
        if only.share >= 1.0:  # the average came before
            return f"probabilities are {pattern.kind}"
        where = "" if only.share >= 1.0 - 2.0 * _FEW else f" {_range(only)}"
        return f"probabilities are {pattern.kind}{where}: {_rates(only)}"
    parts = "; ".join(f"{_range(part)} {_rates(part)}" for part in pattern.off)
    return f"probabilities are {pattern.kind}: {parts}"


def average_words(name: str, cells: ProbabilityCells, confidence: float | None) -> str:
    """Return the mean probability, and what came true, with Wilson's interval for independent rows."""
    predicted = float(cells.weight @ cells.proba) / cells.total
    positive = min(max(cells.total * predicted + float(cells.residual.sum()), 0.0), cells.total)
    observed = positive / cells.total
    of = f"for {name}, " if name else ""
    if confidence is None:
        return f"{of}{percent(predicted)} predicted, {percent(observed)} came true"
    low, high = wilson_interval(positive, cells.total, confidence)
    half = (high - low) / 2.0
    decimals = min(max(math.ceil(-math.log10(10.0 * half)), 0), 6) if half > 0.0 else 1
    first, second, least, most = (f"{100.0 * rate:.{decimals}f}" for rate in (predicted, observed, low, high))
    return f"{of}{first} % predicted, {second} % came true ({least} to {most})"


def bound_words(
    confidence: float, gap: float, share: float | None, money: float | None, name: str, n_judged: int
) -> str:
    """Return the bound on the mean error in words, with the bounds on its cost.

    Examples
    --------
    >>> bound_words(0.95, 0.0296, 0.0234, 0.0138, "", 1)
    'with 95 % confidence at most 3.0 points off on average, which costs at most 2.4 % of the log-loss and at most 14 \
per 1,000 rows'
    """
    of = f" ({name}, the widest of {n_judged})" if name else ""
    costs = []
    if share is not None and (share < 0.995 or math.isinf(share)):
        all_of = "an infinite log-loss" if math.isinf(share) else f"at most {percent(round_up(share))} of the log-loss"
        costs.append(all_of)
    if money is not None:
        costs.append(f"at most {round_up(1000.0 * money):,.6g} per 1,000 rows")
    cost = f", which costs {' and '.join(costs)}" if costs else ""
    return f"with {percent(confidence)} confidence at most {points(gap)} off on average{of}{cost}"


def finding_words(found: Sequence[tuple[str, Pattern]], pvalue: float) -> str:
    """Return the finding of the tests in words, by class where there are several."""
    if not found:
        return f"the tests find no error (p = {pvalue:.2g})"
    parts = [f"{name}: {pattern_words(pattern)}" if name else pattern_words(pattern) for name, pattern in found]
    more = [f"{len(parts) - _MOST_NAMED} more"] if len(parts) > _MOST_NAMED else []
    return f"{'; '.join([*parts[:_MOST_NAMED], *more])} (p = {pvalue:.2g})"


def single_test_words(pvalues: Mapping[str, float], level: float) -> str:
    """Return a remark where a test on its own finds an error that all tests together do not.

    Examples
    --------
    >>> single_test_words({"slope": 0.03, "ECE": 0.2}, 0.05)
    ' together; that of the slope alone would (p = 0.03)'
    """
    name, least = min(pvalues.items(), key=lambda found: found[1], default=("", 1.0))
    return f" together; that of {_TESTS[name]} alone would (p = {least:.2g})" if least <= level else ""


def rows_words(needed: int | None, n_rows: float) -> str:
    """Return the number of rows that show calibration, in words.

    Examples
    --------
    >>> rows_words(1200, 500)
    'about 1,200 rows in all would bring a calibrated model within it'
    """
    if needed is None:
        return "no number of rows brings a calibrated model within it"
    about = f"about {float(f'{needed:.2g}'):,.0f} rows"
    if needed <= n_rows:
        return f"{about} bring 8 of 10 calibrated models within it, and these are not among them"
    return f"{about} in all would bring a calibrated model within it"


def unseen_words(found: Sequence[tuple[str, float, float]]) -> str:
    """Return the bounds of some of the rows: what they are, their fraction, and the bound.

    Examples
    --------
    >>> unseen_words([("the highest {}", 0.05, 0.082), ("those beyond the threshold of 0.1 ({})", 0.3, 0.04)])
    'the highest 5 % of the rows may be off by up to 8.2 points, those beyond the threshold of 0.1 (30 % of the rows) \
by up to 4.0 points'
    """
    parts = [f"{text.format(f'{percent(share)} of the rows')}" for text, share, _ in found]
    bounds = [points(gap) for _, _, gap in found]
    middle = [" may be off by up to ", *[" by up to "] * len(found)]
    return ", ".join(f"{part}{verb}{bound}" for part, verb, bound in zip(parts, middle, bounds, strict=False))


def not_judged_words(few: Sequence[str], *, every: bool = False) -> str:
    """Return the classes that are not judged, in words.

    Examples
    --------
    >>> not_judged_words(["c (12)"])
    'not judged, for fewer than 20 rows: c (12)'
    """
    if not few:
        return ""
    more = f" and {len(few) - _MOST_FEW} more" if len(few) > _MOST_FEW else ""
    why = "no class has the 20 rows that a judgement takes" if every else "not judged, for fewer than 20 rows"
    return f"{why}: {', '.join(few[:_MOST_FEW])}{more}"


def _range(part: OffRange) -> str:
    above = 1.0 - part.below - part.share
    if part.low == part.high:
        ends = f"at {_number(part.low)}"
    elif part.below <= _FEW < above:
        ends = f"below {_number(part.high)}"
    elif above <= _FEW < part.below:
        ends = f"above {_number(part.low)}"
    else:
        ends = f"from {_number(part.low)} to {_number(part.high)}"
    return f"{ends} ({percent(part.share)} of the rows)"


def _rates(part: OffRange) -> str:
    """Return both rates, with enough decimals to see their difference."""
    away = 100.0 * abs(part.observed - part.predicted)
    decimals = max(-math.floor(math.log10(away)), 0) if 1e-9 < away < 1.0 else 0
    return f"{percent(part.observed, decimals)} came true where {percent(part.predicted, decimals)} were given"


def _number(value: float) -> str:
    return f"{value:.2g}" if value < 0.995 or value == 1.0 else f"{value:.4g}"
