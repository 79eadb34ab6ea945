"""The tables of a store, for SQLite and PostgreSQL; their layout has a version number (see `migrations`)."""

from __future__ import annotations

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

Table(
    "calibrant_store",
    METADATA,
    Column("version", Integer, nullable=False),
    Column("calibrant", Text, nullable=False),
    Column("created", Double, nullable=False),
)

Table(
    "calibrant_studies",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),  # of the name: an index of PostgreSQL has no long texts
    Column("name", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    sqlite_autoincrement=True,  # the number of a deleted study is not used again
)

# Every text that recurs: names of data sets, methods, metrics and splits, fingerprints, versions.
Table(
    "calibrant_names",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
)

# StoredNames have no foreign keys: PostgreSQL would lock their rows with every trial, and names are never deleted.
_trials = Table(
    "calibrant_trials",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("study", _ID, ForeignKey("calibrant_studies.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("dataset", _ID, nullable=False),
    Column("fingerprint", _ID, nullable=False),
    Column("method", _ID, nullable=False),
    Column("split", Integer, nullable=False),
    Column("split_name", _ID, nullable=False),
    Column("seed", BigInteger),
    Column("versions", _ID, nullable=False),
    Column("n_train", BigInteger, nullable=False),
    Column("n_test", BigInteger, nullable=False),
    Column("fit_seconds", Double, nullable=False),
    Column("predict_seconds", Double, nullable=False),
    Column("shared_seconds", Double, nullable=False),
    Column("n_sharing", Integer, nullable=False),
    Column("choice", _ID, nullable=False),
    Column("error", Text),
    Column("recorded", Double, nullable=False),
    Column("worker", _ID),  # since version 2
    UniqueConstraint("study", "key"),
)
Index("calibrant_trials_of_study", _trials.c.study, _trials.c.id)
_failed = text("error IS NOT NULL")
Index("calibrant_trials_failed", _trials.c.study, sqlite_where=_failed, postgresql_where=_failed)

Table(
    "calibrant_scores",
    METADATA,
    Column("trial", _ID, ForeignKey("calibrant_trials.id"), primary_key=True, autoincrement=False),
    Column("metric", _ID, primary_key=True, autoincrement=False),
    Column("part", SmallInteger, primary_key=True, autoincrement=False),
    Column("value", Double),  # NULL: not a number
    sqlite_with_rowid=False,
)

Table(
    "calibrant_predictions",
    METADATA,
    Column("trial", _ID, ForeignKey("calibrant_trials.id"), primary_key=True, autoincrement=False),
    Column("parquet", LargeBinary, nullable=False),
)

Table(
    "calibrant_workers",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("study", _ID, ForeignKey("calibrant_studies.id"), nullable=False, index=True),
    Column("token", Text, nullable=False, unique=True),
    Column("host", Text, nullable=False),
    Column("boot", Text, nullable=False),
    Column("namespace", Text, nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("process_start", Double, nullable=False),
    Column("lease", Double, nullable=False),
    Column("started", Double, nullable=False),
    Column("heartbeat", Double, nullable=False),
    Column("ended", Double),
    sqlite_autoincrement=True,
)

Table(
    "calibrant_claims",
    METADATA,
    Column("study", _ID, ForeignKey("calibrant_studies.id"), primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("worker", _ID, ForeignKey("calibrant_workers.id"), nullable=False, index=True),
    Column("claimed", Double, nullable=False),
    sqlite_with_rowid=False,
)

# Computations whose result was there already: their lease had been lost to another worker.
Table(
    "calibrant_repeats",
    METADATA,
    Column("study", _ID, ForeignKey("calibrant_studies.id"), primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("worker", _ID, nullable=False),
    Column("recorded", Double, nullable=False),
    sqlite_with_rowid=False,
)

# Since version 2: computations that added metrics or predictions to a trial, with the versions they were made with.
SUPPLEMENTS = Table(
    "calibrant_supplements",
    METADATA,
    Column("trial", _ID, ForeignKey("calibrant_trials.id"), primary_key=True, autoincrement=False),
    Column("token", Text, primary_key=True),
    Column("versions", _ID, nullable=False),
    Column("worker", _ID, nullable=False),
    Column("recorded", Double, nullable=False),
    sqlite_with_rowid=False,
)
