"""The verdict on calibration in words, from bands that cover the whole calibration curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from calibrant._params import Real, check_param
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.honest_bands import Band
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._scorecard.sample_size import calibration_reach, reach_of, round_up
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._scorecard.score_card import ScoreCard

__all__ = ["OffRange", "Verdict", "calibration_verdict", "verdict_of"]

_WITHIN = 0.1
_NEAR = 0.03  # probabilities no farther apart are reported as one range
_WITHIN_RULE = Real(0, 1, closed="neither")
Kind = Literal["calibrated", "not calibrated", "too few data", "unknown"]


class OffRange(NamedTuple):
    """A range of miscalibrated probabilities, and whether they are too high or too low.

    Examples
    --------
    >>> OffRange(0.7, 0.9, "too high", True, False).words
    'too confident above 0.7'
    """

    low: float
    high: float
    how: Literal["too high", "too low"]
    is_last: bool
    is_first: bool

    @property
    def words(self) -> str:
        """The range and what is wrong there, in words."""
        away = self.low >= 0.5 if self.how == "too high" else self.high <= 0.5
        where = f"from {self.low:.2g} to {self.high:.2g}" if self.high > self.low else f"at {self.low:.2g}"
        if self.is_last and not self.is_first:
            where = f"above {self.low:.2g}"
        elif self.is_first and not self.is_last:
            where = f"below {self.high:.2g}"
        return f"{'too confident' if away else self.how} {where}"


@dataclass(frozen=True)
class Verdict:
    """The verdict of the calibration bands.

    Parameters
    ----------
    kind : {"calibrated", "not calibrated", "too few data", "unknown"}
        The verdict in short.
    words : str
        The verdict in a sentence.
    reach : float
        The largest distance of the bands from the diagonal, for nine rows in ten.
    off : tuple of OffRange
        The ranges where the probabilities are shown to be miscalibrated.
    more_rows : int or None
        The approximate number of further rows that would decide it.

    Examples
    --------
    >>> print(Verdict("calibrated", "calibrated within ±0.02 at 95 %", 0.02))
    calibrated within ±0.02 at 95 %
    """

    kind: Kind
    words: str
    reach: float = float("nan")
    off: tuple[OffRange, ...] = ()
    more_rows: int | None = None

    def __str__(self) -> str:
        return self.words


@document_metric
def calibration_verdict(
    y_true: Any,
    y_proba: Any,
    *,
    within: float = _WITHIN,
    confidence: float = 0.95,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> Verdict:
    """Return whether probabilities are calibrated, miscalibrated, or whether there are too few rows to decide.

    The verdict comes from bands that cover the whole calibration curve with the confidence, whatever the number of rows
    (Dimitriadis et al. 2023; the curve must not fall): where the diagonal leaves them the probabilities are
    miscalibrated; where they stay close to it for nine rows in ten the probabilities are calibrated within that
    distance. With more than two classes the probability of the predicted class is tested.

    %(parameters)s
    within : float
        The largest distance of the bands from the diagonal, for nine rows in ten.
    confidence : float
        The least probability that the bands cover the curve.

    %(returns)s
        The verdict, which prints as a sentence; "unknown" if weights are not whole numbers.

    Examples
    --------
    >>> proba = np.repeat([0.2, 0.9], 1000)
    >>> print(calibration_verdict([0, 0, 0, 0, 1] * 200 + [0, 1, 1, 1, 0] * 200, proba))
    not calibrated: too confident above 0.9
    """
    check_param("within", within, _WITHIN_RULE)
    check_param("confidence", confidence, CONFIDENCE)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _verdict(BootstrapPlan(predictions), within, confidence)


def verdict_of(card: ScoreCard) -> Verdict:
    """Return the verdict on the rows of a card."""
    if card.judged is None:
        return Verdict("unknown", "unknown: the card does not keep its rows")
    return _verdict(card.judged, _WITHIN, card.confidence or 0.95)


def _verdict(plan: BootstrapPlan, within: float, confidence: float) -> Verdict:
    band = band_of(plan, confidence)
    if band is None:
        return Verdict("unknown", "unknown: the bands hold only for independent rows with whole weights")
    rows = plan.predictions.calibration_rows()
    reach = reach_of(rows.proba, plan.predictions.weight, band)
    off = _off_ranges(rows.proba, band)
    level = f"at {100 * confidence:g} %"
    if off:
        return Verdict("not calibrated", f"not calibrated: {_listed([part.words for part in off])}", reach, off)
    if reach <= within:
        return Verdict("calibrated", f"calibrated within ±{round_up(reach):g} {level}", reach)
    more = _more_rows(plan, within, confidence)
    words = f"too few data: about {more:,} more rows are needed to tell within ±{within:g} {level}"
    return Verdict("too few data", words, reach, more_rows=more)


def _more_rows(plan: BootstrapPlan, within: float, confidence: float) -> int:
    total, proba, weight = plan.predictions.total, plan.predictions.calibration_rows().proba, plan.predictions.weight
    needed = calibration_reach(proba, weight, confidence, _new_fraction(proba, weight)).rows_for(within)
    more = max(needed - total, 0.1 * total, 1.0)
    digits = 10.0 ** (np.floor(np.log10(more)) - 1)
    return int(np.ceil(more / max(digits, 1.0)) * max(digits, 1.0))


def _new_fraction(proba: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Estimate the chance that a further row has a new probability: the fraction seen once (Good 1953).

    Examples
    --------
    >>> _new_fraction(np.array([0.1, 0.2, 0.2, 0.7]), np.ones(4))
    0.5
    """
    of_each = np.bincount(np.unique(proba, return_inverse=True)[1], weight)
    return float(np.count_nonzero(of_each == 1.0) / weight.sum())


def _off_ranges(proba: NDArray[np.float64], band: Band) -> tuple[OffRange, ...]:
    """Return the ranges of probabilities that lie on the same side of the bands, neighboring ones joined."""
    points = np.unique(proba)
    lower, upper = band.at(points)
    found = []
    for how, is_off in (("too high", points > upper), ("too low", points < lower)):
        off = points[is_off]
        parts = np.split(off, np.flatnonzero(np.diff(off) > _NEAR) + 1) if len(off) else []
        found += [_off_range(float(part[0]), float(part[-1]), how, points) for part in parts]
    return tuple(sorted(found))


def _off_range(low: float, high: float, how: Any, points: NDArray[np.float64]) -> OffRange:
    return OffRange(low, high, how, bool(points[-1] - high <= _NEAR), bool(low - points[0] <= _NEAR))


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
