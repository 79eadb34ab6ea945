"""Parts of the rows in this process, with the functions of `Parts` of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from calibrant.trees._sources.parts import Parts, add_up, merged_items


class LocalParts(Parts):
    """Parts on which functions are called one after another."""

    n_jobs = 1
    n_processes = 1
    free_bytes = 1 << 30  # type: ignore[assignment]

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = list(parts)

    def reduce(self, function: Callable[..., Any], *args: Any, merge: Any = add_up, by_item: bool = False) -> Any:
        """Return the results of ``function(*args, part)`` for all parts, merged one after another."""
        merge = partial(merged_items, merge) if by_item else merge
        result = function(*args, self._parts[0])
        for part in self._parts[1:]:
            result = merge([result, function(*args, part)])
        return result

    def collect(
        self, take: Callable[..., Any], finish: Callable[..., Any], jobs: Sequence[Any], *args: Any
    ) -> list[Any]:
        """Return ``finish(job, *args, pieces)`` for each job; a part has the pieces ``take(jobs, *args, part)``."""
        taken = zip(*(take(jobs, *args, part) for part in self._parts), strict=True)
        return [finish(job, *args, list(pieces)) for job, pieces in zip(jobs, taken, strict=True)]

    def share(self, value: Any) -> Any:
        """Return the value."""
        return value

    def each(self, function: Callable[..., Any], *args: Any, receive: Callable[[Any], None]) -> None:
        """Pass ``function(*args, part)`` of each part to `receive`."""
        for part in self._parts:
            receive(function(*args, part))


def source_facts(
    bins: Any, n_rows: int, *, n_classes: int = 2, n_declared: int = 2, n_groups: int | None = None
) -> Any:
    """Return what is known of all rows of a source."""
    labels = SimpleNamespace(classes=range(n_classes), n_declared=n_declared)
    groups = None if n_groups is None else range(n_groups)
    return SimpleNamespace(bins=bins, n_rows=n_rows, labels=labels, groups=groups)
