"""The errors of SQLite in words that say what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

from calibrant._optional import optional_import
from calibrant.exceptions import CalibrantError, StoreError, StudyError
from calibrant.studies._store.read_url import StoreAddress

__all__ = ["sqlite_code", "sqlite_store_error"]

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
        problem = _locked(address, address.path)
    elif code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(address.path)):
        problem = "the disk is full. What was recorded is kept: free some space and run the study again."
    elif code == sqlite3.SQLITE_NOTADB:
        problem = "the file is not an SQLite database, so it is no store; it was left unchanged. Choose another file."
    elif code == sqlite3.SQLITE_CORRUPT:
        problem = _corrupt(error, address.path)
    elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        problem = _forbidden(error, address.path, read_only=read_only)
    else:
        problem = f"SQLite reports: {error}. What was recorded is kept."
    return StoreError(f"{address.shown}: {problem}")


def _locked(address: StoreAddress, path: Path) -> str:
    found = ", ".join(_processes(path)) or "none of this user was found"
    return (
        f"the file has been locked for {address.timeout:g} s. Another process is writing to it, such as a study, a "
        f"backup or a database browser with an open transaction (processes that have it open: {found}), or it lies on "
        "a network file system without locks. End that process, or use PostgreSQL for several hosts."
    )


def _processes(path: Path) -> list[str]:
    """Return the other processes that have the file open, as far as this user may see them."""
    psutil = optional_import("psutil", extra="studies", purpose="name the processes that have a store open")
    found = []
    for process in psutil.process_iter(["pid", "name", "open_files"]):
        files = process.info["open_files"] or []
        if process.info["pid"] != os.getpid() and any(file.path == os.fspath(path) for file in files):
            found.append(f"{process.info['name']} (pid {process.info['pid']})")
    return found


def _is_full(path: Path) -> bool:
    return shutil.disk_usage(path.parent).free < _ALMOST_NOTHING


def _corrupt(error: Exception, path: Path) -> str:
    return (
        f"the file is damaged ({error}); it was left unchanged. Restore a backup, or save what can be read with "
        f'sqlite3 "{path}" ".recover" | sqlite3 recovered.db, and open recovered.db.'
    )


def _forbidden(error: Exception, path: Path, *, read_only: bool) -> str:
    if read_only:
        return f"the file cannot be read ({error}). Ask its owner for the right to read it and its folder."
    return (
        f"the file or its folder {path.parent} cannot be written by this user ({error}). Choose another folder, or "
        "open the store with read_only=True to query it."
    )
