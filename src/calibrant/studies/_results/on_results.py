"""Queries that a study passes on to the results that its store has at the time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["on_results"]

P = ParamSpec("P")
R = TypeVar("R")


class _HasResults(Protocol):
    """A study."""

    def results(self, metrics: Sequence[str] | None = None) -> StudyResults:
        """Return the results that the store has now."""


def on_results(
    query: Callable[Concatenate[StudyResults, P], R], metric: str | None = None
) -> Callable[Concatenate[_HasResults, P], R]:
    """Return the method of a study that makes a query of `StudyResults` on its current results.

    Only the metric that an argument names is read from the store, where `metric` is the name of that argument.
    """
    signature = inspect.signature(query)

    @wraps(query)
    def method(self: _HasResults, /, *args: P.args, **kwargs: P.kwargs) -> R:
        named = None if metric is None else signature.bind_partial(self, *args, **kwargs).arguments.get(metric)
        return query(self.results([named] if isinstance(named, str) else None), *args, **kwargs)

    return method
