"""A PostgreSQL that goes away and comes back, is not there, or does not let us in."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from tests.studies.postgres_server import PASSWORD, PostgresServer
from tests.studies.store_records import STUDY, key_of, make_record

from calibrant.exceptions import MissingExtraError, ParameterError, StoreError
from calibrant.studies._store.postgres import PostgresDatabase
from calibrant.studies._store.store import Store


@pytest.fixture
def server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """Return the server, which runs again after the test."""
    yield postgres_server
    if not postgres_server.is_running:
        postgres_server.start()


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with Store.open(postgres_url, retry_seconds=30.0) as store:
        store.save_definition(STUDY, {})
        yield store


def test_a_lost_connection_is_made_again(server: PostgresServer, store: Store) -> None:
    worker = store.start_worker(STUDY)
    for number in range(3):
        assert server.end_connections() == 1
        assert store.record(STUDY, worker, make_record(number)) == "recorded"
        assert server.end_connections() == 1
        assert len(store.trials(STUDY)["key"]) == number + 1
        assert server.end_connections() == 1
        assert store.claim(STUDY, worker, ["a"]) == ["a"]


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.sample(2)
def test_a_server_that_comes_back_is_waited_for(server: PostgresServer, store: Store, crash: bool) -> None:
    worker = store.start_worker(STUDY)
    store.record(STUDY, worker, make_record(0))
    server.stop(crash=crash)
    later = threading.Timer(0.5, server.start)
    later.start()
    assert store.record(STUDY, worker, make_record(1)) == "recorded"
    later.join()
    assert store.trials(STUDY)["key"].tolist() == [key_of(0), key_of(1)]


def test_a_server_that_stays_away_is_an_error_after_the_documented_time(
    server: PostgresServer, postgres_url: str
) -> None:
    with Store.open(postgres_url, retry_seconds=0.5) as store:
        store.save_definition(STUDY, {})
        worker = store.start_worker(STUDY)
        server.stop()
        begin = time.monotonic()
        with pytest.raises(StoreError, match=rf"no connection to PostgreSQL at .*{server.port}.*What was recorded"):
            store.record(STUDY, worker, make_record(0))
        assert time.monotonic() - begin < 20.0
        server.start()
        assert store.record(STUDY, worker, make_record(0)) == "recorded"


@pytest.mark.parametrize("is_sent", [True, False])
def test_a_record_whose_commit_is_not_confirmed_is_known_by_its_token(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    worker = store.start_worker(STUDY)
    real, losses = PostgresDatabase._send, [1]

    def lossy(database: PostgresDatabase, steps: Any) -> Any:
        if not losses:
            return real(database, steps)
        losses.pop()
        if is_sent:
            real(database, steps)
        database.raw.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(PostgresDatabase, "_send", lossy)
    assert store.record(STUDY, worker, make_record(0, predictions=b"p")) == "recorded"
    assert (len(store.trials(STUDY)["key"]), store.computed_twice(STUDY)) == (1, 0)
    assert store.predictions(STUDY, "data 0", "tree") == [(0, b"p")]


def test_a_supplement_whose_commit_is_not_confirmed_is_known_by_its_token(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = store.start_worker(STUDY)
    store.record(STUDY, worker, make_record(0))
    real, losses = PostgresDatabase._transaction, [1]

    def lossy(database: PostgresDatabase, work: Any, begin: str) -> Any:
        value = real(database, work, begin)
        if value == "supplemented" and losses:
            losses.pop()
            database.raw.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return value

    monkeypatch.setattr(PostgresDatabase, "_transaction", lossy)
    more = make_record(0, by="second", scores={"test": {"log": 1.0}})
    assert store.record(STUDY, worker, more) == "supplemented"
    assert (losses, store.computed_twice(STUDY)) == ([], 0)


@pytest.mark.sample(2)
def test_what_was_recorded_survives_a_crash_of_the_server(server: PostgresServer, store: Store) -> None:
    worker = store.start_worker(STUDY)
    for number in range(20):
        store.record(STUDY, worker, make_record(number))
    server.stop(crash=True)
    server.start()
    assert len(store.trials(STUDY)["key"]) == 20


def test_commits_are_synced_where_the_server_is_set_up_otherwise(server: PostgresServer, postgres_url: str) -> None:
    server.execute("ALTER ROLE calibrant SET synchronous_commit = off")
    try:
        with Store.open(postgres_url) as store:
            database = store._database
            assert database.read(lambda: database.rows("SHOW synchronous_commit")) == [("on",)]
    finally:
        server.execute("ALTER ROLE calibrant RESET synchronous_commit")


def test_deleting_a_study_waits_for_a_trial_that_is_being_recorded(store: Store, postgres_url: str) -> None:
    store.record(STUDY, store.start_worker(STUDY), make_record(0))
    copied = (
        "study, token, dataset, fingerprint, method, split, split_name, versions, n_train, n_test, fit_seconds, "
        "predict_seconds, shared_seconds, n_sharing, choice, recorded"
    )
    with psycopg.connect(postgres_url) as other, ThreadPoolExecutor(1) as pool:
        other.execute(f"INSERT INTO calibrant_trials (key, {copied}) SELECT 'x', {copied} FROM calibrant_trials")  # noqa: S608
        deletion = pool.submit(store.delete, STUDY)
        time.sleep(0.5)
        assert not deletion.done()
        other.commit()
        deletion.result(60)
    assert store.studies() == []


# Not there


def test_a_server_that_is_not_there_is_an_error_at_once_with_its_host_and_port() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        begin = time.monotonic()
        with pytest.raises(StoreError, match=rf"no connection to PostgreSQL at 127\.0\.0\.1:{port}") as caught:
            Store.open(f"postgresql://ada:{PASSWORD.replace('@', '%40')}@127.0.0.1:{port}/studies")
    assert time.monotonic() - begin < 10.0
    assert "secret" not in str(caught.value)
    assert "se:cr" not in str(caught.value)


def test_a_host_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(StoreError, match=r"no connection to PostgreSQL at nowhere\.invalid:5432"):
        Store.open("postgresql://nowhere.invalid/studies")


def test_the_password_appears_nowhere(server: PostgresServer) -> None:
    with Store.open(server.tcp_url()) as store:
        shown = [repr(store), store.url, repr(store._database.address)]
    with pytest.raises(
        StoreError, match=r"password authentication failed.*Correct the user and the password"
    ) as caught:
        Store.open(server.tcp_url("wrong:pass@word"))
    with pytest.raises(StoreError) as missing:
        Store.open(server.tcp_url().replace("/postgres", "/nothing"))
    for text in [*shown, str(caught.value), str(missing.value), str(caught.value.__cause__)]:
        assert "cr%40et" not in text
        assert "cr@et" not in text
        assert "pass@word" not in text
        assert "pass%40word" not in text


def test_a_database_that_does_not_exist_is_an_error_with_the_remedy(server: PostgresServer) -> None:
    with pytest.raises(StoreError, match=r'database "nothing" does not exist.*createdb'):
        Store.open(server.url.replace("/postgres?", "/nothing?"))


def test_a_user_that_may_only_read_can_query(server: PostgresServer, store: Store, postgres_url: str) -> None:
    store.record(STUDY, store.start_worker(STUDY), make_record(0))
    schema = postgres_url.rpartition("%3D")[2]
    server.execute("DROP ROLE IF EXISTS reader")
    server.execute("CREATE ROLE reader LOGIN")
    server.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")
    server.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader")
    url = postgres_url.replace("//calibrant@", "//reader@")
    with Store.open(url, read_only=True) as reader:
        assert len(reader.trials(STUDY)["key"]) == 1
    with Store.open(url) as reader, pytest.raises(StoreError, match=r"permission denied.*read_only=True"):
        reader.save_definition("more", {})


def test_a_database_without_a_store_is_not_changed_by_reading(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreError, match="has no store"):
            Store.open(postgres_url, **options)
    assert postgres_server.execute("SELECT to_regclass('calibrant_store')", postgres_url) == [(None,)]


def test_a_store_that_is_only_read_cannot_be_written(postgres_url: str) -> None:
    Store.open(postgres_url).close()
    with Store.open(postgres_url, read_only=True) as reader, pytest.raises(StoreError, match="read_only"):
        reader.save_definition("more", {})


def test_psycopg_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r'pip install "calibrant\[postgres\]"'):
        Store.open("postgresql://localhost/studies")


def test_a_url_without_a_valid_port_is_an_error_without_its_password() -> None:
    with pytest.raises(ParameterError, match=r"must be a URL such as .* got 'postgresql://ada:\*\*\*@host:port/x'"):
        Store.open("postgresql://ada:secret@host:port/x")
