"""Stores in an SQLite file, for the processes of one host."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import sqlalchemy

from calibrant._optional import optional_import
from calibrant.exceptions import CalibrantError, StoreError, StudyError
from calibrant.studies._store.database import Database, make_engine
from calibrant.studies._store.read_url import StoreAddress

_ALMOST_NOTHING = 2**20  # bytes free on a disk that counts as full where SQLite reports just an I/O error


def sqlite_code(error: Exception) -> int:
    """Return the primary result code of an error of SQLite."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def sqlite_store_error(error: Exception, address: StoreAddress, *, read_only: bool) -> CalibrantError:
    """Return the error for the user that an error of SQLite means."""
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return StudyError(f"{address.shown}: the study was deleted from the store while it was in use.")
    assert address.path is not None  # noqa: S101
    code = sqlite_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        found = ", ".join(_processes(address.path)) or "none of this user was found"
        problem = (
            f"the file has been locked for {address.timeout:g} s. Another process is writing to it, such as a study, a "
            f"backup or a database browser with an open transaction (processes that have it open: {found}), or it lies "
            "on a network file system without locks. End that process, or use PostgreSQL for several hosts."
        )
    elif code == sqlite3.SQLITE_FULL or (
        code == sqlite3.SQLITE_IOERR and shutil.disk_usage(address.path.parent).free < _ALMOST_NOTHING
    ):
        problem = "the disk is full. What was recorded is kept: free some space and run the study again."
    elif code == sqlite3.SQLITE_NOTADB:
        problem = "the file is not an SQLite database, so it is no store; it was left unchanged. Choose another file."
    elif code == sqlite3.SQLITE_CORRUPT:
        problem = (
            f"the file is damaged ({error}); it was left unchanged. Restore a backup, or save what can be read with "
            f'sqlite3 "{address.path}" ".recover" | sqlite3 recovered.db, and open recovered.db.'
        )
    elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        problem = (
            f"the file or its folder {address.path.parent} cannot be written by this user ({error}). Choose another "
            "folder, or open the store with read_only=True to query it."
        )
        if read_only:
            problem = f"the file cannot be read ({error}). Ask its owner for the right to read it and its folder."
    else:
        problem = f"SQLite reports: {error}. What was recorded is kept."
    return StoreError(f"{address.shown}: {problem}")


def _processes(path: Path) -> list[str]:
    """Return the other processes that have the file open, as far as this user may see them."""
    psutil = optional_import("psutil", extra="studies", purpose="name the processes that have a store open")
    found = []
    for process in psutil.process_iter(["pid", "name", "open_files"]):
        files = process.info["open_files"] or []
        if process.info["pid"] != os.getpid() and any(file.path == os.fspath(path) for file in files):
            found.append(f"{process.info['name']} (pid {process.info['pid']})")
    return found


_COPIES = 5  # tries to copy a store that somebody writes to
_STEP_SECONDS = 0.5  # SQLite waits this long at a time, so that Ctrl-C is not held up for the whole timeout


class SqliteDatabase(Database):
    """An SQLite file: write-ahead log, every commit synced to the disk, one writer at a time."""

    fragments: ClassVar[Mapping[str, str]] = {
        "$NOW": "(julianday('now') - 2440587.5) * 86400.0",
        "$KEYS": "json_each(:keys) AS k",
        "$IN_KEYS": "IN (SELECT value FROM json_each(:keys))",
        "$IN_CODES": "IN (SELECT value FROM json_each(:codes))",
    }
    begin_write: ClassVar[str] = "BEGIN IMMEDIATE"
    begin_read: ClassVar[str] = "BEGIN"
    closes_before_fork: ClassVar[bool] = True  # SQLite's locks belong to the process: a child must inherit none
    driver_error = sqlite3.Error

    def __init__(self, address: StoreAddress, *, read_only: bool, retry_seconds: float, create: bool) -> None:
        super().__init__(address, read_only=read_only, retry_seconds=retry_seconds)
        assert address.path is not None  # noqa: S101
        self.path = address.path
        self._creates = create and not read_only
        self._file_id: tuple[int, int] | None = None
        self._copy: Path | None = None
        shown = address.shown
        if self.path.is_dir():
            raise StoreError(f"{shown} is a folder. Name a file in it, such as {self.path / 'calibrant.db'}.")
        if not self.path.parent.is_dir():
            raise StoreError(f"{shown}: there is no folder {self.path.parent}. Create it, or correct the path.")
        if not self._creates and not self.path.exists():
            raise StoreError(f"{shown}: there is no such file. Correct the path, or run a study to create the store.")

    def make_engine(self) -> sqlalchemy.Engine:
        """Return an engine whose connections have our settings."""
        return make_engine("sqlite://", creator=self._connect, paramstyle="named")

    def patience(self, error: Exception) -> float:
        """Return the time to wait for a locked file; nothing else passes."""
        return self.address.timeout if sqlite_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else 0.0

    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite ends some itself, as when the disk is full."""
        return bool(self.raw.in_transaction)

    def store_error(self, error: Exception) -> CalibrantError:
        """Return the error for the user that an error of SQLite means."""
        return sqlite_store_error(error, self.address, read_only=self.read_only)

    def can_hold_store(self) -> bool:
        """Whether the file has no tables: one with other tables belongs to another program."""
        return not self.rows("SELECT 1 FROM sqlite_master LIMIT 1")

    def array(self, values: Sequence[Any]) -> str:
        """Return a list as JSON, which SQLite can read rows from."""
        return json.dumps(list(values))

    def check_place(self) -> None:
        """Raise if the file was deleted or replaced: what is written to it now would be lost."""
        if self._file_id is not None and self._file_id != _file_id(self.path):
            raise StoreError(
                f"{self.address.shown}: the file was deleted, moved or replaced while it was open. Put it back, or run "
                "the study again with the file that is there now."
            )

    def prepare_writing(self) -> None:
        """Switch the file to a write-ahead log, so that readers and the writer do not wait for each other."""
        self._run(lambda _: self.execute("PRAGMA journal_mode = WAL").fetchall())

    # Connections

    def _connect(self) -> sqlite3.Connection:
        connection = (
            self._connect_readable() if self.read_only else self._open(self.path, "rwc" if self._creates else "rw")
        )
        try:
            for pragma in ("synchronous = FULL", "foreign_keys = ON", "cache_size = -65536"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            if self.address.max_pages is not None:
                connection.execute(f"PRAGMA max_page_count = {self.address.max_pages}").fetchall()
        except BaseException:
            connection.close()
            raise
        self._creates = False
        self._file_id = self._file_id or _file_id(self.path)
        return connection

    def _open(self, path: Path, mode: str, more: str = "") -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{quote(os.fspath(path))}?mode={mode}{more}",
            uri=True,
            timeout=min(_STEP_SECONDS, self.address.timeout),
            isolation_level=None,
            check_same_thread=False,
        )

    def _connect_readable(self) -> sqlite3.Connection:
        """Return a connection to a file in a folder that may be one that cannot be written."""
        if self._copy is not None:
            return self._open(self._copy, "rw")
        connection = self._open(self.path, "ro")
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            connection.close()
            if sqlite_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            return self._connect_unshared()
        return connection

    def _connect_unshared(self) -> sqlite3.Connection:
        """Return a connection where SQLite can make no file of locks: nobody else has the store open."""
        log = _beside(self.path, "-wal")
        if not (log.exists() and log.stat().st_size):
            return self._open(self.path, "ro", "&immutable=1")
        folder = tempfile.mkdtemp(prefix="calibrant-store-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._copy = Path(folder) / "store.db"
        for _ in range(_COPIES):
            before = [(file.stat().st_size, file.stat().st_mtime_ns) for file in (self.path, log)]
            shutil.copyfile(self.path, self._copy)
            shutil.copyfile(log, _beside(self._copy, "-wal"))
            if before == [(file.stat().st_size, file.stat().st_mtime_ns) for file in (self.path, log)]:
                return self._open(self._copy, "rw")
        raise StoreError(
            f"{self.address.shown}: a process of another user keeps writing to the file, and its folder may only be "
            "read. Query it when that process has ended, or ask for the right to write the folder."
        )

    def close(self) -> None:
        """Close the connection for good, and remove the copy that was read."""
        super().close()
        if self._copy is not None:
            shutil.rmtree(self._copy.parent, ignore_errors=True)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _file_id(path: Path) -> tuple[int, int] | None:
    try:
        status: Any = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
