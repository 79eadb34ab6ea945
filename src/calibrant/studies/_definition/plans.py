"""The plan of a study: the same splits in every process."""

from __future__ import annotations

import copy
from typing import Any

from calibrant._params import Int, check_param
from calibrant._repr import short_repr
from calibrant.exceptions import DataError, ParameterError, StudyError

__all__ = ["read_study_plan"]


def read_study_plan(plan: Any, seed: int) -> Any:
    """Return the plan of a study; where its `random_state` is None it takes the seed.

    Parameters
    ----------
    plan : plan, splitter, iterable of (train, test), int or None
        As `estimate_performance` takes it.
    seed : int
        The seed of the study.

    Raises
    ------
    StudyError
        If its splits would differ from process to process, as those by a generator of random numbers do.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> read_study_plan(CrossValidation(5, random_state=None), 3)
    CrossValidation(n_folds=5, n_repeats=1, random_state=3, stratified=True)
    """
    from calibrant.resampling._internal import splitters

    check_param("seed", seed, Int(0))
    try:
        found = _seeded(splitters.read_plan(plan), int(seed))
        _check_parameters(found)
    except ParameterError as error:
        raise StudyError(str(error) if str(error).startswith("plan") else f"plan: {error}") from error
    return found


def _seeded(plan: Any, seed: int) -> Any:
    """Return a copy of a plan, and of the plans inside it, whose random states are integers."""
    made = copy.copy(plan)
    for name, value in list(getattr(made, "__dict__", {}).items()):
        if name == "random_state":
            setattr(made, name, _state(value, made, seed))
        elif hasattr(value, "split") and hasattr(value, "get_n_splits") and not isinstance(value, type):
            setattr(made, name, _seeded(value, seed))
    return made


def _state(state: Any, plan: Any, seed: int) -> int | None:
    if state is None:
        return None if getattr(plan, "shuffle", True) is False else seed
    if not hasattr(state, "__index__"):
        raise StudyError(
            f"plan: random_state must be an int or None, so that every process splits alike; got {short_repr(state)}."
        )
    return int(state)


def _check_parameters(plan: Any) -> None:
    try:
        plan.get_n_splits()
    except DataError:  # a number of splits that depends on the rows
        return
    except ParameterError:
        raise
    except (TypeError, ValueError, AttributeError):  # a splitter of scikit-learn that needs rows or groups
        return
