"""The store of studies: SQLite for one host, PostgreSQL for several, both through SQLAlchemy."""

from calibrant.studies._store.catalogue import StudySummary, TrialState
from calibrant.studies._store.columns import TrialColumns
from calibrant.studies._store.leases import Worker, WorkerStatus
from calibrant.studies._store.read_url import StoreAddress, read_store_url
from calibrant.studies._store.store import Recorded, Store

__all__ = [
    "Recorded",
    "Store",
    "StoreAddress",
    "StudySummary",
    "TrialColumns",
    "TrialState",
    "Worker",
    "WorkerStatus",
    "read_store_url",
]
