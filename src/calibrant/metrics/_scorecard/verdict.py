"""Whether probabilities can be relied on, in words: from bands that hold the whole calibration curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from calibrant._params import Real, check_param
from calibrant.metrics._intervals.bootstrap_plan import Judged
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.honest_bands import Band
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._scorecard.sample_size import calibration_reach, reach_of, round_up
from calibrant.metrics._validation.predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._scorecard.score_card import ScoreCard

__all__ = ["OffRange", "Verdict", "calibration_verdict", "verdict_of"]

_WITHIN = 0.1
_NEAR = 0.03  # how far apart probabilities may lie that are told of as one range
_WITHIN_RULE = Real(0, 1, closed="neither")
Kind = Literal["calibrated", "not calibrated", "too few data", "unknown"]


class OffRange(NamedTuple):
    """Probabilities that the calibration curve is shown to lie off from, and on which side they err.

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
        """Say where, and what is wrong there."""
        away = self.low >= 0.5 if self.how == "too high" else self.high <= 0.5
        where = f"from {self.low:.2g} to {self.high:.2g}" if self.high > self.low else f"at {self.low:.2g}"
        if self.is_last and not self.is_first:
            where = f"above {self.low:.2g}"
        elif self.is_first and not self.is_last:
            where = f"below {self.high:.2g}"
        return f"{'too confident' if away else self.how} {where}"


@dataclass(frozen=True)
class Verdict:
    """What the calibration bands say.

    Parameters
    ----------
    kind : {"calibrated", "not calibrated", "too few data", "unknown"}
        The verdict in short.
    words : str
        The verdict in a sentence.
    reach : float
        How far the bands reach from the diagonal for nine rows in ten.
    off : tuple of OffRange
        Where the curve is shown to lie off the diagonal.
    more_rows : int or None
        About how many more rows would settle it.

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
    """Say whether probabilities are calibrated, are not, or whether there are too few rows to tell.

    Bands that hold the whole calibration curve with the confidence, whatever the number of rows (Dimitriadis et al.
    2023; the curve must not fall), decide: where the diagonal leaves them the probabilities are off; where they stay
    near it for nine rows in ten the probabilities are calibrated so far. With more than two classes it is the
    probability of the decided class that is looked at.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    within : float
        How near the bands must stay to the diagonal for nine rows in ten.
    confidence : float
        The least chance that the bands hold the curve.
    sample_weight : sequence of length n_rows, optional
        How often each row counts, in whole numbers.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    Verdict
        The verdict; it prints as a sentence.

    Examples
    --------
    >>> proba = np.repeat([0.2, 0.9], 1000)
    >>> print(calibration_verdict([0, 0, 0, 0, 1] * 200 + [0, 1, 1, 1, 0] * 200, proba))
    not calibrated: too confident above 0.9
    """
    check_param("within", within, _WITHIN_RULE)
    check_param("confidence", confidence, CONFIDENCE)
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _told(Judged(read), within, confidence)


def verdict_of(card: ScoreCard) -> Verdict:
    """Give the verdict on the rows of a card."""
    if card.judged is None:
        return Verdict("unknown", "not known: the rows themselves were not kept")
    return _told(card.judged, _WITHIN, card.confidence or 0.95)


def _told(judged: Judged, within: float, confidence: float) -> Verdict:
    band = band_of(judged, confidence)
    if band is None:
        return Verdict("unknown", "not known: the bands hold for independent rows with weights in whole numbers only")
    rows = judged.read.judged()
    reach = reach_of(rows.proba, judged.read.weight, band)
    off = _off_ranges(rows.proba, band)
    sure = f"at {100 * confidence:g} %"
    if off:
        return Verdict("not calibrated", f"not calibrated: {_listed([part.words for part in off])}", reach, off)
    if reach <= within:
        return Verdict("calibrated", f"calibrated within ±{round_up(reach):g} {sure}", reach)
    more = _more_rows(judged, within, confidence)
    words = f"too few data: about {more:,} more rows are needed to tell within ±{within:g} {sure}"
    return Verdict("too few data", words, reach, more_rows=more)


def _more_rows(judged: Judged, within: float, confidence: float) -> int:
    total, proba, weight = judged.read.total, judged.read.judged().proba, judged.read.weight
    needed = calibration_reach(proba, weight, confidence, _new_share(proba, weight)).rows_for(within)
    more = max(needed - total, 0.1 * total, 1.0)
    digits = 10.0 ** (np.floor(np.log10(more)) - 1)
    return int(np.ceil(more / max(digits, 1.0)) * max(digits, 1.0))


def _new_share(proba: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Estimate the chance that a further row has a probability that none had: the share of those seen once (Good 1953).

    Examples
    --------
    >>> _new_share(np.array([0.1, 0.2, 0.2, 0.7]), np.ones(4))
    0.5
    """
    of_each = np.bincount(np.unique(proba, return_inverse=True)[1], weight)
    return float(np.count_nonzero(of_each == 1.0) / weight.sum())


def _off_ranges(proba: NDArray[np.float64], band: Band) -> tuple[OffRange, ...]:
    """Find the ranges of probabilities that lie on the same side of the bands, those next to each other as one."""
    places = np.unique(proba)
    lower, upper = band.at(places)
    found = []
    for how, is_off in (("too high", places > upper), ("too low", places < lower)):
        off = places[is_off]
        parts = np.split(off, np.flatnonzero(np.diff(off) > _NEAR) + 1) if len(off) else []
        found += [_off_range(float(part[0]), float(part[-1]), how, places) for part in parts]
    return tuple(sorted(found))


def _off_range(low: float, high: float, how: Any, places: NDArray[np.float64]) -> OffRange:
    return OffRange(low, high, how, bool(places[-1] - high <= _NEAR), bool(low - places[0] <= _NEAR))


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
