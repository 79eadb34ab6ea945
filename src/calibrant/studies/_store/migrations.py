"""The version of a store's layout: created, migrated from an older one, refused if it is newer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from calibrant import __version__
from calibrant.exceptions import StoreError
from calibrant.studies._store.tables import METADATA, SCHEMA_VERSION, SUPPLEMENTS

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

__all__ = ["prepare_schema"]

_LOCK = 0  # studies are locked by their own numbers, which start at 1


_READ = "SELECT version, calibrant FROM calibrant_store"
_WRITE = "INSERT INTO calibrant_store (version, calibrant, created) VALUES (:version, :calibrant, $NOW)"
_UPDATE = "UPDATE calibrant_store SET version = :version, calibrant = :calibrant"


def _note_workers(database: Database) -> None:
    """Lead to version 2: which worker computed a trial, and what was added to it later."""
    SUPPLEMENTS.create(database.connection)
    database.execute("ALTER TABLE calibrant_trials ADD COLUMN worker BIGINT")


# Number n leads from version n - 1 to n, in one transaction with the others. Queries also run on older layouts, since
# a store that may only be read is not migrated.
MIGRATIONS: dict[int, Callable[[Database], None]] = {2: _note_workers}


def prepare_schema(database: Database, *, create: bool) -> None:
    """Make sure that the store has the layout of this version, or one that can be queried."""
    found = database.read(lambda: _find_version(database))
    if found is None:
        _check_creatable(database, create=create)
        database.prepare_writing()
        database.write(lambda: _create(database))
        found = database.read(lambda: _find_version(database))
    assert found is not None  # noqa: S101
    _check_not_newer(database, *found)
    database.version = found[0]
    if not database.read_only:
        database.prepare_writing()
        if found[0] < SCHEMA_VERSION:
            database.write(lambda: _migrate(database))
            database.version = SCHEMA_VERSION


def _find_version(database: Database) -> tuple[int, str] | None:
    if not database.has_table("calibrant_store"):
        return None
    rows = database.rows(_READ)
    return (int(rows[0][0]), str(rows[0][1])) if rows else None


def _check_creatable(database: Database, *, create: bool) -> None:
    shown = database.address.shown
    # In one transaction: another process may have created the store since the version was looked for
    if not database.read(lambda: database.can_hold_store() or _find_version(database) is not None):
        raise StoreError(
            f"{shown}: the file is an SQLite database of another program, not a store of calibrant; it was left "
            "unchanged. Choose another file."
        )
    if database.read_only or not create:
        raise StoreError(f"{shown}: the database has no store of calibrant. Run a study to create it.")


def _check_not_newer(database: Database, version: int, written_by: str) -> None:
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{database.address.shown}: the store was written by calibrant {written_by} (layout {version}); this is "
            f"calibrant {__version__}, which knows layouts up to {SCHEMA_VERSION}. It was left unchanged. Install "
            f'that version: pip install "calibrant>={written_by}"'
        )


def _create(database: Database) -> None:
    """Create the tables unless another process was faster."""
    database.lock(_LOCK)
    if _find_version(database) is None:
        METADATA.create_all(database.connection)
        database.execute(_WRITE, {"version": SCHEMA_VERSION, "calibrant": __version__})


def _migrate(database: Database) -> None:
    """Run the missing migrations unless another process was faster."""
    database.lock(_LOCK)
    found = _find_version(database)
    assert found is not None  # noqa: S101
    for version in range(found[0] + 1, SCHEMA_VERSION + 1):
        MIGRATIONS[version](database)
    if found[0] < SCHEMA_VERSION:
        database.execute(_UPDATE, {"version": SCHEMA_VERSION, "calibrant": __version__})
