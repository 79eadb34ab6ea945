"""The weights of members and rows in boosting: AdaBoost.M1, SAMME and Real AdaBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "AlgorithmName",
    "BoostingStep",
    "MemberPredictions",
    "RealAdaBoost",
    "Votes",
    "voted",
]

AlgorithmName: TypeAlias = Literal["m1", "samme", "real"]

_MIN = 1e-10  # lower bound of errors and of probabilities before their logarithm, which stays finite
_TIE = 1e-9  # probabilities that differ by less differ by rounding only


@dataclass(frozen=True, eq=False)
class MemberPredictions:
    """A member's class probabilities of training rows, with the rows' classes and weights.

    Classes are numbered in the order in which they were declared, because ties follow it. A row may represent all rows
    of one class with the same prediction.
    """

    proba: NDArray[np.float64]
    labels: NDArray[np.integer]
    weights: NDArray[np.float64]

    @property
    def is_wrong(self) -> NDArray[np.bool_]:
        """Whether the member votes for a class other than the actual one."""
        return np.asarray(voted(self.proba) != self.labels)

    @property
    def error(self) -> float:
        """The share of the weight that the member misclassifies."""
        return float(self.weights[self.is_wrong].sum() / self.weights.sum())


@dataclass(frozen=True, eq=False)
class BoostingStep:
    """The weight of a member's vote, its error, and the factor by which the weight of each row changes."""

    weight: float
    error: float
    factors: NDArray[np.float64]


class Algorithm(Protocol):
    """A boosting algorithm."""

    def max_error(self, n_classes: int) -> float:
        """Return the error from which on a member is too weak."""
        ...

    def step(self, predictions: MemberPredictions) -> BoostingStep:
        """Return the weights of a member and of the rows after it."""
        ...

    def contribution(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Return what a member adds to the sum over members that `score` takes."""
        ...

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores in [0, 1] that add up to 1, from the sum over members with these weights."""
        ...


@dataclass(frozen=True)
class Votes:
    """Weighted votes: AdaBoost.M1 (Freund & Schapire 1996) and, ``by_chance``, SAMME (Zhu, Zou, Rosset & Hastie 2009).

    Examples
    --------
    >>> predictions = MemberPredictions(np.array([[0.9, 0.1]] * 4), np.array([0, 0, 0, 1]), np.ones(4))
    >>> Votes().step(predictions).error, Votes().step(predictions).factors.round(6)
    (0.25, array([1., 1., 1., 3.]))
    """

    by_chance: bool = False

    def max_error(self, n_classes: int) -> float:
        """Return one half, or for SAMME the error of guessing at random."""
        return 1 - 1 / max(n_classes, 2) if self.by_chance else 0.5

    def step(self, predictions: MemberPredictions) -> BoostingStep:
        """Multiply the weights of misclassified rows by the odds of being right, for SAMME times K - 1."""
        wrong, error = predictions.is_wrong, predictions.error
        capped = max(error, _MIN)
        odds = (1 - capped) / capped * (max(predictions.proba.shape[1], 2) - 1 if self.by_chance else 1)
        return BoostingStep(float(np.log(odds)) if odds > 0 else -np.inf, error, np.where(wrong, odds, 1.0))

    def contribution(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Return the member's weight for the class that it votes for, 0 for the others."""
        votes = np.zeros_like(proba)
        votes[np.arange(len(proba)), voted(proba)] = weight
        return votes

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the shares of the votes, of their own sum: that of the weights may be rounded to less."""
        votes = np.maximum(sums, 0.0)  # stumps are summed by differences, which leave a -1e-17 for 0
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))


class RealAdaBoost:
    """Real AdaBoost (Friedman, Hastie & Tibshirani 2000; for K classes SAMME.R of Zhu et al. 2009).

    Examples
    --------
    >>> predictions = MemberPredictions(np.array([[0.8, 0.2], [0.8, 0.2]]), np.array([0, 1]), np.ones(2))
    >>> RealAdaBoost().step(predictions).factors
    array([0.5, 2. ])
    """

    def max_error(self, n_classes: int) -> float:  # noqa: ARG002
        """Return infinity: an uncertain member changes little, so none is too weak."""
        return np.inf

    def step(self, predictions: MemberPredictions) -> BoostingStep:
        """Multiply the weight of each row by the geometric mean of its probabilities over that of its class."""
        logs = _logs(predictions.proba)
        of_class = np.take_along_axis(logs, predictions.labels.astype(np.intp)[:, np.newaxis], axis=1)[:, 0]
        return BoostingStep(1.0, predictions.error, np.exp(logs.mean(axis=1) - of_class))

    def contribution(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities, clipped at 1e-10."""
        return weight * _logs(proba)

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the geometric mean of the members' probabilities, scaled to add up to 1."""
        means = sums / weights.sum()
        parts = np.exp(means - means.max(axis=1, keepdims=True))
        return np.asarray(parts / parts.sum(axis=1, keepdims=True))


ALGORITHMS: dict[AlgorithmName, Algorithm] = {"m1": Votes(), "samme": Votes(by_chance=True), "real": RealAdaBoost()}


def voted(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the most probable class of each row, the first of those within 1e-9 of the maximum.

    Examples
    --------
    >>> voted(np.array([[0.5, 0.5], [0.5 - 1e-12, 0.5 + 1e-12], [0.4, 0.6]]))
    array([0, 0, 1])
    """
    return np.asarray((proba >= proba.max(axis=1, keepdims=True) - _TIE).argmax(axis=1))


def _logs(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(proba, _MIN)))
