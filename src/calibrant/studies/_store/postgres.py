"""Stores in a PostgreSQL database, for the processes of several hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import psycopg
import sqlalchemy
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from calibrant.exceptions import CalibrantError, ParameterError, StoreError, StudyError
from calibrant.studies._store.database import Database, Step, make_engine
from calibrant.studies._store.read_url import StoreAddress, hide_password

# Classes and codes of errors after which the same may succeed: lost connections, restarts, deadlocks.
_PASSING_CLASSES = ("08", "40")
_PASSING_CODES = ("57P01", "57P02", "57P03", "57P05", "53300", "25P03")
_REMEDIES = {
    "42501": "Let its owner GRANT the right to read and write it, or open the store with read_only=True.",
    "53100": "The disk of the server is full. What was recorded is kept: free some space and run the study again.",
    "25006": "The server only lets it be read: open the store with read_only=True to query it.",
    "55P03": "Another session has locked the tables: end it.",
}
# What a server answers that does not let us in; libpq passes on its words, not its code.
_REFUSALS = {
    "password authentication failed": "Correct the user and the password in the URL, or in PGPASSWORD or ~/.pgpass.",
    "no password supplied": "Put the password in the URL, or in PGPASSWORD or ~/.pgpass.",
    "pg_hba.conf": "Correct the user in the URL, or let the server's pg_hba.conf admit it.",
    "role ": "Create the user with createuser, or correct it in the URL.",
    "database ": "Create it with createdb, or correct the name in the URL.",
}


def is_passing(error: Exception) -> bool:
    """Whether the connection was lost, or the same transaction may succeed later."""
    code = getattr(error, "sqlstate", None)
    if code is None:
        is_connection = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
        return is_connection and not _refusal(str(error))
    return code.startswith(_PASSING_CLASSES) or code in _PASSING_CODES


def _refusal(text: str) -> str:
    """Return the remedy for a refused connection; empty if it was not refused."""
    answer = text.rpartition("FATAL:")[2].strip() if "FATAL:" in text else ""
    for words, remedy in _REFUSALS.items():
        if words in answer and ("does not exist" in answer or not words.endswith(" ")):
            return remedy
    return ""


# A dead network is noticed within about half a minute instead of the hours that TCP allows.
_CONNECT = {
    "connect_timeout": "10",
    "application_name": "calibrant",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
_LOCKS = 0x63616C69  # "cali": the first half of our advisory locks, apart from those of other programs


class PostgresDatabase(Database):
    """A PostgreSQL database: statements of a trial in one round trip, queries on one snapshot."""

    fragments: ClassVar[Mapping[str, str]] = {
        "$NOW": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)",
        "$KEYS": "unnest(CAST(:keys AS text[])) AS k(value)",
        "$IN_KEYS": "= ANY (CAST(:keys AS text[]))",
        "$IN_CODES": "= ANY (CAST(:codes AS bigint[]))",
    }
    begin_write: ClassVar[str] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    begin_read: ClassVar[str] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    nests_writes: ClassVar[bool] = True
    driver_error = psycopg.Error

    def __init__(self, address: StoreAddress, *, read_only: bool, retry_seconds: float) -> None:
        super().__init__(address, read_only=read_only, retry_seconds=retry_seconds)
        self._was_open = False
        try:
            self._url = make_url(address.url)
        except (ArgumentError, ValueError):
            raise ParameterError(
                f"store must be a URL such as 'postgresql://user@host:5432/database'; got {address.shown!r}."
            ) from None

    def make_engine(self) -> sqlalchemy.Engine:
        """Return an engine of psycopg 3."""
        arguments = {name: value for name, value in _CONNECT.items() if name not in self._url.query}
        engine = make_engine(str(self._url.render_as_string(hide_password=False)), connect_args=arguments)
        sqlalchemy.event.listen(engine, "connect", self._take)
        return engine

    def _take(self, connection: Any, _: object) -> None:
        """Note that there is a server: from now on a lost connection is made again."""
        self._was_open = True
        _set_up(connection)

    def patience(self, error: Exception) -> float:
        """Return the time to wait for a lost connection; at the first opening there is none."""
        return self.retry_seconds if self._was_open and is_passing(error) else 0.0

    def is_lost(self) -> bool:
        """Return whether the connection is closed or broken."""
        return bool(self.raw.closed or self.raw.broken)

    def is_in_transaction(self) -> bool:
        """Whether a transaction is open, or failed and not yet ended."""
        return bool(self.raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE)

    def store_error(self, error: Exception) -> CalibrantError:
        """Return the error for the user that an error of PostgreSQL means."""
        code, shown = getattr(error, "sqlstate", None), self.address.shown
        text = hide_password(" ".join(str(error).split()))
        if code == "23503":
            return StudyError(f"{shown}: the study was deleted from the store while it was in use.")
        if remedy := _REMEDIES.get(code or "") or (_refusal(text) if code is None else ""):
            return StoreError(f"{shown}: {text}. {remedy}")
        if not is_passing(error):
            return StoreError(f"{shown}: PostgreSQL reports: {text}. What was recorded is kept.")
        query = self._url.query
        host, port = self._url.host or query.get("host", "localhost"), self._url.port or query.get("port", 5432)
        return StoreError(
            f"{shown}: no connection to PostgreSQL at {host}:{port} ({text}). Start the server, or correct the host "
            "and the port in the URL. What was recorded is kept."
        )

    def array(self, values: Sequence[Any]) -> list[Any]:
        """Return a list: psycopg sends it as an array."""
        return list(values)

    def lock(self, number: int) -> None:
        """Wait for the advisory lock of this number."""
        self.execute("SELECT pg_advisory_xact_lock(:locks, :number)", {"locks": _LOCKS, "number": number}).fetchall()

    def _cursor(self, sql: str, params: Mapping[str, Any]) -> Any:
        """Return a cursor that receives numbers in binary, in a third of the processor time."""
        return self.raw.cursor(binary=True).execute(self.compiled(sql), params)

    def _send(self, steps: Sequence[Step]) -> int:
        """Send all statements, with BEGIN and COMMIT, before the first answer arrives; a single one needs neither."""
        raw, cursors = self.raw, []
        if len(steps) == 1 and isinstance(steps[0][1], Mapping):
            return int(raw.execute(self.compiled(steps[0][0]), steps[0][1]).rowcount)
        with raw.pipeline():
            raw.execute(self.begin_write)
            for sql, params in steps:
                cursors.append(cursor := raw.cursor())
                run = cursor.execute if isinstance(params, Mapping) else cursor.executemany
                run(self.compiled(sql), params)
            raw.execute("COMMIT")
        return int(cursors[0].rowcount)


def _set_up(connection: Any) -> None:
    """Sync every commit to the disk, even where the server is set up otherwise, and group a million rows in memory."""
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    connection.execute("SET work_mem = '64MB'")
