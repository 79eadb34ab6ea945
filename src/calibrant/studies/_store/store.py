"""The store of studies."""

from __future__ import annotations

import os
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Self

from calibrant._optional import optional_import
from calibrant.studies._store.leases import Leases
from calibrant.studies._store.read_url import read_store_url
from calibrant.studies._store.recording import Recorder

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

__all__ = ["Store"]


class Store(Leases, Recorder):
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
        url: str | os.PathLike[str],
        *,
        read_only: bool = False,
        create: bool = True,
        retry_seconds: float = 60.0,
    ) -> Self:
        """Open a store; a file or tables that are not there are created.

        Parameters
        ----------
        url : str or path
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

    @property
    def url(self) -> str:
        """Where the store is, for messages: without a password."""
        return self._database.address.shown

    def close(self) -> None:
        """Close the store."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store.open({self.url!r}{', read_only=True' if self._database.read_only else ''})"
