"""One connection to the database of a store: transactions, retries, and no connection shared by two processes."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import sqlalchemy
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from calibrant.exceptions import CalibrantError, StoreError
from calibrant.studies._store.read_url import StoreAddress

T = TypeVar("T")

# A statement and its parameters, or a list of parameters to run it for each.
Step = tuple[str, Mapping[str, Any] | Sequence[Mapping[str, Any]]]

_OPEN: weakref.WeakSet[Database] = weakref.WeakSet()


class Database(ABC):
    """The database of a store; a statement is SQL that both databases understand, with fragments such as ``$NOW``.

    Transactions are functions that can be run again: one that fails because the connection was lost or the file is
    locked is repeated until `retry_seconds` have passed.
    """

    fragments: ClassVar[Mapping[str, str]]
    begin_write: ClassVar[str]
    begin_read: ClassVar[str]
    closes_before_fork: ClassVar[bool] = False
    nests_writes: ClassVar[bool] = False  # whether a query may contain statements that write
    driver_error: type[Exception]

    def __init__(self, address: StoreAddress, *, read_only: bool, retry_seconds: float) -> None:
        self.address = address
        self.read_only = read_only
        self.retry_seconds = retry_seconds
        self.is_closed = False
        self._engine: sqlalchemy.Engine | None = None
        self._connection: sqlalchemy.Connection | None = None
        self._compiled: dict[str, str] = {}
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._is_busy = False
        _OPEN.add(self)

    # What differs between the two databases

    @abstractmethod
    def make_engine(self) -> sqlalchemy.Engine:
        """Return an engine whose connections are in autocommit mode."""

    @abstractmethod
    def patience(self, error: Exception) -> float:
        """Return for how many seconds a transaction that failed with an error is tried again."""

    @abstractmethod
    def store_error(self, error: Exception) -> CalibrantError:
        """Return the error for the user that a driver's error means."""

    def has_table(self, name: str) -> bool:
        """Return whether a table exists."""
        return bool(sqlalchemy.inspect(self.connection).has_table(name))

    @abstractmethod
    def array(self, values: Sequence[Any]) -> Any:
        """Return a list as a statement takes it for ``:keys`` or ``:codes``, which have their own fragments."""

    def is_lost(self) -> bool:
        """Return whether the connection cannot be used after an error; that to a file can."""
        return False

    def can_hold_store(self) -> bool:
        """Return whether a store may be created beside the tables that there are, whose names differ from ours."""
        return True

    def lock(self, number: int) -> None:  # noqa: B027
        """Wait until no other writing transaction holds the lock of this number, where several can be open."""

    def prepare_writing(self) -> None:  # noqa: B027
        """Change settings of the database, once it is known to be a store."""

    def check_place(self) -> None:  # noqa: B027
        """Raise if what is written now would not be found again."""

    # Transactions

    def read(self, work: Callable[[], T]) -> T:
        """Run a function in a transaction that sees one state of the database; raise if that makes no sense."""
        try:
            return self._run(lambda _: self._transaction(work, self.begin_read))
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            if isinstance(error, CalibrantError):
                raise
            raise StoreError(
                f"{self.address.shown}: what is stored makes no sense ({type(error).__name__}: {error}): it is "
                "damaged, or was changed by another program. It was left unchanged. Restore a backup."
            ) from error

    def write(self, work: Callable[[], T]) -> T:
        """Run a function in a transaction that may write, and commit it."""
        self._check_writable()
        return self._run(lambda _: self._transaction(work, self.begin_write))

    def write_steps(self, steps: Sequence[Step]) -> tuple[int, int]:
        """Run statements in one transaction, with as few round trips as the database allows, and commit it.

        Returns
        -------
        tuple of int
            The number of rows that the first statement changed, and of times that the statements were sent.
        """
        self._check_writable()
        return self._run(lambda n_attempts: (self._send(steps), n_attempts))

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(f"{self.address.shown}: the store was opened with read_only=True, which cannot write.")
        self.check_place()

    def _send(self, steps: Sequence[Step]) -> int:
        """Run statements by the driver itself: the layer above it took half the time of a record."""
        raw, changed = self.raw, []
        raw.execute(self.begin_write)
        for sql, params in steps:
            run = raw.execute if isinstance(params, Mapping) else raw.executemany
            changed.append(run(self.compiled(sql), params).rowcount)
        raw.execute("COMMIT")
        return int(changed[0])

    def _transaction(self, work: Callable[[], T], begin: str) -> T:
        self.execute(begin)
        value = work()
        self.execute("COMMIT")
        return value

    # Statements

    def execute(self, sql: str, params: Any = None) -> sqlalchemy.CursorResult[Any]:
        """Run a statement inside a transaction."""
        return self.connection.exec_driver_sql(self.compiled(sql), params)

    def rows(self, sql: str, **params: Any) -> list[Any]:
        """Return the rows of a query inside a transaction."""
        return list(self.execute(sql, params).fetchall())

    def batches(self, sql: str, params: Mapping[str, Any], size: int = 2_000) -> Iterator[list[tuple[Any, ...]]]:
        """Iterate over the rows of a large query inside a transaction, as plain tuples.

        Batches fit into the cache of the processor: those of 100,000 rows took 1.5 times as long to read.
        """
        cursor = self._cursor(sql, params)
        while batch := cursor.fetchmany(size):
            yield batch

    def _cursor(self, sql: str, params: Mapping[str, Any]) -> Any:
        """Return the driver's cursor of a query."""
        return self.execute(sql, params).cursor

    def compiled(self, sql: str) -> str:
        """Return a statement as the driver takes it; each is translated once."""
        if sql not in self._compiled:
            text = sql
            for name, fragment in self.fragments.items():
                text = text.replace(name, fragment)
            self._compiled[sql] = str(sqlalchemy.text(text).compile(dialect=self.engine.dialect))
        return self._compiled[sql]

    # Connections

    @property
    def engine(self) -> sqlalchemy.Engine:
        """The engine, which makes connections and knows the dialect."""
        if self._engine is None:
            self._engine = self.make_engine()
        return self._engine

    @property
    def connection(self) -> sqlalchemy.Connection:
        """The connection of this process."""
        if self.is_closed:
            raise StoreError(f"{self.address.shown}: the store is closed. Open it again with Store.open.")
        if self._pid != os.getpid():
            self.forget_inherited()
        if self._connection is None:
            self._connection = self.engine.connect()
        return self._connection

    @property
    def raw(self) -> Any:
        """The driver's connection."""
        return self.connection.connection.driver_connection

    def close(self) -> None:
        """Close the connection for good."""
        with self._lock:
            self.disconnect()
            self.is_closed = True
            _OPEN.discard(self)

    def disconnect(self, *, invalidate: bool = False) -> None:
        """Close the connection, one that is broken without a word to the server; the next statement makes another."""
        connection, self._connection = self._connection, None
        if connection is not None and self._pid == os.getpid():
            if invalidate:
                connection.invalidate()
            connection.close()

    def forget_inherited(self) -> None:
        """Leave the connection of the parent process alone, in a process that was forked."""
        if self._connection is not None:
            # Never closed here, not even at exit: to close it would end the session of the parent.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._connection = self._engine = None
        self._is_busy = False

    # Failures

    def _run(self, attempt: Callable[[int], T]) -> T:
        with self._lock:
            self._is_busy, was_busy = True, self._is_busy
            try:
                return self._repeat(attempt)
            finally:
                self._is_busy = was_busy

    def _repeat(self, attempt: Callable[[int], T]) -> T:
        begin, wait = time.monotonic(), 0.01
        for n_attempts in itertools.count(1):
            try:
                return attempt(n_attempts)
            except (DBAPIError, self.driver_error) as error:
                driver_error = error.orig if isinstance(error, DBAPIError) else error
                assert isinstance(driver_error, Exception)  # noqa: S101
                patience = self.patience(driver_error)
                self._recover(driver_error)
                if time.monotonic() - begin + wait > patience:
                    raise self.store_error(driver_error) from error
            except BaseException as error:
                self._recover(error)
                raise
            time.sleep(wait)
            wait = min(2 * wait, 1.0)
        raise AssertionError  # the loop ends by return or raise

    def _recover(self, error: BaseException) -> None:
        """Leave no transaction open."""
        connection = self._connection
        if connection is None:
            return
        if not isinstance(error, Exception) or connection.invalidated or self.is_lost():
            self.disconnect(invalidate=True)
            return
        try:
            if self.is_in_transaction():
                connection.exec_driver_sql("ROLLBACK")
        except (DBAPIError, self.driver_error):
            self.disconnect(invalidate=True)

    @abstractmethod
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open."""


def make_engine(url: str, **options: Any) -> sqlalchemy.Engine:
    """Return an engine without a pool whose transactions are begun and ended by statements."""
    return sqlalchemy.create_engine(
        url,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,
        hide_parameters=True,
        **options,
    )


_FORKING: list[Database] = []


def _before_fork() -> None:
    _FORKING[:] = sorted((database for database in _OPEN if database.closes_before_fork), key=id)
    for database in _FORKING:
        database._lock.acquire()
        if not database._is_busy:
            database.disconnect()


def _after_fork_in_parent() -> None:
    for database in _FORKING:
        database._lock.release()
    _FORKING.clear()


def _after_fork_in_child() -> None:
    _FORKING.clear()
    for database in list(_OPEN):
        database.forget_inherited()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
