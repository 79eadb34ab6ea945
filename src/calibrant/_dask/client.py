"""The connection to a Dask cluster: opened or taken over, and checked before anything is sent."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from typing import Any

import calibrant
from calibrant._memory import machine_memory
from calibrant._optional import optional_import
from calibrant.exceptions import CalibrantError, CalibrantWarning, ClusterError, ParameterError

_WAIT_SECONDS = 30.0  # for the scheduler, and for the first worker of a cluster that is starting
_RETRY_SECONDS = 0.5  # after a worker died while it was sent something
_MAX_SENDINGS = 5  # of one object, to workers that die meanwhile


def import_distributed() -> Any:
    """Return Dask's `distributed`; raise with the command that installs it if it is missing."""
    return optional_import("distributed", extra="dask", purpose="use a Dask cluster")


def active_client() -> Any | None:
    """Return the client that is active in this process, None without one and within a task of a worker.

    Examples
    --------
    >>> active_client() is None
    True
    """
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    with suppress(ValueError):
        distributed.get_worker()
        return None  # a worker runs this: tasks that wait for tasks of their own may block one another
    with suppress(ValueError):
        client = distributed.default_client()
        return None if client.asynchronous else client
    return None


class Connection:
    """A client of a cluster whose workers have the same versions of calibrant and Python as this process.

    Parameters
    ----------
    cluster : str or distributed.Client
        The address of a scheduler, or a client, which stays open.
    parameter : str
        The name of the parameter that holds the cluster, for errors.
    error : type
        What is raised if the cluster fails.
    after_loss : str
        What to do when the connection is lost, for the error.
    """

    def __init__(
        self,
        cluster: Any,
        *,
        parameter: str = "client",
        error: type[CalibrantError] = ClusterError,
        after_loss: str = "Fit again when the scheduler is back.",
    ) -> None:
        self._error, self._after_loss = error, after_loss
        self.client, self._is_own = cluster, not isinstance(cluster, import_distributed().Client)
        if self._is_own and not isinstance(cluster, str):
            raise ParameterError(
                f"{parameter} must be the address of a scheduler, such as 'tcp://host:8786', or a distributed.Client; "
                f"got {cluster!r}."
            )
        if self._is_own:
            try:
                self.client = import_distributed().Client(cluster, timeout=_WAIT_SECONDS, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as problem:
                raise error(f"no Dask scheduler answers at {cluster}: {problem}. Is it running?") from problem
        try:
            if self.client.asynchronous:
                raise ParameterError(
                    f"{parameter} must be a client that is not asynchronous; pass the address of its scheduler."
                )
            if self.client.status != "running":
                raise ParameterError(
                    f"{parameter} must be a client that is connected; its status is {self.client.status!r}."
                )
            self.address = self.client.scheduler.address
            self.client.wait_for_workers(1, timeout=_WAIT_SECONDS)
            _check_versions(self.client, error)
        except TimeoutError as problem:
            self.close()
            raise error(f"the Dask cluster at {self.address} has no workers. {_hint(self.address)}") from problem
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """Raise if the connection to the scheduler is lost."""
        if self.client.status != "running":
            raise self._error(f"the connection to the Dask scheduler at {self.address} is lost. {self._after_loss}")

    def n_threads(self) -> dict[str, int]:
        """Return the number of threads of each worker by its address."""
        return {address: int(number) for address, number in self.client.nthreads().items()}

    def send(self, value: Any) -> Any:
        """Return the future of an object that a worker has, and others fetch from it, each once.

        It is sent again to another worker if one dies meanwhile; an error that is not of the connection is raised.
        """
        n_deaths = 0
        while n_deaths < _MAX_SENDINGS:
            self._wait_for_worker()
            try:
                # Not broadcast: Dask then waits for ever for a worker that dies meanwhile
                (future,) = self.client.scatter([value], hash=False)
                return future
            except TimeoutError:  # the last worker died meanwhile: another one is waited for
                self.check()
            except OSError:  # a worker died meanwhile, or the scheduler
                n_deaths += 1
                time.sleep(_RETRY_SECONDS)
                self.check()
        raise self._error(f"Dask workers died {_MAX_SENDINGS} times while data were sent to them.")

    def _wait_for_worker(self) -> None:
        """Wait for a worker of a cluster that had some, however long a busy machine takes to start one again."""
        for n_waits in count():
            self.check()
            try:
                self.client.wait_for_workers(1, timeout=_WAIT_SECONDS)
                return
            except TimeoutError:
                if n_waits == 0:
                    warnings.warn(
                        f"the Dask cluster at {self.address} has lost its workers, and new ones are waited for. "
                        f"{_hint(self.address)}",
                        CalibrantWarning,
                        stacklevel=4,
                    )

    def memory(self) -> int:
        """Return the least memory limit of a worker, in bytes; the memory of this machine where none has a limit."""
        limits = [int(worker.get("memory_limit") or 0) for worker in self.workers().values()]
        return min((limit for limit in limits if limit), default=machine_memory())

    def workers(self) -> dict[str, dict[str, Any]]:
        """Return the scheduler's description of each worker by its address."""
        try:
            info = self.client.scheduler_info(n_workers=-1)  # newer versions describe five workers by default
        except TypeError:
            info = self.client.scheduler_info()
        return dict(info["workers"])

    def cancel(self, futures: Iterable[Any]) -> None:
        """Cancel tasks, running or not, and release what they or the client hold on the workers."""
        with suppress(Exception):  # a scheduler that is gone has nothing to release
            if self.client.status == "running":
                self.client.cancel(list(futures), force=True)

    def close(self) -> None:
        """Close a client that was opened here."""
        if self._is_own:
            self.client.close()


def _hint(address: str) -> str:
    return f"Start some: dask worker {address}"


def _check_versions(client: Any, error_type: type[CalibrantError]) -> None:
    def find_versions() -> tuple[str, str]:  # local, so that it is sent by value: workers may lack calibrant
        import importlib
        import sys

        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        try:
            return python, str(importlib.import_module("calibrant").__version__)
        except ImportError:
            return python, "none"

    here = (f"{sys.version_info.major}.{sys.version_info.minor}", calibrant.__version__)
    # A worker that dies meanwhile is left out: its tasks check the versions too
    found = client.run(find_versions, on_error="ignore")
    for worker, (python, version) in found.items():
        if (python, version) != here:
            raise error_type(
                f"the Dask worker {worker} has Python {python} and calibrant {version}; here they are {here[0]} and "
                f"{here[1]}. Install the same versions on all workers."
            )
