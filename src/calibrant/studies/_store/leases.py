"""Workers and their claims: which process computes a trial, and when another may take it over."""

from __future__ import annotations

import math
import uuid
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from calibrant.studies._store.identity import ProcessIdentity, is_dead, this_process

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

__all__ = ["ClaimStatus", "Leases", "Worker", "WorkerStatus"]


@dataclass(frozen=True)
class Worker:
    """A process that claims and records the trials of a study.

    Parameters
    ----------
    id : int
        Its number in the store.
    study : str
        The name of the study.
    process : ProcessIdentity
        The host and the process.
    lease : float
        The seconds without a heartbeat after which other hosts may take over its trials.
    """

    id: int
    study: str
    process: ProcessIdentity
    lease: float


@dataclass(frozen=True)
class WorkerStatus:
    """A worker as the store knows it.

    Parameters
    ----------
    id : int
        Its number in the store.
    host : str
        The name of its host.
    pid : int
        The number of its process.
    state : {"alive", "dead", "expired", "ended"}
        "dead": its process on this host is gone; "expired": no heartbeat within its lease.
    seconds_running : float
        The time since it started.
    seconds_silent : float
        The time since its last heartbeat.
    lease : float
        The time after which it is expired.
    n_claims : int
        Number of trials that it holds.
    """

    id: int
    host: str
    pid: int
    state: Literal["alive", "dead", "expired", "ended"]
    seconds_running: float
    seconds_silent: float
    lease: float
    n_claims: int


@dataclass(frozen=True)
class ClaimStatus:
    """A claimed trial: its key, the worker that holds it, and for how many seconds."""

    key: str
    worker: WorkerStatus
    seconds: float


_ADD_WORKER = """
INSERT INTO calibrant_workers
    (study, token, host, boot, namespace, pid, process_start, lease, started, heartbeat)
VALUES (:study, :token, :host, :boot, :namespace, :pid, :process_start, :lease, $NOW, $NOW)
ON CONFLICT (token) DO NOTHING
"""
_FIND_WORKER = "SELECT id FROM calibrant_workers WHERE token = :token"
_HEARTBEAT = "UPDATE calibrant_workers SET heartbeat = $NOW, ended = NULL WHERE id = :worker"
_END = "UPDATE calibrant_workers SET ended = $NOW WHERE id = :worker"
_RELEASE_ALL = "DELETE FROM calibrant_claims WHERE worker = :worker"
_RELEASE = """
DELETE FROM calibrant_claims WHERE study = :study AND worker = :worker AND key $IN_KEYS
"""
_WORKERS = """
SELECT w.id, w.host, w.boot, w.namespace, w.pid, w.process_start, w.lease, w.ended, $NOW - w.started,
    $NOW - w.heartbeat, (SELECT COUNT(*) FROM calibrant_claims AS c WHERE c.worker = w.id)
FROM calibrant_workers AS w WHERE w.study = :study ORDER BY w.id
"""
_HOLDERS = """
SELECT w.id, w.host, w.boot, w.namespace, w.pid, w.process_start, w.lease, w.ended, $NOW - w.started,
    $NOW - w.heartbeat, 0
FROM calibrant_workers AS w
WHERE w.id <> :worker AND w.id IN (
    SELECT DISTINCT (SELECT c.worker FROM calibrant_claims AS c WHERE c.study = :study AND c.key = k.value) FROM $KEYS
)
"""
_TAKE_FROM_DEAD = """
DELETE FROM calibrant_claims WHERE study = :study AND worker $IN_CODES AND key $IN_KEYS
"""
# One statement, so one state of the database: a trial recorded meanwhile is seen either as claimed or as recorded.
# Keys are looked up by scalar subqueries: PostgreSQL joins otherwise, by the statistics of a table that was empty a
# minute ago (20,000 keys took 10 s).
_CLAIM = """
INSERT INTO calibrant_claims (study, key, worker, claimed)
SELECT :study, k.value, :worker, $NOW FROM $KEYS
WHERE 0 = (SELECT COUNT(*) FROM calibrant_claims AS c WHERE c.study = :study AND c.key = k.value)
AND 0 = (
    SELECT COUNT(*) FROM calibrant_trials AS t
    WHERE t.study = :study AND t.key = k.value AND (
        t.error IS NOT NULL OR (
            :n_codes = (
                SELECT COUNT(*) FROM calibrant_scores AS s WHERE s.trial = t.id AND s.metric * 4 + s.part $IN_CODES
            )
            AND (:predictions = 0 OR EXISTS (SELECT 1 FROM calibrant_predictions AS p WHERE p.trial = t.id))
        )
    )
)
"""
_HELD = """
SELECT k.value FROM $KEYS
WHERE :worker = (SELECT c.worker FROM calibrant_claims AS c WHERE c.study = :study AND c.key = k.value)
"""
_CLAIMS = "SELECT key, worker, $NOW - claimed FROM calibrant_claims WHERE study = :study ORDER BY claimed, key"


class Leases:
    """The workers and claims of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start_worker(self, study: int, name: str, lease: float) -> Worker:
        """Add a row for this process."""
        process, token = this_process(), uuid.uuid4().hex
        row = {"study": study, "token": token, "lease": lease, **asdict(process)}
        self._database.write(lambda: self._database.execute(_ADD_WORKER, row))
        rows = self._database.read(lambda: self._database.rows(_FIND_WORKER, token=token))
        return Worker(int(rows[0][0]), name, process, lease)

    def heartbeat(self, worker: Worker) -> None:
        """Renew the lease of everything that a worker holds."""
        self._database.write(lambda: self._database.execute(_HEARTBEAT, {"worker": worker.id}))

    def end_worker(self, worker: Worker) -> None:
        """Release everything that a worker holds, and note that it ended."""
        params = {"worker": worker.id}
        self._database.write_steps([(_RELEASE_ALL, params), (_END, params)])

    def claim(
        self, study: int, worker: Worker, keys: Collection[str], codes: Sequence[int], *, predictions: bool
    ) -> set[str]:
        """Return those of the trials that the worker now holds; `codes` are the scores without which one is redone."""
        params = {"study": study, "worker": worker.id, "keys": self._database.array(list(dict.fromkeys(keys)))}
        needed = {"n_codes": len(codes), "codes": self._database.array(codes), "predictions": int(predictions)}
        return self._database.write(lambda: self._claim(params, needed))

    def _claim(self, params: dict[str, Any], needed: dict[str, Any]) -> set[str]:
        database = self._database
        database.lock(params["study"])
        lost = [status.id for status in map(_status, database.rows(_HOLDERS, **params)) if status.state != "alive"]
        if lost:
            database.execute(_TAKE_FROM_DEAD, {**params, "codes": database.array(lost)})
        database.execute(_CLAIM, {**params, **needed})
        return {key for (key,) in database.rows(_HELD, **params)}

    def release(self, study: int, worker: Worker, keys: Collection[str]) -> None:
        """Release trials that were claimed but not computed."""
        params = {"study": study, "worker": worker.id, "keys": self._database.array(list(keys))}
        self._database.write(lambda: self._database.execute(_RELEASE, params))

    def workers(self, study: int) -> list[WorkerStatus]:
        """Return the workers of a study, the oldest first."""
        rows = self._database.read(lambda: self._database.rows(_WORKERS, study=study))
        return [_status(row) for row in rows]

    def claims(self, study: int) -> list[ClaimStatus]:
        """Return the trials that are claimed, the oldest claim first."""
        workers = {status.id: status for status in self.workers(study)}
        rows = self._database.read(lambda: self._database.rows(_CLAIMS, study=study))
        return [ClaimStatus(key, workers[number], seconds) for key, number, seconds in rows if number in workers]


def _status(row: Any) -> WorkerStatus:
    number, host, boot, namespace, pid, process_start, lease, ended, running, silent, n_claims = row
    process = ProcessIdentity(host, boot, namespace, int(pid), float(process_start))
    state: Literal["alive", "dead", "expired", "ended"] = "alive"
    if ended is not None:
        state = "ended"
    elif is_dead(process):
        state = "dead"
    elif silent > lease or math.isnan(silent):
        state = "expired"
    return WorkerStatus(int(number), host, int(pid), state, float(running), float(silent), float(lease), int(n_claims))
