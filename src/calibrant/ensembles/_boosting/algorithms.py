"""How boosting weighs a member and the rows after it: AdaBoost.M1, SAMME and Real AdaBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ALGORITHMS", "Algorithm", "AlgorithmName", "Answers", "RealAdaBoost", "Step", "Votes", "voted"]

AlgorithmName: TypeAlias = Literal["m1", "samme", "real"]

_LEAST = 1e-10  # an error, or a probability whose logarithm is taken, counts as at least this
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Answers:
    """What a member says of training rows: probabilities of the classes, and the rows' classes and weights.

    Classes are numbered in the order in which they were declared, so that ties follow it. A row may stand for all rows
    of one class that get the same answer.
    """

    proba: NDArray[np.float64]
    labels: NDArray[np.integer]
    weights: NDArray[np.float64]

    @property
    def is_wrong(self) -> NDArray[np.bool_]:
        """Whether the member votes for another class than the row's."""
        return np.asarray(voted(self.proba) != self.labels)

    @property
    def error(self) -> float:
        """The share of the weight that the member votes wrongly on."""
        return float(self.weights[self.is_wrong].sum() / self.weights.sum())


@dataclass(frozen=True, eq=False)
class Step:
    """What a member's answers lead to: the weight of its vote, its error, and a factor for the weight of each row."""

    weight: float
    error: float
    factors: NDArray[np.float64]


class Algorithm(Protocol):
    """A way of boosting."""

    def most_error(self, n_classes: int) -> float:
        """Give the error from which on a member is too weak."""
        ...

    def step(self, answers: Answers) -> Step:
        """Weigh a member and the rows."""
        ...

    def say(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Give what a member adds to the sum over members that `score` is of."""
        ...

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the sum over members of these weights into scores in [0, 1] that add up to 1."""
        ...


@dataclass(frozen=True)
class Votes:
    """Members vote: AdaBoost.M1 (Freund & Schapire 1996) and, ``by_chance``, SAMME (Zhu, Zou, Rosset & Hastie 2009).

    Examples
    --------
    >>> answers = Answers(np.array([[0.9, 0.1]] * 4), np.array([0, 0, 0, 1]), np.ones(4))
    >>> Votes().step(answers).error, Votes().step(answers).factors.round(6)
    (0.25, array([1., 1., 1., 3.]))
    """

    by_chance: bool = False

    def most_error(self, n_classes: int) -> float:
        """Give one half, or for SAMME the error of a guess."""
        return 1 - 1 / max(n_classes, 2) if self.by_chance else 0.5

    def step(self, answers: Answers) -> Step:
        """Multiply the weights of wrong rows by the odds of being right, for SAMME times K - 1."""
        wrong, error = answers.is_wrong, answers.error
        capped = max(error, _LEAST)
        odds = (1 - capped) / capped * (max(answers.proba.shape[1], 2) - 1 if self.by_chance else 1)
        return Step(float(np.log(odds)) if odds > 0 else -np.inf, error, np.where(wrong, odds, 1.0))

    def say(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Give the member's weight to the class that it votes for."""
        votes = np.zeros_like(proba)
        votes[np.arange(len(proba)), voted(proba)] = weight
        return votes

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the share of the votes."""
        return np.asarray(sums / weights.sum())


class RealAdaBoost:
    """Members say how sure they are (Friedman, Hastie & Tibshirani 2000; SAMME.R of Zhu and others for K classes).

    Examples
    --------
    >>> answers = Answers(np.array([[0.8, 0.2], [0.8, 0.2]]), np.array([0, 1]), np.ones(2))
    >>> RealAdaBoost().step(answers).factors
    array([0.5, 2. ])
    """

    def most_error(self, n_classes: int) -> float:  # noqa: ARG002
        """Give no limit: an unsure member changes little."""
        return np.inf

    def step(self, answers: Answers) -> Step:
        """Multiply the weight of each row by the geometric mean of the probabilities, over that of its class."""
        logs = _logs(answers.proba)
        of_class = np.take_along_axis(logs, answers.labels.astype(np.intp)[:, np.newaxis], axis=1)[:, 0]
        return Step(1.0, answers.error, np.exp(logs.mean(axis=1) - of_class))

    def say(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Give logarithms of probabilities, those below 1e-10 taken as that."""
        return weight * _logs(proba)

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the geometric mean of the members' probabilities, scaled to add up to 1."""
        means = sums / weights.sum()
        parts = np.exp(means - means.max(axis=1, keepdims=True))
        return np.asarray(parts / parts.sum(axis=1, keepdims=True))


ALGORITHMS: dict[AlgorithmName, Algorithm] = {"m1": Votes(), "samme": Votes(by_chance=True), "real": RealAdaBoost()}


def voted(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give the likeliest class of each row, the first of those that are equal to within 1e-9.

    Examples
    --------
    >>> voted(np.array([[0.5, 0.5], [0.5 - 1e-12, 0.5 + 1e-12], [0.4, 0.6]]))
    array([0, 0, 1])
    """
    return np.asarray((proba >= proba.max(axis=1, keepdims=True) - _TIE).argmax(axis=1))


def _logs(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(proba, _LEAST)))
