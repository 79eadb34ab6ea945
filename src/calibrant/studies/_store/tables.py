"""The layout of a store: its tables, by a version that is created or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from calibrant import __version__
from calibrant.exceptions import StoreError

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

SCHEMA_VERSION = 2

METADATA = MetaData()

# Only an INTEGER PRIMARY KEY of SQLite is the row id itself and needs no second tree.
_ID = BigInteger().with_variant(Integer(), "sqlite")


def _required(kind: Any, *names: str) -> list[Column[Any]]:
    """Return columns that are never empty."""
    return [Column(name, kind, nullable=False) for name in names]


def _key(kind: Any, *names: str, of: str | None = None) -> list[Column[Any]]:
    """Return columns that identify a row together with others, the ids of another table among them."""
    references = [] if of is None else [ForeignKey(f"calibrant_{of}.id")]
    return [Column(name, kind, *references, primary_key=True, autoincrement=False) for name in names]


def _reference(name: str, table: str, *, index: bool = False) -> Column[Any]:
    return Column(name, _ID, ForeignKey(f"calibrant_{table}.id"), nullable=False, index=index)


def _unique(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False, unique=True)


Table(
    "calibrant_store",
    METADATA,
    *_required(Integer, "version"),
    *_required(Text, "calibrant"),
    *_required(Double, "created"),
)

Table(
    "calibrant_studies",
    METADATA,
    Column("id", _ID, primary_key=True),
    _unique("digest"),  # of the name: an index of PostgreSQL takes no long texts
    *_required(Text, "name", "definition"),
    *_required(Double, "created", "updated"),
    sqlite_autoincrement=True,  # the number of a deleted study is not used again
)

# Every text that recurs: names of data sets, methods, metrics and splits, fingerprints, versions.
Table(
    "calibrant_names",
    METADATA,
    Column("id", _ID, primary_key=True),
    _unique("digest"),
    *_required(Text, "name"),
)

# Names have no foreign keys: PostgreSQL would lock their rows with every trial, and names are never deleted.
_trials = Table(
    "calibrant_trials",
    METADATA,
    Column("id", _ID, primary_key=True),
    _reference("study", "studies"),
    *_required(Text, "key", "token"),
    *_required(_ID, "dataset", "fingerprint", "method", "split_name", "versions", "choice"),
    *_required(Integer, "split", "n_sharing"),
    *_required(BigInteger, "n_train", "n_test"),
    *_required(Double, "fit_seconds", "predict_seconds", "shared_seconds", "recorded"),
    Column("seed", BigInteger),
    Column("worker", _ID),
    Column("error", Text),
    UniqueConstraint("study", "key"),
)
Index("calibrant_trials_of_study", _trials.c.study, _trials.c.id)
_failed = text("error IS NOT NULL")
Index("calibrant_trials_failed", _trials.c.study, sqlite_where=_failed, postgresql_where=_failed)

Table(
    "calibrant_scores",
    METADATA,
    *_key(_ID, "trial", of="trials"),
    *_key(_ID, "metric"),
    *_key(SmallInteger, "part"),
    Column("value", Double),  # NULL: not a number
    sqlite_with_rowid=False,
)

Table("calibrant_predictions", METADATA, *_key(_ID, "trial", of="trials"), *_required(LargeBinary, "parquet"))

Table(
    "calibrant_workers",
    METADATA,
    Column("id", _ID, primary_key=True),
    _reference("study", "studies", index=True),
    _unique("token"),
    *_required(Text, "host", "boot", "namespace"),
    *_required(BigInteger, "pid"),
    *_required(Double, "process_start", "lease", "started", "heartbeat"),
    Column("ended", Double),
    sqlite_autoincrement=True,
)

Table(
    "calibrant_claims",
    METADATA,
    *_key(_ID, "study", of="studies"),
    *_key(Text, "key"),
    _reference("worker", "workers", index=True),
    *_required(Double, "claimed"),
    sqlite_with_rowid=False,
)

# Computations whose result was there already: their lease had been lost to another worker.
Table(
    "calibrant_repeats",
    METADATA,
    *_key(_ID, "study", of="studies"),
    *_key(Text, "key", "token"),
    *_required(_ID, "worker"),
    *_required(Double, "recorded"),
    sqlite_with_rowid=False,
)

# Computations that added metrics or predictions to a trial, with the versions they were made with.
Table(
    "calibrant_supplements",
    METADATA,
    *_key(_ID, "trial", of="trials"),
    *_key(Text, "token"),
    *_required(_ID, "versions", "worker"),
    *_required(Double, "recorded"),
    sqlite_with_rowid=False,
)


_LOCK = 0  # studies are locked by their own numbers, which start at 1


_READ = "SELECT version, calibrant FROM calibrant_store"
_WRITE = "INSERT INTO calibrant_store (version, calibrant, created) VALUES (:version, :calibrant, $NOW)"


def prepare_schema(database: Database, *, create: bool) -> None:
    """Make sure that the store has the layout of this version; raise if it has another."""
    shown, found = database.address.shown, database.read(lambda: _find_version(database))
    if found is None:
        # In one transaction: another process may have created the store since the version was looked for
        if not database.read(lambda: database.can_hold_store() or _find_version(database) is not None):
            raise StoreError(
                f"{shown}: the file is an SQLite database of another program, not a store of calibrant; it was left "
                "unchanged. Choose another file."
            )
        if database.read_only or not create:
            raise StoreError(f"{shown}: the database has no store of calibrant. Run a study to create it.")
        database.prepare_writing()
        found = database.write(lambda: _create(database))
    version, written_by = found
    shown = f"{shown}: the store was written by calibrant {written_by} (layout {version})"
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{shown}; this is calibrant {__version__}, which knows layouts up to {SCHEMA_VERSION}. It was left "
            f'unchanged. Install that version: pip install "calibrant>={written_by}"'
        )
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{shown}, which calibrant {__version__} cannot read. It was left unchanged: run the study anew."
        )
    if not database.read_only:
        database.prepare_writing()


def _find_version(database: Database) -> tuple[int, str] | None:
    if not database.has_table("calibrant_store"):
        return None
    rows = database.rows(_READ)
    return (int(rows[0][0]), str(rows[0][1])) if rows else None


def _create(database: Database) -> tuple[int, str]:
    """Create the tables unless another process was faster, and return the version that there is."""
    database.lock(_LOCK)
    found = _find_version(database)
    if found is None:
        METADATA.create_all(database.connection)
        found = SCHEMA_VERSION, __version__
        database.execute(_WRITE, {"version": SCHEMA_VERSION, "calibrant": __version__})
    return found
