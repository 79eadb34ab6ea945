"""The rounds of boosting: fit a member to weighted rows, weight the member, reweight the rows; and early stopping."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from calibrant._fit_warnings import warn_of_fit
from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence
from calibrant.data._internal import caller_level
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import missing_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._boosting.adaboost_variants import Algorithm, BoostingStep, MemberPredictions

__all__ = ["Learner", "Run", "Stop", "boost", "start_run"]

Stop: TypeAlias = Literal["perfect", "weak"]

_CHANCE_TOLERANCE = 1e-6  # of an error equal to chance up to rounding, as in Weka's AdaBoostM1


class Learner(Protocol):
    """What fits a member to the rows with their current weights."""

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
        step = algorithm.step(predictions)
        if step.error >= algorithm.max_error(predictions.proba.shape[1]) - _CHANCE_TOLERANCE:
            _stop_weak(run, member, step, who, n_members)
        else:
            run.add(member, step)
            _reweight_or_stop(run, learner, step, predictions, who, n_members)
    run.row_weights = learner.weights


def _reweight_or_stop(
    run: Run, learner: Learner, step: BoostingStep, predictions: MemberPredictions, who: str, n_members: int
) -> None:
    if np.ptp(step.factors[predictions.weights > 0]) > 0:
        learner.reweight(step.factors)
    elif not learner.is_random and len(run.members) < n_members:
        run.stopped = "perfect"
        warn_of_fit(
            who,
            f"{who}: member {len(run.members)} of {n_members} does not change the weights of the rows "
            f"(its error is {step.error:.3g}); further ones would be the same, and boosting stops.{learner.advice}",
            stacklevel=caller_level(),
        )


def _stop_weak(run: Run, member: Any, step: BoostingStep, who: str, n_members: int) -> None:
    number, fate = len(run.members) + 1, "left out"
    if number == 1:
        run.add(member, step)
        run.weights[0], fate = 1.0, "the only one"
    if len(run.members) < n_members:
        run.stopped = "weak"
        warn_of_fit(
            who,
            f"{who}: member {number} of {n_members} misclassifies {step.error:.3g} of the weight, no better than "
            f"chance; it is {fate}, and boosting stops with {len(run.members)}. Larger members, or algorithm='samme' "
            "with more than two classes, may do better.",
            stacklevel=caller_level(),
        )


def start_run(before: Run | None, n_members: int, rows: bytes, random_state: SeedLike) -> Run:
    """Return a run to add members to: a new one, or a copy of one to continue on the same rows."""
    if before is None:
        return Run(seed_sequence(random_state), rows)
    if before.row_weights is None:
        missing_rows("row_weights", from_source=before.from_source)
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
    return replace(before, members=list(before.members), weights=list(before.weights), errors=list(before.errors))
