"""The command line: the time of its help page, and `predict` on a large CSV file against the same by hand.

The bars: ``calibrant --help`` in under 0.5 s; ``calibrant predict`` of a CSV file of 1,000,000 rows takes at most 1.5
times as long as reading it by ``pandas.read_csv``, ``predict_proba`` and writing it by ``to_csv``, in under 600 MB.
Every run is a fresh process, both ways alternate, and the least time of each counts; the peak is the largest resident
set. The model is quick (naive Bayes), so that reading and writing count, and in a second line a forest.

    python benchmarks/cli.py [--rows 1000000] [--repeats 3]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from calibrant import save
from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import read_table
from calibrant.ensembles import BaggedTreesClassifier

MAX_HELP, MAX_RATIO, MAX_MEGABYTES = 0.5, 1.5, 600

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    passed = [time_help(max(5, arguments.repeats))]
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
