"""The axis that a map of one score is a curve over: log-odds of probabilities, or standardized margins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._saved import MapOf, Number, Text, need
from calibrant.calibration._base import INVERSE_SECTIONS, read_probabilities
from calibrant.calibration._fitting.logits import Scale, as_logits, find_scale, from_logits
from calibrant.calibration._fitting.replace_certain import ReplaceCertain
from calibrant.calibration._validation import BinaryScores

_HALVINGS = 100  # bisect an interval of 2e15 down to 1e-15
_FARTHEST = 1e15  # beyond it neighbouring doubles are farther apart than a tenth of the spread

FARTHEST_SAVED = 10 * _FARTHEST  # of positions in a model file, which are clipped at the farthest
AXIS_FIELD = MapOf(Text("logit", "score") | Number(-1e308, 1e308))


@dataclass(frozen=True, slots=True)
class ScoreAxis:
    """The map from scores to positions on the axis.

    Parameters
    ----------
    on : "logit" or "score"
        Whether the scores are probabilities, of which the log-odds are taken.
    centre, spread : float
        What is subtracted from margins, and what they are then divided by; 0 and 1 for probabilities.
    floor, ceiling : float
        The least and the greatest probability, which replace 0 and 1 (`ReplaceCertain`); not used for margins.

    Examples
    --------
    >>> ScoreAxis("score", 2.0, 4.0).transform(np.array([6.0])), ScoreAxis("logit").inverse_transform(np.array([0.0]))
    (array([1.]), array([0.5]))
    """

    on: Scale
    centre: float = 0.0
    spread: float = 1.0
    floor: float = 0.0
    ceiling: float = 1.0

    def transform(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions of scores on the axis; margins beyond 1e15 deviations are clipped there."""
        if self.on == "logit":
            return as_logits(ReplaceCertain(self.floor, self.ceiling).apply(scores))
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((scores - self.centre) / self.spread, -_FARTHEST, _FARTHEST))

    def inverse_transform(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores at some positions."""
        return from_logits(positions) if self.on == "logit" else positions * self.spread + self.centre

    def limits(self) -> tuple[float, float]:
        """Return the positions beyond which no score lies."""
        if self.on == "score":
            return -_FARTHEST, _FARTHEST
        low, high = as_logits(np.array([self.floor, self.ceiling]))
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold, the arguments of `ScoreAxis`."""
        return asdict(self)


def check_axis(axis: dict[str, Any]) -> None:
    """Raise unless a dict of a model file has the arguments of `ScoreAxis`."""
    need(axis.keys() == {"on", "centre", "spread", "floor", "ceiling"}, "has a wrong axis")
    numbers = [axis[name] for name in ("centre", "spread", "floor", "ceiling")]
    need(axis["on"] in ("logit", "score") and all(type(each) in (int, float) for each in numbers), "has a wrong axis")
    need(axis["spread"] > 0 and 0 <= axis["floor"] <= axis["ceiling"] <= 1, "has a wrong axis")


class AxisMapMixin(ABC):
    """A map of one score whose log-odds are a curve over an axis: its prediction and its inverse."""

    axis_: dict[str, Any]

    @abstractmethod
    def _log_odds(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds at some positions of the axis."""

    @abstractmethod
    def _check_invertible(self) -> None:
        """Raise if the fitted map has no inverse."""

    def _check_learned(self) -> None:
        super()._check_learned()  # type: ignore[misc]
        check_axis(self.axis_)

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return from_logits(self._log_odds(ScoreAxis(**self.axis_).transform(scores)))

    @fill_docstring(inverse_sections=INVERSE_SECTIONS)
    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Return the scores that have these probabilities.

        %(inverse_sections)s

        Examples
        --------
        >>> from calibrant.calibration import Beta
        >>> beta = Beta().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 0, 1, 1])
        >>> beta.inverse(beta.predict([0.2, 0.7])).round(9)
        array([0.2, 0.7])
        """
        log_odds = as_logits(read_probabilities(self, proba))
        self._check_invertible()
        axis = ScoreAxis(**self.axis_)
        return axis.inverse_transform(solve_increasing(self._log_odds, log_odds, *axis.limits()))


def find_axis(sample: BinaryScores, *, centred: bool = True) -> ScoreAxis:
    """Return the axis of some scores: those that all lie in [0, 1] are probabilities, and certain ones replaced.

    Parameters
    ----------
    sample : BinaryScores
        Scores, classes and weights.
    centred : bool
        Whether margins are centred at their mean; else they are only divided by their root mean square.

    Returns
    -------
    ScoreAxis
        The axis.

    Examples
    --------
    >>> from calibrant.calibration._validation import BinaryScores
    >>> find_axis(BinaryScores(np.array([1.0, 5.0]), np.array([False, True])))
    ScoreAxis(on='score', centre=3.0, spread=2.0, floor=0.0, ceiling=1.0)
    """
    if find_scale(sample.scores, "auto") == "logit":
        return ScoreAxis("logit", **ReplaceCertain.fit(sample, only_seen=True).to_dict())
    weight = sample.weights()
    share = weight / weight.sum()
    centre = float((share * sample.scores).sum()) if centred else 0.0
    with np.errstate(over="ignore"):
        distance = np.minimum(np.abs(sample.scores - centre), np.finfo(np.float64).max)
    farthest = float(distance.max()) or 1.0
    spread = farthest * float(np.sqrt((share * (distance / farthest) ** 2).sum()))
    return ScoreAxis("score", centre, spread or 1.0)


def solve_increasing(curve: Any, values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the positions at which an increasing curve has some values, by bisection; an end beyond its range.

    Parameters
    ----------
    curve : callable
        Takes and returns an array; nondecreasing.
    values : array of shape (n_rows,)
        The values to find.
    low, high : float
        The ends of the search.

    Returns
    -------
    array of shape (n_rows,)
        Positions between the ends.

    Examples
    --------
    >>> solve_increasing(np.exp, np.array([1.0, 9e9]), -5.0, 5.0).round(12)
    array([-0.,  5.])
    """
    bottom, top = np.full(len(values), low), np.full(len(values), high)
    for _ in range(_HALVINGS):
        middle = (bottom + top) / 2
        below = curve(middle) < values
        bottom, top = np.where(below, middle, bottom), np.where(below, top, middle)
    return np.asarray((bottom + top) / 2)
