"""Workers with their claims: which process computes a trial, when another may take it over."""

from __future__ import annotations

import math
import os
import socket
import uuid
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from calibrant._optional import optional_import

if TYPE_CHECKING:
    from calibrant.studies._store.database import Database

__all__ = ["ClaimStatus", "Leases", "ProcessIdentity", "Worker", "WorkerStatus", "is_dead", "this_process"]


_PROC = Path("/proc")
_START_FIELD = 19  # of /proc/<pid>/stat after the name: clock ticks from boot to the start of the process


@dataclass(frozen=True)
class ProcessIdentity:
    """A process: its host, the start of the host, its PID namespace, number and start."""

    host: str
    boot: str
    namespace: str
    pid: int
    process_start: float


def this_process() -> ProcessIdentity:
    """Return the identity of this process."""
    pid = os.getpid()
    state = _process_state(pid)
    return ProcessIdentity(socket.gethostname(), _boot(), _namespace(pid), pid, state[1] if state else 0.0)


def is_dead(process: ProcessIdentity) -> bool:
    """Whether a process has certainly ended; False for those of other hosts and containers, which cannot be seen.

    A container has a PID namespace of its own and may have the name of its host: its processes count as those of
    another host.
    """
    here = this_process()
    if (process.host, process.namespace) != (here.host, here.namespace):
        return False
    if process.boot != here.boot:
        return True
    state = _process_state(process.pid)
    return state is None or state[0] in "ZX" or abs(state[1] - process.process_start) > _tolerance()


def _process_state(pid: int) -> tuple[str, float] | None:
    """Return the state letter and the start of a process, or None if there is no such process."""
    if not _has_proc():
        return _state_by_psutil(pid)
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    return fields[0], float(fields[_START_FIELD])


def _state_by_psutil(pid: int) -> tuple[str, float] | None:
    psutil = _psutil()
    try:
        process = psutil.Process(pid)
        return "Z" if process.status() == psutil.STATUS_ZOMBIE else "R", float(process.create_time())
    except psutil.NoSuchProcess:
        return None


def _tolerance() -> float:
    """Return by how much two readings of one start may differ: psutil derives it from a clock that may be set."""
    return 0.0 if _has_proc() else 2.0


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


@cache
def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"{_psutil().boot_time():.0f}"


@cache
def _namespace(pid: int) -> str:  # noqa: ARG001 - read again in a forked process, which may have entered another
    try:
        return os.readlink(_PROC / "self/ns/pid")  # noqa: PTH115 - not a path
    except OSError:
        return ""


def _psutil() -> Any:
    return optional_import("psutil", extra="studies", purpose="identify the processes that run a study")


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
