"""The command line: its help page, `predict` on a large CSV file against the same by hand, time limits of `compare`.

The bars: ``calibrant --help`` in under 0.5 s; ``calibrant predict`` of a CSV file of 1,000,000 rows takes at most 1.5
times as long as reading it by ``pandas.read_csv``, ``predict_proba`` and writing it by ``to_csv``, in under 600 MB.
Every run is a fresh process, both ways alternate, and the least time of each counts; the peak is the largest resident
set. The model is quick (naive Bayes), so that reading and writing count, and in a second line a forest.

``calibrant compare --time-limit`` ends within 1.25 times the limit while other processes keep the machine busy
(``--busy 8`` on two cores), from the start of the process to its end, in a new store for each run.

    python benchmarks/cli.py [--rows 1000000] [--repeats 3]
    CALIBRANT_DATA=data python benchmarks/cli.py --only limits [--busy 8] [--limits 20 60] [--html]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from calibrant import save
from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import load, read_table
from calibrant.ensembles import BaggedTreesClassifier

MAX_HELP, MAX_RATIO, MAX_MEGABYTES, MAX_OVERTIME = 0.5, 1.5, 600, 1.25
COMPARED = ("adult", "covertype", "coil2000")

BY_HAND = """
import sys, pandas, calibrant
model, data, out = sys.argv[1:]
rows = pandas.read_csv(data, na_values="?")
model = calibrant.load_model(model)
proba = model.predict_proba(rows[list(model.feature_names_in_)])
found = pandas.DataFrame(proba, columns=[f"probability_{label}" for label in model.classes_])
found.insert(0, "row", range(1, len(found) + 1))
found["prediction"] = model.classes_[proba.argmax(axis=1)]
found.to_csv(out, index=False)
"""


LAUNCH = """
import os, subprocess, sys, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - started, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def write_table(path: Path, n_rows: int) -> None:
    """Write rows with ten measured numbers, an integer with missing values and three nominal columns."""
    rng = np.random.default_rng(0)
    numbers = {f"n{j}": rng.normal(size=n_rows).round(4) for j in range(10)}
    frame = pd.DataFrame({"id": np.arange(n_rows), **numbers})
    frame["age"] = rng.integers(18, 90, n_rows)
    frame["age"] = frame["age"].astype(object).where(rng.random(n_rows) > 0.05, "?")
    for name, n_values in (("zone", 20), ("town", 50), ("kind", 4)):
        frame[name] = np.array([f"{name}{value}" for value in range(n_values)])[rng.integers(0, n_values, n_rows)]
    margin = frame["n0"] + frame["n1"] * frame["n2"] + (frame["kind"] == "kind0") - 1
    frame["y"] = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-margin)), "yes", "no")
    frame.to_csv(path, index=False)


def measure(command: list[str]) -> tuple[float, float]:
    """Return the seconds and the peak megabytes of a process, which a small one starts: a child counts its parent's."""
    done = subprocess.run([sys.executable, "-c", LAUNCH, *command], capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")
    seconds, kilobytes = map(float, done.stdout.split())
    return seconds, kilobytes / 1024


def time_help(repeats: int) -> bool:
    seconds = min(measure([sys.executable, "-m", "calibrant", "--help"])[0] for _ in range(repeats))
    print(f"calibrant --help: {seconds:.2f} s (bar {MAX_HELP} s)")
    return seconds < MAX_HELP


def time_predict(name: str, folder: Path, repeats: int) -> bool:
    """Print both ways of predicting a file side by side."""
    model, data = str(folder / f"{name}.calibrant"), str(folder / "large.csv")
    ways = {
        "calibrant": [sys.executable, "-m", "calibrant", "predict", model, data, "--out", str(folder / "ours.csv")],
        "by hand": [sys.executable, "-c", BY_HAND, model, data, str(folder / "by_hand.csv")],
    }
    runs = [(way, *measure(command)) for _ in range(repeats) for way, command in ways.items()]
    seconds = {way: min(each[1] for each in runs if each[0] == way) for way in ways}
    peak = {way: max(each[2] for each in runs if each[0] == way) for way in ways}
    ratio = seconds["calibrant"] / seconds["by hand"]
    heads = [(folder / name).read_text().split("\n", 3)[:2] for name in ("ours.csv", "by_hand.csv")]
    same = heads[0] == heads[1]
    print(
        f"predict with {name}: {seconds['calibrant']:.1f} s, {peak['calibrant']:.0f} MB; "
        f"by hand {seconds['by hand']:.1f} s, {peak['by hand']:.0f} MB; ratio {ratio:.2f} (bar {MAX_RATIO}), "
        f"peak bar {MAX_MEGABYTES} MB; {'same' if same else 'OTHER'} first row"
    )
    return same and ratio <= MAX_RATIO and peak["calibrant"] < MAX_MEGABYTES


@contextmanager
def busy_machine(n_processes: int) -> Iterator[None]:
    """Keep processes busy that do nothing but count."""
    counting = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_processes)]
    try:
        yield
    finally:
        for process in counting:
            process.kill()
            process.wait()


def write_compared(name: str, folder: Path) -> Path:
    """Write a data set, or 50,000 rows of it, as a CSV file."""
    table = load(name)
    rows = np.random.default_rng(0).permutation(table.n_rows)[:50_000]
    path = folder / f"{name}.csv"
    table.X.assign(**{"class": np.asarray(table.y)}).iloc[rows].to_csv(path, index=False)
    return path


def time_limits(folder: Path, limits: list[float], n_busy: int, *, html: bool) -> bool:
    """Print the time that `compare` takes under time limits, and the trials that it finishes."""
    passed = True
    paths = [write_compared(name, folder) for name in COMPARED]
    for path in paths:
        for limit in limits:
            command = [sys.executable, "-m", "calibrant", "compare", str(path), "--time-limit", f"{limit:g}s", "--json"]
            command += ["--html", "report.html"] if html else []
            with busy_machine(n_busy), tempfile.TemporaryDirectory(dir=folder) as work:
                start = time.perf_counter()
                environment = {**os.environ, "CALIBRANT_PROGRESS": "0"}
                done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)  # noqa: S603
                seconds = time.perf_counter() - start
            if not done.stdout:
                raise SystemExit(f"{' '.join(command)} failed with {done.returncode}: {done.stderr}")
            found = json.loads(done.stdout)
            ratio = seconds / limit
            print(
                f"compare {path.stem}, {n_busy} busy processes{', report' if html else ''}: "
                f"asked {limit:g} s, took {seconds:.1f} s, {ratio:.2f} (bar {MAX_OVERTIME}); {describe(found)}",
                flush=True,
            )
            passed = passed and ratio <= MAX_OVERTIME
    return passed


def describe(found: dict[str, object]) -> str:
    """Return the methods, splits and model that a comparison finished, in words."""
    if "error" in found:
        return str(found["error"])
    ranking, files = found["ranking"], found["files"]
    model = f"{found['best']['method']} {'fitted' if files else 'not fitted'}"  # type: ignore[index]
    return f"{len(ranking)} methods, {found['n_splits']} of {found['n_planned']} splits, {model}"  # type: ignore[arg-type]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["limits"])
    parser.add_argument("--busy", type=int, default=4 * (os.cpu_count() or 1))
    parser.add_argument("--limits", type=float, nargs="+", default=[20, 60])
    parser.add_argument("--html", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        in_time = time_limits(Path(name), arguments.limits, arguments.busy, html=arguments.html)
    if arguments.only:
        return 0 if in_time else 1
    passed = [in_time, time_help(max(5, arguments.repeats))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder / "large.csv", arguments.rows)
        write_table(folder / "train.csv", 20_000)
        table = read_table(folder / "train.csv", target="y", drop_ids=True)
        models = {"naive Bayes": NaiveBayesClassifier(), "forest": BaggedTreesClassifier(n_trees=50, random_state=0)}
        for label, model in models.items():
            save(model.fit(table.X, table.y), folder / f"{label}.calibrant", made_from=table)
            passed.append(time_predict(label, folder, arguments.repeats))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
