"""The store of studies."""

from __future__ import annotations

import os
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from calibrant._optional import optional_import
from calibrant.studies._store.catalogue import Catalogue, StoredNames, StudySummary, TrialState
from calibrant.studies._store.columns import TrialColumns, read_columns
from calibrant.studies._store.leases import ClaimStatus, Leases, Worker, WorkerStatus
from calibrant.studies._store.read_url import StoreAddress, read_store_url
from calibrant.studies._store.recording import Recorded, Recorder

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database
    from calibrant.studies._trials.records import Part, TrialRecord

__all__ = ["Store"]


class Store:
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
        self._database = database
        self._names = StoredNames(database)
        self._catalogue = Catalogue(database, self._names)
        self._leases = Leases(database)
        self._recorder = Recorder(database, self._names)
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
        database = _database(address, read_only=read_only, create=create, retry_seconds=retry_seconds)
        try:
            _prepare(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def url(self) -> str:
        """Where the store is, for messages: without a password."""
        return self._database.address.shown

    @property
    def is_read_only(self) -> bool:
        """Whether only queries are made."""
        return self._database.read_only

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
        return f"Store.open({self.url!r}{', read_only=True' if self.is_read_only else ''})"

    # Studies

    def studies(self) -> list[StudySummary]:
        """Return the studies, sorted by name."""
        return self._catalogue.studies()

    def definition(self, name: str) -> dict[str, Any] | None:
        """Return the document that defines a study, or None if there is no such study."""
        return self._catalogue.definition(name)

    def save_definition(self, name: str, document: Mapping[str, Any]) -> None:
        """Add a study, or replace its definition; its trials are kept."""
        self._catalogue.save_definition(name, document)

    def delete(self, name: str) -> None:
        """Remove a study and all that was recorded of it."""
        self._catalogue.delete(name)

    # Trials

    def finished(
        self, name: str, needed: Mapping[Part, Collection[str]] | None = None, *, predictions: bool = False
    ) -> dict[str, TrialState]:
        """Return the state of every recorded trial.

        Parameters
        ----------
        name : str
            The study.
        needed : dict of part to metrics
            The scores without which a trial is incomplete.
        predictions : bool
            Whether a trial without predictions is incomplete.

        Returns
        -------
        dict of key to {"done", "failed", "incomplete"}
            The recorded trials.
        """
        study = self._catalogue.id(name)
        return self._catalogue.finished(study, self._catalogue.codes(needed or {}), predictions=predictions)

    def record(self, name: str, worker: Worker, record: TrialRecord) -> Recorded:
        """Commit a finished trial and end its claim.

        Returns
        -------
        {"recorded", "supplemented", "already there"}
            "supplemented": the trial was there, and only the metrics or predictions that it lacked were added;
            "already there": nothing was added. This counts as computed twice, unless the token is the same.
        """
        return self._recorder.record(self._catalogue.id(name), worker.id, record)

    def forget(self, name: str, keys: Iterable[str]) -> None:
        """Remove trials, so that they are run again."""
        self._catalogue.forget(self._catalogue.id(name), keys)

    def computed_twice(self, name: str) -> int:
        """Return the number of computations that added nothing: a live process had lost its lease meanwhile."""
        return self._catalogue.computed_twice(self._catalogue.id(name))

    def trials(
        self,
        name: str,
        *,
        metric: str | Sequence[str] | None = None,
        part: Part = "test",
        more_parts: Sequence[Part] = (),
    ) -> TrialColumns:
        """Return the trials of a study as columns.

        Parameters
        ----------
        name : str
            The study.
        metric : str, sequence of str or None
            The metrics whose values are read; None: all that were recorded.
        part : {"test", "training", "no_information"}
            The rows that the metrics were computed on.
        more_parts : sequence of parts
            Further ones, read at the same time.

        Returns
        -------
        TrialColumns
            The trials, sorted by data set, method and split.
        """
        study = self._catalogue.id(name)
        metrics = [metric] if isinstance(metric, str) else metric
        return self._database.read(lambda: read_columns(self._database, self._names, study, metrics, part, more_parts))

    def predictions(self, name: str, dataset: str, method: str, *, prefix: str = "") -> list[tuple[int, bytes]]:
        """Return the predictions of a method on a data set, of the trials whose keys begin with a prefix.

        Returns
        -------
        list of tuples
            The number of each split and its Parquet file.
        """
        return self._catalogue.predictions(self._catalogue.id(name), dataset, method, prefix)

    # Workers

    def start_worker(self, name: str, *, lease: float = 60.0) -> Worker:
        """Register this process as a worker of a study.

        Parameters
        ----------
        name : str
            The study.
        lease : float
            The seconds without a heartbeat after which processes on other hosts take over what it claimed.

        Returns
        -------
        Worker
            What claims and records are made with.
        """
        return self._leases.start_worker(self._catalogue.id(name), name, lease)

    def heartbeat(self, worker: Worker) -> None:
        """Renew the lease of all that a worker claimed; call it several times within a lease."""
        self._leases.heartbeat(worker)

    def end_worker(self, worker: Worker) -> None:
        """Release all that a worker claimed, and note that it ended."""
        self._leases.end_worker(worker)

    def claim(
        self,
        name: str,
        worker: Worker,
        keys: Iterable[str],
        *,
        needed: Mapping[Part, Collection[str]] | None = None,
        predictions: bool = False,
    ) -> list[str]:
        """Claim trials to compute them.

        Parameters
        ----------
        name : str
            The study.
        worker : Worker
            Who claims.
        keys : iterable of str
            The trials.
        needed, predictions
            What makes a trial incomplete, as in `finished`; incomplete trials can be claimed.

        Returns
        -------
        list of str
            The keys that the worker holds now, in the order passed. Finished trials and those that live workers hold
            are left out; claims of dead and expired workers are taken over.
        """
        wanted, codes = list(dict.fromkeys(keys)), self._catalogue.codes(needed or {})
        study = self._catalogue.id(name)
        held = self._leases.claim(study, worker, wanted, codes, predictions=predictions)
        return [key for key in wanted if key in held]

    def release(self, name: str, worker: Worker, keys: Iterable[str]) -> None:
        """Release claimed trials that are not going to be computed."""
        self._leases.release(self._catalogue.id(name), worker, list(keys))

    def workers(self, name: str) -> list[WorkerStatus]:
        """Return the workers that a study has had, the oldest first."""
        return self._leases.workers(self._catalogue.id(name))

    def claims(self, name: str) -> list[ClaimStatus]:
        """Return the trials that are claimed, the oldest claim first."""
        return self._leases.claims(self._catalogue.id(name))


def _database(address: StoreAddress, *, read_only: bool, create: bool, retry_seconds: float) -> Database:
    """Return the database of an address; SQLAlchemy is imported here, at first use."""
    if address.dialect == "sqlite":
        from calibrant.studies._store.sqlite import SqliteDatabase

        return SqliteDatabase(address, read_only=read_only, retry_seconds=retry_seconds, create=create)
    optional_import("psycopg", extra="postgres", purpose="keep studies in PostgreSQL")
    from calibrant.studies._store.postgres import PostgresDatabase

    return PostgresDatabase(address, read_only=read_only, retry_seconds=retry_seconds)


def _prepare(database: Database, *, create: bool) -> None:
    from calibrant.studies._store.tables import prepare_schema

    prepare_schema(database, create=create)
