"""Run every fuzz target for a number of inputs, two at a time; exit with 1 if one of them finds a fault."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNS = 200_000
NAMES = ("csv", "arff", "c45", "parquet", "feather", "yaml", "toml", "model")
LIMITS = ("-max_len=1024", "-timeout=20", "-rss_limit_mb=4096", "-seed=1", "-len_control=0", "-print_final_stats=1")


def fuzz(name: str, runs: int, folder: Path) -> bool:
    """Fuzz one target and print the result."""
    script = ["model_files.py"] if name == "model" else ["readers.py", name]
    command = [
        sys.executable,
        str(Path(__file__).with_name(script[0])),
        *script[1:],
        str(folder / name),
        f"-runs={runs}",
        *LIMITS,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    executed = next((line for line in done.stderr.splitlines() if "number_of_executed_units" in line), "")
    print(f"{name}: {executed or 'no count'}, exit {done.returncode}", flush=True)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-1500:], sep="\n", flush=True)
        for fault in folder.glob("*-*"):
            print(fault.name, fault.read_bytes()[:2048] if fault.is_file() else "")
    return done.returncode == 0


def main() -> int:
    if importlib.util.find_spec("atheris") is None:
        print("fuzzing skipped: atheris has no wheel for this Python (it has for 3.11)")
        return 0
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    names = sys.argv[2:] or NAMES
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        clean = list(pool.map(lambda name: fuzz(name, runs, Path(folder)), names))
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
