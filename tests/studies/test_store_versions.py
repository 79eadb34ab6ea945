"""Stores of other versions: they are refused and left as they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies.postgres_server import PostgresServer
from tests.studies.store_records import STUDY, make_record

from calibrant.exceptions import StoreError
from calibrant.studies._store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a store with two trials."""
    with Store.open(tmp_path / "old.db") as store:
        store.save_definition(STUDY, {"seed": 0})
        worker = store.start_worker(STUDY)
        for number in range(2):
            store.record(STUDY, worker, make_record(number))
    return tmp_path / "old.db"


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def set_version(path: Path, version: int, written_by: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE calibrant_store SET version = ?, calibrant = ?", (version, written_by))


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_of_an_older_version_is_refused(path: Path, read_only: bool) -> None:
    set_version(path, 1, "0.0.1")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"written by calibrant 0\.0\.1 \(layout 1\), which .* cannot read"):
        Store.open(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_of_a_newer_version_is_refused_with_the_version_to_install(path: Path, read_only: bool) -> None:
    set_version(path, 99, "7.1.0")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r'written by calibrant 7\.1\.0 .*pip install "calibrant>=7\.1\.0"'):
        Store.open(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_store_in_postgresql_of_a_newer_version_is_refused(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    Store.open(postgres_url).close()
    postgres_server.execute("UPDATE calibrant_store SET version = 99, calibrant = '7.1.0'", postgres_url)
    with pytest.raises(StoreError, match=r'pip install "calibrant>=7\.1\.0"'):
        Store.open(postgres_url)
