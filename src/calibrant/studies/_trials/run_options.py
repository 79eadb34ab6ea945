"""The parameters of `Study.run`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from calibrant._params import Bool, Int, Nothing, Real, check_param
from calibrant.exceptions import ParameterError

__all__ = ["RunOptions", "read_memory", "read_run_options"]

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True)
class RunOptions:
    """The parameters of `Study.run`."""

    workers: int | None = None
    dask: Any = None
    retry: bool = False
    update: bool = False
    rerun_outdated: bool = False
    time_limit: float | None = None
    memory_limit: int | None = None
    lease: float = 60.0
    stop_after: float | Callable[[], bool] | None = None

    @property
    def has_limits(self) -> bool:
        """Whether trials may run out of time or memory."""
        return self.time_limit is not None or self.memory_limit is not None

    @property
    def ends_trials(self) -> bool:
        """Whether a trial may have to be ended while it runs, which needs a process of its own."""
        return self.has_limits or self.stop_after is not None


def read_run_options(passed: Mapping[str, Any], from_file: Mapping[str, Any] | None = None) -> RunOptions:
    """Validate the parameters of a run; those left at their defaults are taken from a study file.

    Examples
    --------
    >>> read_run_options({"memory_limit": "2 GB"}, {"workers": 2})
    RunOptions(workers=2, dask=None, retry=False, update=False, rerun_outdated=False, time_limit=None,
               memory_limit=2000000000, lease=60.0, stop_after=None)
    """
    defaults = asdict(RunOptions())
    chosen = {name: value for name, value in passed.items() if value is not defaults[name] and value != defaults[name]}
    values = {**(from_file or {}), **chosen}
    found = RunOptions(**(values | {"memory_limit": read_memory(values.get("memory_limit"))}))
    check_param("workers", found.workers, Int(1) | Nothing())
    for name in ("retry", "update", "rerun_outdated"):
        check_param(name, getattr(found, name), Bool())
    check_param("time_limit", found.time_limit, Real(0, closed="right") | Nothing())
    if not callable(found.stop_after):
        check_param("stop_after", found.stop_after, Real(0, closed="right") | Nothing())
    check_param("lease", found.lease, Real(1))
    if found.dask is not None and found.workers is not None:
        raise ParameterError(
            "workers and dask: a study runs in local processes or on a Dask cluster; pass one of them."
        )
    if found.dask is not None and found.has_limits:
        raise ParameterError("time_limit and memory_limit are for local processes; pass workers= instead of dask=.")
    return found


def read_memory(limit: int | str | None) -> int | None:
    """Return a limit in bytes.

    Examples
    --------
    >>> read_memory("500 MB"), read_memory("1.5GiB"), read_memory(10**9), read_memory(None)
    (500000000, 1610612736, 1000000000, None)
    """
    if limit is None:
        return None
    if isinstance(limit, str):
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", limit)
        if parts is None or parts[2].lower() not in _UNITS:
            raise ParameterError(f"memory_limit must be a number of bytes or a text such as '2 GB'; got {limit!r}.")
        limit = int(float(parts[1]) * _UNITS[parts[2].lower()])
    check_param("memory_limit", limit, Int(1, 2**63 - 1))
    return int(limit)
