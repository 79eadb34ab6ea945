"""Stores that are opened at the moment when something else happens to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from calibrant.studies._store import tables
from calibrant.studies._store.store import Store


def test_a_store_that_another_process_creates_meanwhile_is_used(tmp_path: Path, monkeypatch: Any) -> None:
    Store.open(tmp_path / "results.db").close()
    find, calls = tables._find_version, []

    def find_too_early(database: Any) -> Any:
        calls.append(database)
        return None if len(calls) == 1 else find(database)

    monkeypatch.setattr(tables, "_find_version", find_too_early)
    with Store.open(tmp_path / "results.db") as store:
        assert store.studies() == []


def test_a_connection_that_is_lost_right_after_it_was_made_is_made_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from calibrant.studies._store import postgres

    set_up, calls = postgres._set_up, []

    def fail_once(connection: Any) -> None:
        calls.append(connection)
        if len(calls) == 1:
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        set_up(connection)

    monkeypatch.setattr(postgres, "_set_up", fail_once)
    with Store.open(postgres_url) as store:
        assert store.studies() == []
    assert len(calls) >= 2
