"""The tables of a store, for SQLite and PostgreSQL; their layout has a version number (see `migrations`)."""

from __future__ import annotations

from typing import Any

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

__all__ = ["METADATA", "SCHEMA_VERSION", "SUPPLEMENTS"]

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
    Column("worker", _ID),  # since version 2
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

# Since version 2: computations that added metrics or predictions to a trial, with the versions they were made with.
SUPPLEMENTS = Table(
    "calibrant_supplements",
    METADATA,
    *_key(_ID, "trial", of="trials"),
    *_key(Text, "token"),
    *_required(_ID, "versions", "worker"),
    *_required(Double, "recorded"),
    sqlite_with_rowid=False,
)
