"""Stores of other versions: older ones are migrated, or queried as they are; newer ones are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies.postgres_server import PostgresServer
from tests.studies.store_records import STUDY, key_of, make_record

from calibrant import __version__
from calibrant.exceptions import StoreError
from calibrant.studies._store import Store
from calibrant.studies._store.tables import METADATA, SCHEMA_VERSION

VERSION_1 = Path(__file__).parent / "store_version_1.sql"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a store as version 1 wrote it."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1.read_text())
    return path


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def set_version(path: Path, version: int, written_by: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE calibrant_store SET version = ?, calibrant = ?", (version, written_by))


def check_first_trials(store: Store) -> None:
    columns = store.trials(STUDY)
    assert columns.key.tolist() == [key_of(0), key_of(1), key_of(2)]
    assert columns.values["brier"][:2].tolist() == [0.0, 1 / 7]
    assert columns.state.tolist() == ["done", "done", "failed"]
    assert columns.host.tolist() == ["", "", ""]
    assert store.predictions(STUDY, "data 0", "tree") == [(0, b"parquet")]
    assert (store.definition(STUDY), store.computed_twice(STUDY)) == ({"seed": 0}, 1)
    assert [claim.key for claim in store.claims(STUDY)] == [key_of(3)]


def test_a_store_of_version_1_opens_and_has_all_its_trials(old: Path) -> None:
    with Store.open(old) as store:
        check_first_trials(store)
    assert rows(old, "SELECT version, calibrant FROM calibrant_store") == [(SCHEMA_VERSION, __version__)]


def test_a_migrated_store_has_the_layout_of_a_new_one(old: Path, tmp_path: Path) -> None:
    Store.open(old).close()
    Store.open(tmp_path / "new.db").close()
    for table in METADATA.tables:
        columns = f"SELECT name, pk, \"notnull\" FROM pragma_table_info('{table}') ORDER BY name"  # noqa: S608
        assert rows(old, columns) == rows(tmp_path / "new.db", columns)
    indexes = "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name"
    assert rows(old, indexes) == rows(tmp_path / "new.db", indexes)


def test_a_migrated_store_takes_new_trials(old: Path) -> None:
    with Store.open(old) as store:
        worker = store.start_worker(STUDY)
        assert store.record(STUDY, worker, make_record(3)) == "recorded"
        assert store.record(STUDY, worker, make_record(1, by="later", scores={"test": {"log": 2.0}})) == "supplemented"
        assert store.trials(STUDY).host.tolist() == ["", "", "", worker.process.host]


def test_a_store_of_version_1_is_queried_without_a_migration_if_it_may_only_be_read(old: Path) -> None:
    before = old.read_bytes()
    with Store.open(old, read_only=True) as store:
        check_first_trials(store)
        assert store.finished(STUDY, {"test": ["brier", "auc"]})[key_of(0)] == "done"
        assert [study.n_trials for study in store.studies()] == [3]
    assert old.read_bytes() == before


def test_a_migration_that_is_interrupted_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(database: object) -> None:
        real(database)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    from calibrant.studies._store.tables import MIGRATIONS

    real = MIGRATIONS[2]
    with monkeypatch.context() as patch:
        patch.setitem(MIGRATIONS, 2, fail)
        with pytest.raises(KeyboardInterrupt):
            Store.open(old)
    assert rows(old, "SELECT version FROM calibrant_store") == [(1,)]
    assert rows(old, "SELECT name FROM sqlite_master WHERE name = 'calibrant_supplements'") == []
    with Store.open(old) as store:
        check_first_trials(store)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_of_a_newer_version_is_refused_with_the_version_to_install(old: Path, read_only: bool) -> None:
    set_version(old, 99, "7.1.0")
    before = old.read_bytes()
    with pytest.raises(StoreError, match=r'written by calibrant 7\.1\.0 .*pip install "calibrant>=7\.1\.0"'):
        Store.open(old, read_only=read_only)
    assert old.read_bytes() == before


def test_a_store_in_postgresql_of_version_1_opens_and_has_all_its_trials(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with Store.open(postgres_url) as store:
        store.save_definition(STUDY, {})
        store.record(STUDY, store.start_worker(STUDY), make_record(0))
    postgres_server.execute("ALTER TABLE calibrant_trials DROP COLUMN worker", postgres_url)
    postgres_server.execute("DROP TABLE calibrant_supplements", postgres_url)
    postgres_server.execute("UPDATE calibrant_store SET version = 1", postgres_url)
    with Store.open(postgres_url, read_only=True) as store:
        assert store.trials(STUDY).host.tolist() == [""]
    with Store.open(postgres_url) as store:
        assert store.record(STUDY, store.start_worker(STUDY), make_record(1)) == "recorded"
        assert store.trials(STUDY).host[0] == ""
        assert len(store.trials(STUDY)) == 2


def test_a_store_in_postgresql_of_a_newer_version_is_refused(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    Store.open(postgres_url).close()
    postgres_server.execute("UPDATE calibrant_store SET version = 99, calibrant = '7.1.0'", postgres_url)
    with pytest.raises(StoreError, match=r'pip install "calibrant>=7\.1\.0"'):
        Store.open(postgres_url)
