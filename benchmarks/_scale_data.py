"""Large tables of `benchmarks/scale.py`, and the memory that a fit takes beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trees import continuous

C_POSITIVES = 0.3  # the share of positives in data set C of `benchmarks/trees.py`
Rows = tuple[NDArray[np.float32], NDArray[np.int64]]


def folder() -> Path:
    """Return the folder where tables are kept between runs: CALIBRANT_BENCHMARKS, or one of the temporary files."""
    path = Path(os.environ.get("CALIBRANT_BENCHMARKS", Path(tempfile.gettempdir()) / "calibrant-scale"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def table_files(n_rows: int) -> tuple[Path, Path]:
    """Return the files of the rows and the classes of C with so many rows, drawn in a process of its own if new."""
    files = folder() / f"X{n_rows}.npy", folder() / f"y{n_rows}.npy"
    if not all(file.exists() for file in files):
        run_child("draw", n_rows=n_rows)
    return files


def large_table(n_rows: int) -> Rows:
    """Return C with so many rows."""
    X, y = (np.load(file) for file in table_files(n_rows))
    return X, y


def run_child(action: str, **options: Any) -> dict[str, float]:
    """Run an action of this module in a new process and return what it measured."""
    command = [sys.executable, __file__, action, json.dumps(options)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return json.loads(done.stdout)


def _draw(n_rows: int) -> dict[str, float]:
    X, y = continuous(n_rows, C_POSITIVES)
    for name, array in (("y", y), ("X", X)):
        np.save(folder() / f"{name}{n_rows}.part.npy", array)
        (folder() / f"{name}{n_rows}.part.npy").rename(folder() / f"{name}{n_rows}.npy")
    return {}


def resident() -> dict[str, float]:
    """Return the memory of this process now and at its peak, in GiB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {key: float(lines[key].split()[0]) / 2**20 for key in ("VmRSS", "VmHWM")}


def _fit(n_rows: int, n_trees: int, threads: int) -> dict[str, float]:
    from forests import ours
    from trees import PLAIN, ProbabilityTreeClassifier

    model: Any = ProbabilityTreeClassifier(**PLAIN, max_depth=12, max_bins=255, n_jobs=threads)
    if n_trees > 1:
        model = ours(n_trees, "sqrt", threads, max_depth=12, max_bins=255)
    X, y = large_table(n_rows)
    model.fit(X[:1000], y[:1000])  # what is imported on the way is no memory of the fit
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
    before = resident()
    started = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "data": before["VmRSS"], "beside": resident()["VmHWM"] - before["VmRSS"]}


if __name__ == "__main__":
    print(json.dumps({"draw": _draw, "fit": _fit}[sys.argv[1]](**json.loads(sys.argv[2]))))
