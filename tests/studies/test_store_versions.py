"""Stores of other versions: they are refused and left as they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies.bad_study import make_study
from tests.studies.postgres_server import PostgresServer

from calibrant.exceptions import StoreError
from calibrant.studies import list_studies


def store_of(folder: Path, version: int, written_by: str) -> Path:
    """Return a store with the trials of a study whose version is another one."""
    make_study(folder).run()
    with closing(sqlite3.connect(folder / "studies.db")) as connection, connection:
        connection.execute("UPDATE calibrant_store SET version = ?, calibrant = ?", (version, written_by))
    return folder / "studies.db"


@pytest.mark.parametrize(
    ("version", "written_by", "message"),
    [
        (1, "0.0.1", r"written by calibrant 0\.0\.1 \(layout 1\), which .* cannot read"),
        (99, "7.1.0", r'written by calibrant 7\.1\.0 .*pip install "calibrant>=7\.1\.0"'),
    ],
    ids=["older", "newer"],
)
def test_a_store_of_another_version_is_refused_for_reading_and_writing(
    tmp_path: Path, version: int, written_by: str, message: str
) -> None:
    path = store_of(tmp_path, version, written_by)
    before = path.read_bytes()
    for refused in (lambda: list_studies(path), make_study(tmp_path).run):
        with pytest.raises(StoreError, match=message):
            refused()
    assert path.read_bytes() == before


def test_a_store_in_postgresql_of_a_newer_version_is_refused(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    study = make_study(tmp_path, store=postgres_url)
    study.run()
    postgres_server.execute("UPDATE calibrant_store SET version = 99, calibrant = '7.1.0'", postgres_url)
    with pytest.raises(StoreError, match=r'pip install "calibrant>=7\.1\.0"'):
        study.run()
