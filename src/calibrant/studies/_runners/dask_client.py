"""The connection to a Dask cluster: opened or taken over, and checked before anything is sent."""

from __future__ import annotations

import sys
from typing import Any

import calibrant
from calibrant._optional import optional_import
from calibrant.exceptions import ParameterError, StudyError

__all__ = ["connect", "import_distributed", "wait_for_workers"]

_WAIT_SECONDS = 30.0  # for the scheduler, and for the first worker of a cluster that is starting


def import_distributed() -> Any:
    """Return Dask's `distributed`; raise with the command that installs it if it is missing."""
    return optional_import("distributed", extra="dask", purpose="run trials on a Dask cluster")


def connect(cluster: Any) -> tuple[Any, bool]:
    """Return a client of a cluster, named by address or by a client of its own, and whether it was opened here.

    The workers must have the same versions of calibrant and Python as this process.
    """
    client = cluster if isinstance(cluster, import_distributed().Client) else _open(cluster)
    try:
        _check_client(client)
        wait_for_workers(client)
        _check_versions(client)
    except BaseException:
        if client is not cluster:
            client.close()
        raise
    return client, client is not cluster


def _open(address: Any) -> Any:
    if not isinstance(address, str):
        raise ParameterError(
            f"dask must be the address of a scheduler, such as 'tcp://host:8786', or a distributed.Client; "
            f"got {address!r}."
        )
    try:
        return import_distributed().Client(address, timeout=_WAIT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"no Dask scheduler answers at {address}: {error}. Is it running?") from error


def _check_client(client: Any) -> None:
    if client.asynchronous:
        raise ParameterError("dask must be a client that is not asynchronous; pass the address of its scheduler.")
    if client.status != "running":
        raise ParameterError(f"dask must be a client that is connected; its status is {client.status!r}.")


def wait_for_workers(client: Any) -> None:
    """Wait for the first worker of a cluster; raise if none joins."""
    try:
        client.wait_for_workers(1, timeout=_WAIT_SECONDS)
    except TimeoutError as error:
        raise StudyError(
            f"the Dask cluster at {client.scheduler.address} has no workers. Start some: dask worker "
            f"{client.scheduler.address}"
        ) from error


def _check_versions(client: Any) -> None:
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
            raise StudyError(
                f"the Dask worker {worker} has Python {python} and calibrant {version}; here they are {here[0]} and "
                f"{here[1]}. Install the same versions on all workers."
            )
