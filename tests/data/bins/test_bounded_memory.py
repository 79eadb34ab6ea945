"""A file of several times the memory that a process may allocate is coded, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and signals as on Linux")

# Prints when the imports are done, reads what the limit shall be above what is allocated by then, and codes the file.
CODING = """
import resource, sys
import numpy as np
from calibrant.data._bins.write_codes import CodesFolder
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._bins.write_codes import write_codes
from calibrant.data._sources.open_source import open_source
import pyarrow.parquet, pandas
pyarrow.set_cpu_count(1); pyarrow.set_io_thread_count(1)
path, megabytes = sys.argv[1], int(sys.argv[2])
if megabytes:
    pages = next(line for line in open("/proc/self/status") if line.startswith("VmData"))
    limit = int(pages.split()[1]) * 1024 + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print("ready", flush=True)
source = open_source(path, target="y")
with CodesFolder() as folder:
    rows = write_codes(source, find_bins(source, 255), folder)
    print(rows.table.n_rows, rows.table.values(0)[0], flush=True)
"""

# Learns from the file in so many megabytes, imports included.
LEARNING = """
import resource, sys
from calibrant.ensembles import BaggedTreesClassifier
import pyarrow
pyarrow.set_cpu_count(1); pyarrow.set_io_thread_count(1)
path, limit = sys.argv[1], int(sys.argv[2]) * 2**20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print(BaggedTreesClassifier(n_trees=2, max_depth=5, n_jobs=1, random_state=0).fit(path, "y").oob_score_)
"""


def start(path: Path, scratch: Path, megabytes: int = 0, code: str = CODING) -> subprocess.Popen[str]:
    environment = {**os.environ, "CALIBRANT_SCRATCH": str(scratch), "OPENBLAS_NUM_THREADS": "1"}
    environment["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the default one reserves a gigabyte at once
    command = [sys.executable, "-c", code, str(path), str(megabytes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def write_file(path: Path, n_groups: int, n_columns: int, rows: int = 100_000, dtype: type = np.float64) -> int:
    """Write a Parquet file of normal values, a row group at a time, and return its size in bytes."""
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(n_columns)]
    schema = pa.schema([*((name, pa.from_numpy_dtype(dtype)) for name in names), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for _ in range(n_groups):
            X = rng.normal(size=(n_columns, rows)).astype(dtype)
            writer.write_table(pa.table([*X, (X[0] > 0).astype(np.int8)], schema=schema))
    return path.stat().st_size


@pytest.mark.long
def test_a_file_of_three_times_the_memory_is_coded(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    size = write_file(tmp_path / "rows.parquet", 45, 12)
    megabytes = size // 3 // 2**20
    done = start(tmp_path / "rows.parquet", tmp_path / "scratch", megabytes)
    output, errors = done.communicate(timeout=300)
    assert done.returncode == 0, errors
    assert output.split()[1] == "4500000"
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.long
def test_a_forest_learns_from_225_million_values_in_600_megabytes(tmp_path: Path) -> None:
    write_file(tmp_path / "rows.parquet", 45, 100, 50_000, np.float32)
    learning = start(tmp_path / "rows.parquet", tmp_path, 600, LEARNING)
    output, errors = learning.communicate(timeout=1200)
    assert learning.returncode == 0, errors
    assert float(output) > 0.5


@pytest.mark.parametrize("n_runs", [2, pytest.param(8, marks=pytest.mark.long)])
def test_ctrl_c_at_any_moment_leaves_nothing_behind(tmp_path: Path, n_runs: int) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    write_file(tmp_path / "rows.parquet", 2, 4, 20_000)
    interrupted = 0
    for number in range(n_runs):
        process = start(tmp_path / "rows.parquet", scratch)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.15 * number / n_runs)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        interrupted += process.returncode != 0
        assert not list(scratch.iterdir())
    assert interrupted
