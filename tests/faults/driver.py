"""Disturbs studies in many ways and prints what became of them, as JSON.

    python -m tests.faults.driver SQLite few
    python -m tests.faults.driver PostgreSQL many "kill" "restart"

A process of its own, which imports everything once and has no threads, so that it can fork.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults.disk_faults import NoMountError
from tests.faults.kinds import KINDS
from tests.faults.trial_ground import Ground
from tests.studies.postgres_server import NoPostgresError, PostgresServer

# For few faults: the disk of a test may be slow, and a process that is killed does not lose what the kernel has
_MEMORY = Path("/dev/shm")  # noqa: S108
_USED_LATER = ("pyarrow.parquet", "pandas", "calibrant.studies._store.sqlite", "calibrant.studies._results.predictions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", choices=["SQLite", "PostgreSQL"])
    parser.add_argument("times", choices=["few", "many"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    options = parser.parse_args()
    # A shell starts what runs in the background with SIGINT ignored, and children inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for module in _USED_LATER:  # imported here once, not in every child
        import_module(module)
    with ExitStack() as stack:
        if options.times == "few" and _MEMORY.is_dir():
            os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="calibrant-faults-")))
        server = _start_server(stack) if options.store == "PostgreSQL" else None
        n_repeats = 1 if options.times == "few" else 2
        ground = Ground(folder, server.new_url if server else None, options.seed, n_repeats)
        for kind in KINDS:
            n_times = getattr(kind, options.times)
            if kind.store == options.store and n_times and (not options.names or kind.name in options.names):
                begin = time.monotonic()
                found = _run(lambda: kind.run(ground, server, n_times).to_dict())  # noqa: B023 - called here
                _print({"kind": kind.name, "seconds": time.monotonic() - begin, "seed": options.seed, **found})


def _start_server(stack: ExitStack) -> PostgresServer:
    try:
        server = PostgresServer()
    except NoPostgresError as error:
        _print({"kind": "all", "skipped": str(error)})
        sys.exit()
    stack.callback(server.close)
    return server


def _run(run: Any) -> dict[str, Any]:
    try:
        return dict(run())
    except NoMountError as error:
        return {"skipped": str(error)}


def _print(found: dict[str, Any]) -> None:
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
