"""The rounds of boosting: learn from weighted rows, weigh the member, weigh the rows anew; and why they end early."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence
from calibrant.exceptions import CalibrantWarning, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._boosting.algorithms import Algorithm, Answers, Step

__all__ = ["Learner", "Run", "Stop", "begin", "boost"]

Stop: TypeAlias = Literal["perfect", "weak"]


class Learner(Protocol):
    """What learns a member from the rows as they are weighed now."""

    weights: NDArray[np.float64]  # of the rows
    advice: str  # where a member makes no error
    can_differ: bool  # whether the same weights may lead to another member

    def learn(self, number: int) -> tuple[Any, Answers]:
        """Give the member of a round, and what it says of the training rows."""
        ...

    def reweigh(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows that the answers stood for, and scale them to the sum they had."""
        ...


@dataclass
class Run:
    """The members so far, the weights of their votes, their errors, and why it ended early, if it did."""

    seed: np.random.SeedSequence
    rows: bytes  # the fingerprint of those that are weighed
    members: list[Any] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    stopped: Stop | None = None
    row_weights: NDArray[np.float64] | None = None  # where the next round begins

    def add(self, member: Any, step: Step) -> None:
        """Take a member in."""
        self.members.append(member)
        self.weights.append(step.weight)
        self.errors.append(step.error)


def boost(run: Run, learner: Learner, algorithm: Algorithm, n_members: int, who: str) -> None:
    """Add members until there are as many as asked for, or until more would be of no use.

    A member as bad as chance is left out and ends the run; where it is the first, it stays, with a weight of 1. A
    member after which no row changes its weight ends the run too, unless the next one may differ all the same.
    """
    if run.row_weights is not None:
        learner.weights = run.row_weights.copy()
    for number in progress(range(len(run.members), n_members), description="Boosting"):
        if run.stopped is not None:
            break
        member, answers = learner.learn(number)
        step = algorithm.step(answers)
        if step.error >= algorithm.most_error(answers.proba.shape[1]) - 1e-6:
            _end_weak(run, member, step, who, n_members)
        else:
            run.add(member, step)
            _go_on(run, learner, step, answers, who, n_members)
    run.row_weights = learner.weights


def _go_on(run: Run, learner: Learner, step: Step, answers: Answers, who: str, n_members: int) -> None:
    if np.ptp(step.factors[answers.weights > 0]) > 0:
        learner.reweigh(step.factors)
    elif not learner.can_differ and len(run.members) < n_members:
        run.stopped = "perfect"
        _warn(
            f"{who}: member {len(run.members)} of {n_members} leaves all rows their weight (its error is "
            f"{step.error:.3g}), so that every further one would be the same; there are no more.{learner.advice}"
        )


def _end_weak(run: Run, member: Any, step: Step, who: str, n_members: int) -> None:
    number, fate = len(run.members) + 1, "left out"
    if number == 1:
        run.add(member, step)
        run.weights[0], fate = 1.0, "the only one"
    if len(run.members) < n_members:
        run.stopped = "weak"
        _warn(
            f"{who}: member {number} of {n_members} errs on {step.error:.3g} of the weight, no better than chance; it "
            f"is {fate}, and boosting ends with {len(run.members)}. Larger members, or algorithm='samme' with more "
            "than two classes, may do better."
        )


def _warn(message: str) -> None:
    warnings.warn(message, CalibrantWarning, stacklevel=5)


def begin(before: Run | None, n_members: int, rows: bytes, random_state: SeedLike) -> Run:
    """Give a run to add to: a new one, or a copy of one that is to go on with the rows it weighed."""
    if before is None:
        return Run(seed_sequence(random_state), rows)
    if n_members < len(before.members):
        raise ParameterError(
            f"n_trees must be at least {len(before.members)} with warm_start=True, the members there are already; got "
            f"{n_members}."
        )
    if before.rows != rows:
        raise ParameterError(
            "warm_start=True goes on with the rows of the last fit; X, y or sample_weight are not those. Fit anew with "
            "warm_start=False."
        )
    return replace(before, members=list(before.members), weights=list(before.weights), errors=list(before.errors))
