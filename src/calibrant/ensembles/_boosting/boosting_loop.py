"""The rounds of boosting: AdaBoost.M1, SAMME, Real AdaBoost, their early stopping."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant._fit_warnings import warn_of_fit
from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence
from calibrant._source_limits import missing_rows
from calibrant.data._internal import caller_level
from calibrant.exceptions import ParameterError

Stop: TypeAlias = Literal["perfect", "weak"]

_CHANCE_TOLERANCE = 1e-6  # of an error equal to chance up to rounding, as in Weka's AdaBoostM1


class Learner(Protocol):
    """A learner fits a member to the rows with their current weights."""

    weights: NDArray[np.float64]  # of the rows
    advice: str  # appended to the warning where a member makes no error
    is_random: bool  # whether the same weights may lead to another member

    def fit(self, number: int) -> tuple[Any, MemberPredictions]:
        """Return the member of a round and its predictions of the training rows."""
        ...

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the predicted rows by factors, and scale them to their previous sum."""
        ...


@dataclass
class Run:
    """The members so far, the weights of their votes, their errors, and why boosting stopped early, if it did."""

    seed: np.random.SeedSequence
    rows: bytes  # the fingerprint of the training rows
    members: list[Any] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stopped: Stop | None = None
    row_weights: NDArray[np.float64] | None = None  # at the start of the next round; None where a file left them out
    from_source: bool = False  # whose rows are not kept

    def add(self, member: Any, step: BoostingStep) -> None:
        """Append a member."""
        self.members.append(member)
        self.weights.append(step.weight)
        self.errors.append(step.error)


def boost(run: Run, learner: Learner, algorithm: Algorithm, n_members: int, who: str) -> None:
    """Add members until there are ``n_members``, or until more would not help.

    A member no better than chance is left out and ends the run; where it is the first, it stays, with a weight of 1. A
    member after which no row changes its weight ends the run too, unless the next one may differ by chance.
    """
    if run.row_weights is not None:
        learner.weights = run.row_weights.copy()
    for number in progress(range(len(run.members), n_members), description="Boosting"):
        if run.stopped is not None:
            break
        member, predictions = learner.fit(number)
        step, why = algorithm.step(predictions), ""
        # A member no better than chance has weight 0 or less: AdaBoost's bound no longer falls.
        is_weak = step.error >= algorithm.max_error(predictions.proba.shape[1]) - _CHANCE_TOLERANCE
        if not is_weak:
            run.add(member, step)
        elif number == 0:
            # Weka keeps the first member whatever its error: a model needs one.
            run.add(member, replace(step, weight=1.0))
        if is_weak:
            run.stopped = "weak" if len(run.members) < n_members else None
            why = (
                f"member {number + 1} of {n_members} misclassifies {step.error:.3g} of the weight, no better than "
                f"chance; it is {'left out' if number else 'the only one'}, and boosting stops with "
                f"{len(run.members)}. Larger members, or algorithm='samme' with more than two classes, may do better."
            )
        # Equal factors vanish in the normalization, so the next member would be the same.
        elif np.ptp(step.factors[predictions.weights > 0]) > 0:
            learner.reweight(step.factors)
        elif not learner.is_random and len(run.members) < n_members:
            run.stopped = "perfect"
            why = (
                f"member {len(run.members)} of {n_members} does not change the weights of the rows (its error is "
                f"{step.error:.3g}); further ones would be the same, and boosting stops.{learner.advice}"
            )
        if run.stopped is not None:
            warn_of_fit(who, f"{who}: {why}", stacklevel=caller_level())
    run.row_weights = learner.weights


def start_run(before: Run | None, n_members: int, rows: bytes, random_state: SeedLike) -> Run:
    """Return a run to add members to: a new one, or a copy of one to continue on the same rows."""
    if before is None:
        return Run(seed_sequence(random_state), rows)
    if before.row_weights is None:
        missing_rows(from_source=before.from_source)
    if n_members < len(before.members):
        raise ParameterError(
            f"n_trees must be at least {len(before.members)} with warm_start=True, the number of members so far; got "
            f"{n_members}."
        )
    if before.rows != rows:
        raise ParameterError(
            "warm_start=True needs the rows of the last fit; X, y or sample_weight differ. Set warm_start=False to "
            "start over."
        )
    # Lists are copied: the earlier fitted model keeps its own number of rounds.
    return replace(before, members=list(before.members), weights=list(before.weights), errors=list(before.errors))


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

    @cached_property
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
        """Return the contribution of a member to the sum over members that `score` takes."""
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
        # M1 needs errors below one half for any number of classes, SAMME only below those of guessing.
        return 1 - 1 / max(n_classes, 2) if self.by_chance else 0.5

    def step(self, predictions: MemberPredictions) -> BoostingStep:
        """Multiply the weights of misclassified rows by the odds of being right, for SAMME times K - 1."""
        wrong, error = predictions.is_wrong, predictions.error
        capped = max(error, _MIN)
        # SAMME multiplies by K - 1, the odds of a wrong guess; with two classes it is M1.
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
        # exp(-(K - 1) / K * y . log p) of SAMME.R, which for coded classes is the mean of the logs minus the own one.
        return BoostingStep(1.0, predictions.error, np.exp(logs.mean(axis=1) - of_class))

    def contribution(self, proba: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities, clipped at 1e-10."""
        return weight * _logs(proba)

    def score(self, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the geometric mean of the members' probabilities, scaled to add up to 1."""
        means = sums / weights.sum()
        # The greatest is subtracted first, so that exp cannot overflow.
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
    most = np.ascontiguousarray(proba.T).max(axis=0)  # along columns NumPy is ten times as fast as along short rows
    return np.asarray((proba >= most[:, np.newaxis] - _TIE).argmax(axis=1))


def _logs(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(proba, _MIN)))
