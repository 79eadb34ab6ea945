"""Faults of a PostgreSQL server: connections that are lost, and a server that goes away and comes back."""

from __future__ import annotations

from collections.abc import Callable

from tests.faults.counts import FaultCounts
from tests.faults.trial_ground import Ground, Watch
from tests.studies.postgres_server import PostgresServer

__all__ = ["crash_server", "lose_connections", "restart_server"]

_PATIENCE = 120.0


def lose_connections(ground: Ground, server: PostgresServer, n_times: int) -> FaultCounts:
    """End the sessions of the study at random moments, again and again; it goes on by itself."""
    return _disturb(ground, n_times, lambda: bool(server.end_connections()), n_a_round=12)


def restart_server(ground: Ground, server: PostgresServer, n_times: int) -> FaultCounts:
    """Stop the server in the middle of a study and start it again."""

    def restart() -> bool:
        server.stop()
        server.start()
        return True

    return _disturb(ground, n_times, restart, n_a_round=2)


def crash_server(ground: Ground, server: PostgresServer, n_times: int) -> FaultCounts:
    """Let the server end without a checkpoint in the middle of a study; it replays its log when it starts again."""

    def crash() -> bool:
        server.stop(crash=True)
        server.start()
        return True

    return _disturb(ground, n_times, crash, n_a_round=2)


def _disturb(ground: Ground, n_times: int, fault: Callable[[], bool], n_a_round: int) -> FaultCounts:
    counts = FaultCounts()
    latest = ground.seconds / n_a_round
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        with ground.start(watch.url) as child:
            child.wait_for_commit(1)
            n_left = min(n_a_round, n_times - counts.tried)
            while n_left and not child.wait(ground.rng.uniform(0.0, latest)):
                counts.tried += fault()
                n_left -= 1
                watch.check(child)
            if not child.wait(_PATIENCE) or child.status != 0:
                counts.problems.append(child.output[-2000:])
                return counts
            watch.finish(ground, child)
    return counts
