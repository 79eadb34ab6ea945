"""Stores of other versions: older ones are migrated, queried as they are or refused; newer ones are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies.postgres_server import PostgresServer
from tests.studies.store_records import STUDY, key_of, make_record

from calibrant import __version__
from calibrant.exceptions import StoreError
from calibrant.studies._store import tables
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


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of a version to come, which adds a column to the trials."""
    version = tables.SCHEMA_VERSION + 1
    monkeypatch.setattr(tables, "SCHEMA_VERSION", version)
    add = "ALTER TABLE calibrant_trials ADD COLUMN more BIGINT"
    monkeypatch.setitem(tables.MIGRATIONS, version, lambda database: database.execute(add))
    return version


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def set_version(path: Path, version: int, written_by: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE calibrant_store SET version = ?, calibrant = ?", (version, written_by))


def has_new_column(path: Path) -> bool:
    return bool(rows(path, "SELECT 1 FROM pragma_table_info('calibrant_trials') WHERE name = 'more'"))


def check_trials(store: Store) -> None:
    columns = store.trials(STUDY)
    assert columns.key.tolist() == [key_of(0), key_of(1)]
    assert columns.values["brier"].tolist() == [0.0, 1 / 7]
    assert store.definition(STUDY) == {"seed": 0}


def test_an_older_store_is_migrated_and_has_all_its_trials(path: Path, next_version: int) -> None:
    with Store.open(path) as store:
        check_trials(store)
        assert store.record(STUDY, store.start_worker(STUDY), make_record(2)) == "recorded"
    assert rows(path, "SELECT version, calibrant FROM calibrant_store") == [(next_version, __version__)]
    assert has_new_column(path)


def test_an_older_store_is_queried_without_a_migration_if_it_may_only_be_read(path: Path, next_version: int) -> None:
    before = path.read_bytes()
    with Store.open(path, read_only=True) as store:
        check_trials(store)
    assert path.read_bytes() == before
    assert rows(path, "SELECT version FROM calibrant_store") == [(next_version - 1,)]


def test_a_migration_that_is_interrupted_changes_nothing(
    path: Path, next_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tables.MIGRATIONS[next_version]

    def fail(database: object) -> None:
        real(database)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(tables.MIGRATIONS, next_version, fail)
        with pytest.raises(KeyboardInterrupt):
            Store.open(path)
    assert rows(path, "SELECT version FROM calibrant_store") == [(next_version - 1,)]
    assert not has_new_column(path)
    with Store.open(path) as store:
        check_trials(store)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_that_no_migration_leads_from_is_refused(path: Path, read_only: bool) -> None:
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


def test_a_store_in_postgresql_of_an_older_version_is_migrated(postgres_url: str, next_version: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "SCHEMA_VERSION", next_version - 1)
        with Store.open(postgres_url) as store:
            store.save_definition(STUDY, {})
            store.record(STUDY, store.start_worker(STUDY), make_record(0))
    with Store.open(postgres_url) as store:
        assert store.record(STUDY, store.start_worker(STUDY), make_record(1)) == "recorded"
        assert len(store.trials(STUDY)) == 2


def test_a_store_in_postgresql_of_a_newer_version_is_refused(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    Store.open(postgres_url).close()
    postgres_server.execute("UPDATE calibrant_store SET version = 99, calibrant = '7.1.0'", postgres_url)
    with pytest.raises(StoreError, match=r'pip install "calibrant>=7\.1\.0"'):
        Store.open(postgres_url)
