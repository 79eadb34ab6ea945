"""The parts of the rows that trees are grown from: in this process, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from calibrant.data._internal import CodedPart

__all__ = ["LocalParts", "Parts"]


class Parts(Protocol):
    """Parts of the rows, in order, and what is done with them where they are."""

    @property
    def n_jobs(self) -> int:
        """Number of jobs that `collect` is best passed at once."""

    @property
    def n_processes(self) -> int:
        """Number of processes that hold parts."""

    @property
    def free_bytes(self) -> int:
        """Memory of each process that the rows of the trees grown together may take."""

    def reduce(self, function: Callable[..., Any], *args: Any, merge: Callable[[Sequence[Any]], Any]) -> Any:
        """Return the results of ``function(*args, part)`` for all parts, merged."""

    def collect(
        self,
        take: Callable[..., Any],
        finish: Callable[..., Any],
        jobs: Sequence[Any],
        *args: Any,
    ) -> list[Any]:
        """Return ``finish(job, *args, pieces)`` for each job; pieces are ``take(job, *args, part)`` of all parts."""

    def share(self, value: Any) -> Any:
        """Return what stands for a value among the last arguments of `reduce` and `each`, sent once to each worker."""

    def each(self, function: Callable[..., Any], *args: Any, receive: Callable[[Any], None]) -> None:
        """Pass ``function(*args, part)`` of each part to `receive`, in any order, and keep none of them."""


class LocalParts:
    """Parts in the memory of this process."""

    n_jobs = 1
    n_processes = 1
    free_bytes = 1 << 30

    def __init__(self, parts: Sequence[CodedPart]) -> None:
        self._parts = parts

    def reduce(self, function: Callable[..., Any], *args: Any, merge: Callable[[Sequence[Any]], Any]) -> Any:
        """Return the results of ``function(*args, part)`` for all parts, merged one after another."""
        result = function(*args, self._parts[0])
        for part in self._parts[1:]:
            result = merge([result, function(*args, part)])
        return result

    def collect(
        self, take: Callable[..., Any], finish: Callable[..., Any], jobs: Sequence[Any], *args: Any
    ) -> list[Any]:
        """Return ``finish(job, *args, pieces)`` for each job; pieces are ``take(job, *args, part)`` of all parts."""
        return [finish(job, *args, [take(job, *args, part) for part in self._parts]) for job in jobs]

    def share(self, value: Any) -> Any:
        """Return the value."""
        return value

    def each(self, function: Callable[..., Any], *args: Any, receive: Callable[[Any], None]) -> None:
        """Pass ``function(*args, part)`` of each part to `receive`."""
        for part in self._parts:
            receive(function(*args, part))
