"""Tasks and bytes of a Dask scheduler in a fit level by level, and what many rows on many workers would take.

    python benchmarks/cluster_tasks.py [--parts N] [--trees N]

Tiny partitions on two workers of one thread: the rows cost next to nothing, what remains is the scheduler's own time.
The number of tasks follows from the number of passes; with the time of a task and of a byte measured here it gives
the scheduler's part of a fit that no machine here could run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from _scale_dask import way
from calibrant._dask.client import Connection
from calibrant._dask.tasks import gather, submit
from calibrant.data._sources.source import _COLUMNS_MERGED, _MOST_MERGED, DaskSource
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.trees._sources.parts import _MERGED_AT_ONCE, Parts

ROWS_OF_PART, N_COLUMNS, N_WORKERS = 100, 5, 2
# A billion rows of 50 columns: seven are searched at a node; of two classes, depth 12, bins as `find_bins` finds them.
LARGE = {
    "parts": 2_000,
    "workers": 100,
    "trees": 50,
    "at_once": 32,
    "levels": 10,
    "counts": 3,
    "columns": 50,
    "searched": 7,
}
OPEN_NODES = 2_000  # of a tree, on all levels, that are counted from histograms (of at most 1,000 on one level)
RESULT = 64 << 20  # bytes of a result whose way through the scheduler is measured


@contextmanager
def cluster() -> Iterator[Any]:
    """Start a scheduler and workers in processes of their own."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder, "scheduler.json")
        options = ["--scheduler-file", str(file), "--no-dashboard"]
        commands = [["dask_scheduler", "--port", "0"]] + [["dask_worker", "--nthreads", "1", "--no-nanny"]] * N_WORKERS
        for command in commands:
            started = [sys.executable, "-m", f"distributed.cli.{command[0]}", *command[1:], *options]
            process = subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
            stack.callback(process.wait)
            stack.callback(process.terminate)
        while not file.exists():
            time.sleep(0.1)
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(N_WORKERS)
            client.run_on_scheduler(count_from_now)
            yield client


def count_from_now(dask_scheduler: Any) -> None:
    """Count the tasks that end and the bytes that the scheduler reads and writes."""
    from distributed.diagnostics.plugin import SchedulerPlugin
    from tornado.iostream import IOStream

    counts = dask_scheduler.calibrant_counts = Counter()

    class Ends(SchedulerPlugin):
        def transition(self, _key: Any, start: str, finish: str, *_args: Any, **_options: Any) -> None:
            counts["tasks"] += (start, finish) == ("processing", "memory")

    dask_scheduler.add_plugin(Ends(), name="ends")

    def counted(method: Any) -> Any:
        def call(self: Any, data: Any) -> Any:
            n_bytes = method(self, data)
            counts["bytes"] += n_bytes or 0
            return n_bytes

        return call

    IOStream.read_from_fd, IOStream.write_to_fd = counted(IOStream.read_from_fd), counted(IOStream.write_to_fd)


def so_far(client: Any) -> np.ndarray:
    """Return the tasks, bytes and processor seconds of the scheduler until now."""

    def read(dask_scheduler: Any) -> tuple[float, ...]:
        import time

        counts = dask_scheduler.calibrant_counts
        return counts["tasks"], counts["bytes"], time.process_time()

    return np.array(client.run_on_scheduler(read))


def partition(number: int) -> pd.DataFrame:
    X = np.random.default_rng(number).normal(size=(ROWS_OF_PART, N_COLUMNS))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(N_COLUMNS)]).assign(y=X[:, 0] + X[:, 1] * X[:, 2] > 0)


@contextmanager
def counted_passes() -> Iterator[Counter[str]]:
    """Count the passes over a source and over coded parts, and the jobs that gather rows from all workers."""
    passes: Counter[str] = Counter()

    def count(kind: type, name: str, key: str, size: Any = lambda *_: 1) -> Any:
        method = getattr(kind, name)

        def counted(self: Any, *args: Any, **options: Any) -> Any:
            passes[key] += size(*args)
            return method(self, *args, **options)

        return mock.patch.object(kind, name, counted)

    with ExitStack() as stack:
        stack.enter_context(count(DaskSource, "start", "read"))
        stack.enter_context(count(DaskSource, "reduce", "merged"))
        stack.enter_context(count(Parts, "reduce", "added"))
        stack.enter_context(count(Parts, "collect", "gathered"))
        stack.enter_context(count(Parts, "collect", "jobs", lambda *args: len(args[2])))
        stack.enter_context(count(Parts, "each", "sent"))
        yield passes


def n_merges(n_results: int, at_once: int) -> int:
    """Return the number of tasks that merge some results, so many at once."""
    found = 0
    while n_results > 1:
        n_results = -(-n_results // at_once)
        found += n_results
    return found


def n_tasks(passes: dict[str, int], n_parts: int, n_workers: int, n_columns: int) -> int:
    """Return the number of tasks of some passes on workers of one thread; those that share values are not counted."""
    numbered = 2 * n_parts  # classes and weights of coded parts
    at_once = max(2, min(_MOST_MERGED, _COLUMNS_MERGED // n_columns))
    # A partition is a task of its own where workers do not hold it
    read = 2 * passes["read"] * n_parts + passes["merged"] * n_merges(n_parts, at_once)
    added = passes["added"] * (n_workers + n_merges(n_workers, _MERGED_AT_ONCE))
    gathered = passes["gathered"] * n_workers + passes["jobs"] * (n_workers + 1)
    return numbered + read + added + gathered + passes["sent"] * n_parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=2_000)
    parser.add_argument("--trees", type=int, default=8)
    options = parser.parse_args()
    import dask.dataframe as dd

    model = BaggedTreesClassifier(n_trees=options.trees, max_features="sqrt", max_depth=12, random_state=0)
    with cluster() as client:
        frame = dd.from_map(partition, range(options.parts), meta=partition(0).iloc[:0])
        before = so_far(client)
        with way(fits_workers=False), counted_passes() as passes:
            model.fit(frame, "y", client=client)
        tasks, n_bytes, seconds = so_far(client) - before
        print(f"{options.parts:,} partitions of {ROWS_OF_PART} rows, {options.trees} trees: {dict(passes)}")
        print(f"  {tasks:,.0f} tasks (formula {n_tasks(passes, options.parts, N_WORKERS, N_COLUMNS):,})")
        print(f"  {n_bytes / 1e6:,.1f} MB through the scheduler, {n_bytes / tasks:,.0f} bytes a task")
        print(f"  {seconds:.1f} s of the scheduler's processor, {1e3 * seconds / tasks:.2f} ms a task")
        connection = Connection(client)
        before = so_far(client)
        gather(connection, [submit(connection, bytes, RESULT)], "Sending")
        _, sent, spent = so_far(client) - before
        print(
            f"  a result of {RESULT / 1e6:.0f} MB: {sent / RESULT:.1f} times through, {1e9 * spent / sent:.2f} s a GB"
        )
    batches, jobs = -(-LARGE["trees"] // LARGE["at_once"]), 4 * LARGE["workers"]
    levels = batches * (1 + LARGE["levels"])
    large = {"read": 3 + LARGE["counts"], "merged": 2 + LARGE["counts"], "added": levels + 1, "gathered": batches}
    large |= {"jobs": batches * jobs, "sent": 1}
    total = n_tasks(large, LARGE["parts"], LARGE["workers"], LARGE["columns"])
    result_bytes = LARGE["trees"] * OPEN_NODES * LARGE["searched"] * 256 * 2 * 4 + 8 * 2 * 1e9
    through = total * n_bytes / tasks + sent / RESULT * result_bytes
    in_all = total * seconds / tasks + sent / RESULT * result_bytes * spent / sent
    print(f"A billion rows of 50 columns in {LARGE['parts']:,} partitions on {LARGE['workers']} workers, calculated:")
    print(f"  {total:,} tasks, {through / 1e9:.1f} GB and {in_all / 60:.1f} minutes of the scheduler")


if __name__ == "__main__":
    main()
