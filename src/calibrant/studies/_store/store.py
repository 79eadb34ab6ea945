"""The store of studies: opened by its URL, it records a finished trial by one commit, the first of a key winning."""

from __future__ import annotations

import json
import math
import os
import weakref
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, Self

from calibrant._optional import optional_import
from calibrant.studies._store.catalogue import PARTS
from calibrant.studies._store.leases import Leases, Worker
from calibrant.studies._store.read_url import StoreAddress, read_store_url

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database, Step
    from calibrant.studies._trials.records import TrialRecord

Recorded = Literal["recorded", "supplemented", "already there"]


_ADD_TRIAL = """
INSERT INTO calibrant_trials
    (study, key, token, dataset, fingerprint, method, split, split_name, seed, versions, n_train, n_test,
    fit_seconds, predict_seconds, shared_seconds, n_sharing, choice, error, recorded, worker)
VALUES (:study, :key, :token, :dataset, :fingerprint, :method, :split, :split_name, :seed, :versions, :n_train, :n_test,
    :fit_seconds, :predict_seconds, :shared_seconds, :n_sharing, :choice, :error, $NOW, :worker)
ON CONFLICT (study, key) DO NOTHING
"""
# The trial is found by its token: nothing is added to one that another computation recorded.
_ADD_SCORE = """
INSERT INTO calibrant_scores (trial, metric, part, value)
SELECT t.id, CAST(:metric AS BIGINT), CAST(:part AS SMALLINT), CAST(:value AS DOUBLE PRECISION)
FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key AND t.token = :token
ON CONFLICT (trial, metric, part) DO NOTHING
"""
_ADD_PREDICTIONS = """
INSERT INTO calibrant_predictions (trial, parquet)
SELECT t.id, :parquet FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key AND t.token = :token
ON CONFLICT (trial) DO NOTHING
"""
# The same in one statement, for a database whose queries may write; the trial is seen by its number only.
_ADD_WHOLE = """
WITH added AS ($ADD_TRIAL RETURNING id),
scored AS (
    INSERT INTO calibrant_scores (trial, metric, part, value)
    SELECT added.id, s.metric, s.part, s.value FROM added, unnest(
        CAST(:metrics AS BIGINT[]), CAST(:parts AS SMALLINT[]), CAST(:values AS DOUBLE PRECISION[])
    ) AS s(metric, part, value)
),
predicted AS (
    INSERT INTO calibrant_predictions (trial, parquet)
    SELECT added.id, CAST(:parquet AS BYTEA) FROM added WHERE CAST(:parquet AS BYTEA) IS NOT NULL
),
unclaimed AS (DELETE FROM calibrant_claims WHERE study = :study AND key = :key)
SELECT id FROM added
""".replace("$ADD_TRIAL", _ADD_TRIAL)
_END_CLAIM = "DELETE FROM calibrant_claims WHERE study = :study AND key = :key"
_FIND = "SELECT id, token, error IS NOT NULL FROM calibrant_trials WHERE study = :study AND key = :key"
_ADD_REPEAT = """
INSERT INTO calibrant_repeats (study, key, token, worker, recorded)
VALUES (:study, :key, :token, :worker, $NOW) ON CONFLICT (study, key, token) DO NOTHING
"""
_ADD_SUPPLEMENT = """
INSERT INTO calibrant_supplements (trial, token, versions, worker, recorded)
SELECT t.id, :token, CAST(:versions AS BIGINT), CAST(:worker AS BIGINT), $NOW
FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key
"""
_FIND_SUPPLEMENT = """
SELECT 1 FROM calibrant_supplements AS s JOIN calibrant_trials AS t ON t.id = s.trial
WHERE t.study = :study AND t.key = :key AND s.token = :token
"""


_NUMBERS = ("seed", "n_train", "n_test", "fit_seconds", "predict_seconds", "shared_seconds", "n_sharing")


@lru_cache(maxsize=100)
def _versions_text(versions: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(versions), sort_keys=True, ensure_ascii=False)


class Store(Leases):
    """The studies in an SQLite file or a PostgreSQL database. Use `Store.open`.

    The guarantees, on both databases:

    - A trial that `record` returned for is kept: it was committed and synced to the disk before.
    - A trial is recorded once: the first commit of its key wins, and nothing of a later one is mixed with it, but for
      metrics that it lacks. A trial that was computed twice is counted.
    - A trial is recorded with everything that belongs to it (scores, predictions, error) or not at all.
    - A trial is held by one worker at a time. Its claim passes to another worker when its process on this host is
      dead, at once; when it was silent for longer than its lease; or when it was released.
    - A query sees one state of the store, while others write.
    - A failure raises `StoreError` and leaves the store as it was; it can be used again.
    - A lost connection to PostgreSQL is made again, and what was under way is repeated for up to `retry_seconds`;
      a record whose commit had come through is known by its token, and not counted as computed twice. If the
      connection cannot be made when the store is opened, this is raised at once.
    - A process that is forked makes its own connection.
    - Times are by the clock of the PostgreSQL server, or of the host of an SQLite file, for all processes alike.

    A store may be used by several threads; they take turns.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        weakref.finalize(self, database.close)  # Python 3.13 warns of connections that nobody closes

    @classmethod
    def open(
        cls,
        url: str | os.PathLike[str] | StoreAddress,
        *,
        read_only: bool = False,
        create: bool = True,
        retry_seconds: float = 60.0,
    ) -> Self:
        """Open a store; a file or tables that are not there are created.

        Parameters
        ----------
        url : str, path or StoreAddress
            ``"results.db"``, ``"sqlite:///results.db"`` or ``"postgresql://user@host/database"``. An SQLite URL may end
            in ``?timeout=30`` (seconds to wait for a locked file) and ``&max_pages=1000`` (the largest file).
        read_only : bool
            Whether only queries are made; the file and its folder need not be writable.
        create : bool
            Whether a store that is not there is created; otherwise this is an error.
        retry_seconds : float
            For how long an operation is repeated when the connection to PostgreSQL was lost.

        Returns
        -------
        Store
            The open store; a context manager that closes it.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/results.db") as store:
        ...     store.save_definition("trees", {"seed": 0})
        ...     [study.name for study in store.studies()]
        ['trees']
        """
        address = read_store_url(url)
        optional_import("sqlalchemy", extra="studies", purpose="keep studies in a store")
        # Databases are imported at first use: most of calibrant never opens one
        if address.dialect == "sqlite":
            from calibrant.studies._store.sqlite import SqliteDatabase

            database: Database = SqliteDatabase(
                address, read_only=read_only, retry_seconds=retry_seconds, create=create
            )
        else:
            optional_import("psycopg", extra="postgres", purpose="keep studies in PostgreSQL")
            from calibrant.studies._store.postgres import PostgresDatabase

            database = PostgresDatabase(address, read_only=read_only, retry_seconds=retry_seconds)
        from calibrant.studies._store.tables import prepare_schema

        try:
            prepare_schema(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def record(self, name: str, worker: Worker, record: TrialRecord) -> Recorded:
        """Commit a finished trial and end its claim.

        Returns
        -------
        {"recorded", "supplemented", "already there"}
            "supplemented": the trial was there, and only the metrics or predictions that it lacked were added;
            "already there": nothing was added. This counts as computed twice, unless the token is the same.
        """
        row, scores = self._row(self._id(name), worker, record), list(self._scores(record))
        while True:
            n_added, n_attempts = self._database.write_steps(self._steps(row, scores, record.predictions))
            if n_added:
                return "recorded"
            outcome = self._database.write(partial(self._supplement, row, record, scores))
            if outcome == "sent before" and n_attempts > 1:
                return "recorded"  # by an attempt whose commit was not confirmed
            if outcome != "removed":
                return "already there" if outcome == "sent before" else outcome

    def _steps(self, row: dict[str, Any], scores: list[dict[str, Any]], predictions: bytes | None) -> list[Step]:
        """Return the statements that write a trial; the first changes one row, or none if the key has a trial."""
        if self._database.nests_writes:
            columns = {f"{name}s": [score[name] for score in scores] for name in ("metric", "part", "value")}
            return [(_ADD_WHOLE, {**row, **columns, "parquet": predictions})]
        trial = {name: row[name] for name in ("study", "key", "token")}
        steps: list[Step] = [(_ADD_TRIAL, row)]
        if scores:
            steps.append((_ADD_SCORE, [{**trial, **score} for score in scores]))
        if predictions is not None:
            steps.append((_ADD_PREDICTIONS, {**trial, "parquet": predictions}))
        return [*steps, (_END_CLAIM, trial)]

    def _supplement(
        self, row: dict[str, Any], record: TrialRecord, scores: list[dict[str, Any]]
    ) -> Recorded | Literal["sent before", "removed"]:
        """Add what it lacks to the trial that another computation recorded."""
        database = self._database
        trial = {name: row[name] for name in ("study", "key", "token")}
        database.lock(row["study"])
        if database.rows(_FIND_SUPPLEMENT, **trial):
            return "supplemented"
        found = database.rows(_FIND, study=row["study"], key=row["key"])
        if not found or found[0][1] == record.token:
            return "sent before" if found else "removed"
        n_added = 0
        if not found[0][2] and not record.error:
            owner = {**trial, "token": found[0][1]}
            n_added = sum(database.execute(_ADD_SCORE, {**owner, **score}).rowcount for score in scores)
            if record.predictions is not None:
                n_added += database.execute(_ADD_PREDICTIONS, {**owner, "parquet": record.predictions}).rowcount
        origin = {**trial, "worker": row["worker"]}
        if n_added:
            database.execute(_ADD_SUPPLEMENT, {**origin, "versions": row["versions"]})
            return "supplemented"
        database.execute(_ADD_REPEAT, origin)
        return "already there"

    def _row(self, study: int, worker: int, record: TrialRecord) -> dict[str, Any]:
        ref, error = record.ref, None
        if record.error:  # without what PostgreSQL cannot keep: NUL characters and unpaired surrogates
            error = record.error.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
        texts = {
            "dataset": ref.dataset,
            "method": ref.method,
            "fingerprint": record.data_fingerprint,
            "split_name": record.split_name,
            "choice": record.choice,
            "versions": _versions_text(tuple(record.versions.items())),
        }
        ids = self._names.ids(texts.values())
        row = {"study": study, "key": ref.key, "token": record.token, "split": ref.split, "worker": worker}
        row |= {name: ids[text] for name, text in texts.items()} | {"error": error}
        return row | {name: getattr(record, name) for name in _NUMBERS}

    def _scores(self, record: TrialRecord) -> Iterator[dict[str, Any]]:
        ids = self._names.ids({metric for scores in record.scores.values() for metric in scores})
        for part, scores in record.scores.items():
            for metric, value in scores.items():
                number = float(value)
                yield {
                    "metric": ids[metric],
                    "part": PARTS[part],
                    "value": None if math.isnan(number) else number,
                }

    @property
    def url(self) -> str:
        """The place of the store, for messages: without a password."""
        return self._database.address.shown

    def close(self) -> None:
        """Close the store."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store.open({self.url!r}{', read_only=True' if self._database.read_only else ''})"
