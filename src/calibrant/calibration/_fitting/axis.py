"""The line that a map bends: log-odds of probabilities, or margins brought to mean 0 and deviation 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._fitting.logits import Scale, as_logits, from_logits, on_scale, settle_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import BinaryRows

__all__ = ["Axis", "find_axis", "solve_increasing"]

_HALVINGS, _FARTHEST = 100, 1e15


@dataclass(frozen=True, slots=True)
class Axis:
    """How scores are laid on the line.

    Parameters
    ----------
    on : "logit" or "score"
        Whether the scores are probabilities, of which the log-odds are taken.
    centre, spread : float
        What is taken off margins, and what they are then divided by; 0 and 1 for probabilities.

    Examples
    --------
    >>> Axis("score", 2.0, 4.0).place(np.array([6.0])), Axis("logit").back(np.array([0.0]))
    (array([1.]), array([0.5]))
    """

    on: Scale
    centre: float = 0.0
    spread: float = 1.0

    def place(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the places of scores on the line; margins beyond 1e15 deviations are there."""
        on_line = on_scale(scores, self.on)
        if self.on == "logit":
            return on_line
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((on_line - self.centre) / self.spread, -_FARTHEST, _FARTHEST))

    def back(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the scores at some places."""
        return from_logits(places) if self.on == "logit" else places * self.spread + self.centre

    def ends(self) -> tuple[float, float]:
        """Give the places beyond which no score lies."""
        if self.on == "score":
            return -_FARTHEST, _FARTHEST
        low, high = as_logits(np.array([0.0, 1.0]))
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON can hold and `Axis(**...)` reads."""
        return {"on": self.on, "centre": self.centre, "spread": self.spread}


def find_axis(sample: BinaryRows, *, centred: bool = True) -> Axis:
    """Settle how scores are laid on the line: those that all lie in [0, 1] are probabilities.

    Parameters
    ----------
    sample : BinaryRows
        Scores and weights.
    centred : bool
        Whether margins are brought to mean 0; else 0 stays where it is, and they are divided by their root mean square.

    Returns
    -------
    Axis
        The line.

    Examples
    --------
    >>> from calibrant.calibration._validation import BinaryRows
    >>> find_axis(BinaryRows(np.array([1.0, 5.0]), np.array([False, True])))
    Axis(on='score', centre=3.0, spread=2.0)
    """
    if settle_scale(sample.scores, "auto") == "logit":
        return Axis("logit")
    weight = sample.weights()
    share = weight / weight.sum()
    centre = float((share * sample.scores).sum()) if centred else 0.0
    with np.errstate(over="ignore"):
        away = np.minimum(np.abs(sample.scores - centre), np.finfo(np.float64).max)
    farthest = float(away.max()) or 1.0
    spread = farthest * float(np.sqrt((share * (away / farthest) ** 2).sum()))
    return Axis("score", centre, spread or 1.0)


def solve_increasing(curve: Any, values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Give where an increasing curve has some values, by halving; an end where it does not reach them.

    Parameters
    ----------
    curve : callable
        Takes and gives an array; never falls.
    values : array of shape (n_rows,)
        What it is to give.
    low, high : float
        The ends of the search.

    Returns
    -------
    array of shape (n_rows,)
        Places between the ends.

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
