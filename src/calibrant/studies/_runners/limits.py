"""TrialLimits of time and memory of a trial, and how a worker enforces that of memory."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from calibrant._params import Int, Nothing, Real, check_param
from calibrant.exceptions import ParameterError

__all__ = ["MemoryLimiter", "TrialLimits", "format_limit"]

# Memory that a worker keeps after a job counts against the next one: beyond this share of the limit it is replaced.
_WORN_SHARE = 0.5


@dataclass(frozen=True)
class TrialLimits:
    """The limits of a trial: seconds, and bytes beyond what a worker uses for imports and rows; None: no limit."""

    time: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        check_param("time_limit", self.time, Real(0, closed="neither") | Nothing())
        check_param("memory_limit", self.memory, Int(1) | Nothing())
        if self.memory is not None and not _can_limit_memory():
            raise ParameterError(
                f"memory_limit needs Linux, whose kernel enforces it; this is {sys.platform}. Leave memory_limit out."
            )

    def seconds_for(self, n_trials: int) -> float | None:
        """Return the seconds that trials which run together may take."""
        return None if self.time is None else self.time * n_trials

    @property
    def time_message(self) -> str:
        """What the record of a trial says that took too long."""
        return f"TimeoutError: time limit of {self.time:g} s exceeded"

    @property
    def memory_message(self) -> str:
        """What the record of a trial says that took too much memory."""
        return f"MemoryError: memory limit of {format_limit(self.memory or 0)} exceeded"


def format_limit(n_bytes: int) -> str:
    """Return a number of bytes as text.

    Examples
    --------
    >>> format_limit(2_000_000_000), format_limit(150_000_000)
    ('2 GB', '150 MB')
    """
    return f"{n_bytes / 1e9:g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:g} MB"


class MemoryLimiter:
    """TrialLimits the memory that this process may take beyond what it had after imports and after reading rows."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._base = _private_bytes() if limit is not None else 0

    @contextmanager
    def not_counted(self) -> Iterator[None]:
        """Add what is allocated within to what the process may have."""
        before = _private_bytes() if self._limit is not None else 0
        yield
        self._base += _private_bytes() - before if self._limit is not None else 0

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Let allocations beyond the limit fail within, which Python and NumPy raise as a MemoryError."""
        if self._limit is None:
            yield
            return
        import resource

        before, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = self._base + self._limit
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (before, hard))

    @property
    def is_worn(self) -> bool:
        """Whether so much memory was kept by earlier trials that the process should be replaced."""
        if self._limit is None or not self._exceeds_share():
            return False
        gc.collect()
        with suppress(OSError, AttributeError):  # a C library other than glibc
            ctypes.CDLL(None).malloc_trim(0)
        return self._exceeds_share()

    def _exceeds_share(self) -> bool:
        return _private_bytes() - self._base > _WORN_SHARE * (self._limit or 0)


def _can_limit_memory() -> bool:
    return find_spec("resource") is not None and Path("/proc/self/status").exists()


def _private_bytes() -> int:
    """Return the bytes that RLIMIT_DATA counts: private writable memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))
