"""Queries that a study passes on to the results that its store has at the time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["on_results"]

P = ParamSpec("P")
R = TypeVar("R")


class _HasResults(Protocol):
    """A study."""

    def results(self) -> StudyResults:
        """Return the results that the store has now."""


def on_results(query: Callable[Concatenate[StudyResults, P], R]) -> Callable[Concatenate[_HasResults, P], R]:
    """Return the method of a study that makes a query of `StudyResults` on its current results."""

    @wraps(query)
    def method(self: _HasResults, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return query(self.results(), *args, **kwargs)

    return method
