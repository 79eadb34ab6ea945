"""Workers with their claims: which process computes a trial, when another may take it over."""

from __future__ import annotations

import math
import os
import socket
import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NewType

from calibrant._optional import optional_import
from calibrant.studies._store.catalogue import Catalogue

if TYPE_CHECKING:
    from calibrant.studies._trials.records import Part

_TOLERANCE = 2.0  # seconds between two readings of one start: psutil derives it from a clock that may be set


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
    psutil = _psutil()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - not a path
    except OSError:  # no Linux
        boot, namespace = f"{psutil.boot_time():.0f}", ""
    return ProcessIdentity(socket.gethostname(), boot, namespace, os.getpid(), psutil.Process().create_time())


def is_dead(process: ProcessIdentity) -> bool:
    """Return whether a process has certainly ended; False for those of other hosts and containers, not seen here.

    A container has a PID namespace of its own and may have the name of its host: its processes count as those of
    another host.
    """
    here, psutil = this_process(), _psutil()
    if (process.host, process.namespace) != (here.host, here.namespace):
        return False
    if process.boot != here.boot:
        return True
    try:
        found = psutil.Process(process.pid)
        is_other = abs(found.create_time() - process.process_start) > _TOLERANCE  # a number that was used again
        return is_other or found.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return True


def _psutil() -> Any:
    return optional_import("psutil", extra="studies", purpose="identify the processes that run a study")


# The number of a process that claims and records the trials of a study
Worker = NewType("Worker", int)


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
    seconds_silent : float
        The time since its last heartbeat.
    n_claims : int
        Number of trials that it holds.
    """

    id: int
    host: str
    pid: int
    state: Literal["alive", "dead", "expired", "ended"]
    seconds_silent: float
    n_claims: int


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
_WORKERS = """
SELECT w.id, w.host, w.boot, w.namespace, w.pid, w.process_start, w.lease, w.ended, $NOW - w.heartbeat,
    (SELECT COUNT(*) FROM calibrant_claims AS c WHERE c.worker = w.id)
FROM calibrant_workers AS w WHERE w.study = :study ORDER BY w.id
"""
_HOLDERS = """
SELECT w.id, w.host, w.boot, w.namespace, w.pid, w.process_start, w.lease, w.ended, $NOW - w.heartbeat, 0
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


class Leases(Catalogue):
    """The workers and claims of a store."""

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
        token = uuid.uuid4().hex
        row = {"study": self._id(name), "token": token, "lease": lease, **asdict(this_process())}
        self._database.write(lambda: self._database.execute(_ADD_WORKER, row))
        rows = self._database.read(lambda: self._database.rows(_FIND_WORKER, token=token))
        return Worker(int(rows[0][0]))

    def heartbeat(self, worker: Worker) -> None:
        """Renew the lease of all that a worker claimed; call it several times within a lease."""
        self._database.write(lambda: self._database.execute(_HEARTBEAT, {"worker": worker}))

    def end_worker(self, worker: Worker) -> None:
        """Release all that a worker claimed, and note that it ended."""
        params = {"worker": worker}
        self._database.write_steps([(_RELEASE_ALL, params), (_END, params)])

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
        database, wanted = self._database, list(dict.fromkeys(keys))
        params: dict[str, Any] = {"study": self._id(name), "worker": worker, "keys": database.array(wanted)}

        def claim() -> set[str]:
            database.lock(params["study"])  # two processes must not take over the same trials
            lost = [status.id for status in map(_status, database.rows(_HOLDERS, **params)) if status.state != "alive"]
            if lost:
                database.execute(_TAKE_FROM_DEAD, {**params, "codes": database.array(lost)})
            codes = self._codes(needed or {})
            lacking = {"n_codes": len(codes), "codes": database.array(codes), "predictions": int(predictions)}
            database.execute(_CLAIM, {**params, **lacking})
            return {key for (key,) in database.rows(_HELD, **params)}

        held = database.write(claim)
        return [key for key in wanted if key in held]

    def workers(self, name: str) -> list[WorkerStatus]:
        """Return the workers that a study has had, the oldest first."""
        study = self._id(name)
        rows = self._database.read(lambda: self._database.rows(_WORKERS, study=study))
        return [_status(row) for row in rows]


def _status(row: Any) -> WorkerStatus:
    number, host, boot, namespace, pid, process_start, lease, ended, silent, n_claims = row
    process = ProcessIdentity(host, boot, namespace, int(pid), float(process_start))
    state: Literal["alive", "dead", "expired", "ended"] = "alive"
    if ended is not None:
        state = "ended"
    elif is_dead(process):
        state = "dead"
    elif silent > lease or math.isnan(silent):
        state = "expired"
    return WorkerStatus(int(number), host, int(pid), state, float(silent), int(n_claims))
