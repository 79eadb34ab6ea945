"""Shared by the tests of studies: runners that clean up after themselves, a PostgreSQL server of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.studies.postgres_server import NoPostgresError, PostgresServer
from tests.studies.runner_methods import (
    mean,
    rows_of,
    run_functions,
    work_of,
    worker_pids,
)

from calibrant.studies._runners.process_runner import ProcessRunner


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Start runners that are stopped at the end, after which no process and no file may be left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runners: list[ProcessRunner] = []

    def started(workers: int = 1, *, rows: Any = rows_of, **parameters: Any) -> ProcessRunner:
        names = ("time_limit", "memory_limit")
        options = {name: parameters.pop(name) for name in names if name in parameters}
        work = work_of(mean=mean, **parameters)
        runners.append(ProcessRunner(work, rows, workers=workers, run_job=run_functions, **options))
        return runners[-1]

    yield started
    for runner in runners:
        runner.stop()
    assert not worker_pids()
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server for the tests of this process; skip where there is none to be had."""
    try:
        server = PostgresServer()
    except NoPostgresError as error:
        pytest.skip(str(error))
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Return the URL of an empty schema of the server."""
    return postgres_server.new_url()
