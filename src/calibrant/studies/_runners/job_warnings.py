"""Warnings raised where trials run, shown once each in the process that owns the runner."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from calibrant._fit_warnings import HeldBack, collect_warnings, one_warning_a_fit, pass_on

T = TypeVar("T")
WarningFilters = tuple[Any, ...]


@dataclass(frozen=True)
class JobWarnings:
    """The warnings of a job: those shown, as (category, text, file, line), and those held back for the whole run."""

    shown: tuple[tuple[type[Warning], str, str, int], ...] = ()
    held_back: HeldBack = field(default_factory=dict)


def collect_job_warnings(run: Callable[[], T], filters: WarningFilters) -> tuple[T, JobWarnings]:
    """Return the result of `run` and the warnings that the filters let through, each once."""
    shown: dict[tuple[str, str], tuple[type[Warning], str, str, int]] = {}

    def keep(message: Any, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        shown.setdefault((category.__name__, str(message)), (_sendable(category), str(message), filename, lineno))

    with warnings.catch_warnings():
        # Those of the owner's process, not of the worker's own start
        warnings.resetwarnings()
        warnings.filters.extend(filters)  # type: ignore[attr-defined]
        warnings.showwarning = keep
        result, held_back = collect_warnings(run)
    return result, JobWarnings(tuple(shown.values()), held_back)


def _sendable(category: type[Warning]) -> type[Warning]:
    """Return the category, or the first of its bases that can be pickled by name."""
    for each in category.__mro__:
        try:
            pickle.dumps(each)
        except Exception:  # noqa: S112 - a class of the method that is not importable
            continue
        if each.__module__ != "__main__" and issubclass(each, Warning):
            return each
    return UserWarning


class WarningRelay:
    """Shows the warnings of jobs under the filters of this process, none twice."""

    def __init__(self) -> None:
        self._waiting: list[JobWarnings] = []
        self._seen: set[tuple[str, str]] = set()
        self._held_back: list[HeldBack] = []

    def add(self, found: JobWarnings) -> None:
        """Keep the warnings of a job for `show`."""
        if found.shown or found.held_back:
            self._waiting.append(found)

    def show(self) -> None:
        """Show new warnings; those that count their repetitions wait for `finish`."""
        while self._waiting:
            found = self._waiting.pop()
            self._held_back.append(found.held_back)
            for category, text, filename, lineno in found.shown:
                if (category.__name__, text) not in self._seen:
                    self._seen.add((category.__name__, text))
                    warnings.warn_explicit(text, category, filename, lineno)

    def finish(self) -> None:
        """Show all warnings that are left."""
        self.show()
        held_back, self._held_back = self._held_back, []
        with one_warning_a_fit():  # so that warnings of one kind are counted as one
            for each in held_back:
                pass_on(each)
