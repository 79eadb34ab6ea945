"""Signals to the process that runs a study, to one of two, and to its workers."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import psutil
from tests.faults.children import Child
from tests.faults.counts import FaultCounts
from tests.faults.trial_ground import Ground, Watch

__all__ = [
    "interrupt",
    "kill_in_commits",
    "kill_one_of_two",
    "kill_only_process",
    "kill_workers",
    "stop_beyond_lease",
    "terminate",
]

_PATIENCE = 60.0
_SHARE = 0.35  # of the time of a whole run, the latest moment of a kill: so that a study is killed several times


def _end_again_and_again(
    ground: Ground, n_times: int, number: int, wait: Callable[[Child], bool], after: Callable[[Watch], None]
) -> FaultCounts:
    """Start the study, wait, send it a signal, and again; a new store when it is complete."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        is_complete = False
        while not is_complete:
            with ground.start(watch.url) as child:
                is_last = counts.tried == n_times
                if is_last or wait(child):
                    is_complete = child.wait(_PATIENCE)
                    if child.status != 0:
                        counts.problems.append(child.output[-2000:])
                        return counts
                    watch.check(child)
                    continue
                if not child.end(number):
                    counts.problems.append(f"signal {number} did not end the process")
                is_complete = child.status == 0  # it ended by itself just before
                keys = watch.check(child)
                if not is_complete:
                    counts.tried += 1
                    counts.moments[child.moment(keys)] += 1
                    after(watch)
        watch.finish(ground)
    return counts


def _nothing(_: Watch) -> None:
    """Check nothing more."""


def _any_moment(ground: Ground) -> Callable[[Child], bool]:
    latest = _SHARE * ground.seconds
    return lambda child: child.wait(ground.rng.uniform(0.0, latest))


def kill_only_process(ground: Ground, n_times: int) -> FaultCounts:
    """Kill the only process at uniformly random moments."""
    return _end_again_and_again(ground, n_times, signal.SIGKILL, _any_moment(ground), _nothing)


def kill_in_commits(ground: Ground, n_times: int) -> FaultCounts:
    """Kill the only process within the commit of a random trial, or right after it."""

    def wait(child: Child) -> bool:
        has_ended = child.wait_for_commit(int(ground.rng.integers(1, 25)))
        time.sleep(ground.rng.uniform(0.0, 0.003))  # a commit takes about 2 ms, mostly its fsync
        return has_ended

    return _end_again_and_again(ground, n_times, signal.SIGKILL, wait, _nothing)


def terminate(ground: Ground, n_times: int) -> FaultCounts:
    """Send SIGTERM to the only process, as a batch system does."""
    return _end_again_and_again(ground, n_times, signal.SIGTERM, _any_moment(ground), _nothing)


def interrupt(ground: Ground, n_times: int) -> FaultCounts:
    """Send SIGINT, as Ctrl-C does: the process must also have given back its claims."""
    from calibrant.exceptions import StoreError
    from calibrant.studies._store.store import Store

    def after(watch: Watch) -> None:
        try:
            with Store.open(watch.url, read_only=True, create=False) as store:
                if store.studies() and any(worker.n_claims for worker in store.workers("faults")):
                    watch.counts.problems.append("claims are left after Ctrl-C")
        except StoreError:
            pass  # interrupted before there was a store

    return _end_again_and_again(ground, n_times, signal.SIGINT, _any_moment(ground), after)


def kill_one_of_two(ground: Ground, n_times: int) -> FaultCounts:
    """Kill one of two processes that share a study; the other finishes it, long before a lease ends."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        with ground.start(watch.url) as one, ground.start(watch.url) as other:
            victim, survivor = (one, other) if ground.rng.random() < 0.5 else (other, one)
            victim.wait_for_commit(int(ground.rng.integers(1, ground.n_repeats * 30)))
            time.sleep(ground.rng.uniform(0.0, 0.01))
            victim.end()
            begin = time.monotonic()
            keys = watch.check(one)
            if victim.status != 0:
                counts.tried += 1
                counts.moments[victim.moment(keys)] += 1
            if not survivor.wait(_PATIENCE / 2) or survivor.status != 0:  # the lease is a minute
                counts.problems.append(f"the other process did not finish the study: {survivor.output[-2000:]}")
                return counts
            counts.slowest = max(counts.slowest, time.monotonic() - begin)
        watch.finish(ground)
    return counts


def stop_beyond_lease(ground: Ground, n_times: int) -> FaultCounts:
    """Stop one of two processes for longer than its lease, and let it go on: what it computes is dropped."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        with ground.start(watch.url, lease=1.0) as one:
            one.wait_for_commit(int(ground.rng.integers(1, ground.n_repeats * 20)))
            one.send(signal.SIGSTOP)
            with ground.start(watch.url, lease=1.0) as other:
                other.wait(3.0)  # it takes over when the lease has ended, unless the first was stopped in a commit
                one.send(signal.SIGCONT)
                for child in (one, other):
                    if not child.wait(_PATIENCE) or child.status != 0:
                        counts.problems.append(child.output[-2000:])
                        return counts
                counts.tried += 1
                watch.check(one, other)
        watch.finish(ground)
    return counts


def kill_workers(ground: Ground, n_times: int) -> FaultCounts:
    """Kill worker processes of run(workers=2) at random; the study goes on by itself."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        with ground.start(watch.url, workers=2) as child:
            child.wait_for_commit(1, 60.0)
            n_kills = min(2, n_times - counts.tried)
            while n_kills and not child.wait(ground.rng.uniform(0.0, 0.1)):
                workers = _workers_of(child)
                if workers:
                    workers[int(ground.rng.integers(len(workers)))].kill()
                    counts.tried, n_kills = counts.tried + 1, n_kills - 1
                    watch.check(child)
            if not child.wait(_PATIENCE) or child.status != 0:
                counts.problems.append(child.output[-2000:])
                return counts
            watch.finish(ground, child)
    return counts


def _workers_of(child: Child) -> list[psutil.Process]:
    try:
        children = psutil.Process(child.pid).children(recursive=True)
        return [each for each in children if any("calibrant-worker" in word for word in each.cmdline())]
    except psutil.NoSuchProcess:
        return []
