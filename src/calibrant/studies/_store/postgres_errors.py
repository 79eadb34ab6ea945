"""The errors of PostgreSQL in words that say what to do."""

from __future__ import annotations

import psycopg

from calibrant.exceptions import CalibrantError, StoreError, StudyError
from calibrant.studies._store.read_url import StoreAddress, hide_password

__all__ = ["is_passing", "postgres_store_error"]

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


def postgres_store_error(error: Exception, address: StoreAddress, server: str) -> CalibrantError:
    """Return the error for the user that an error of PostgreSQL means."""
    code = getattr(error, "sqlstate", None)
    text = hide_password(" ".join(str(error).split()))
    if code == "23503":
        return StudyError(f"{address.shown}: the study was deleted from the store while it was in use.")
    if remedy := _REMEDIES.get(code or "") or (_refusal(text) if code is None else ""):
        return StoreError(f"{address.shown}: {text}. {remedy}")
    if is_passing(error):
        return StoreError(
            f"{address.shown}: no connection to PostgreSQL at {server} ({text}). Start the server, or correct the host "
            "and the port in the URL. What was recorded is kept."
        )
    return StoreError(f"{address.shown}: PostgreSQL reports: {text}. What was recorded is kept.")


def _refusal(text: str) -> str:
    """Return what to do about a refused connection; empty if it was not refused."""
    answer = text.rpartition("FATAL:")[2].strip() if "FATAL:" in text else ""
    for words, remedy in _REFUSALS.items():
        if words in answer and ("does not exist" in answer or not words.endswith(" ")):
            return remedy
    return ""
