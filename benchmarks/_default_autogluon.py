"""AutoGluon on the splits that `default_quality.py --export` wrote; run by the Python of an environment of its own.

    python benchmarks/_default_autogluon.py --splits DIR --output DIR [--time-limit 40] [--data NAME ...]

For each ``NAME.train.parquet`` and ``NAME.test.parquet`` of the splits, ``good_quality`` is fitted on two cores for the
log-loss; ``NAME.npz`` holds the probabilities of the test rows and the seconds, ``NAME.leaderboard.csv`` the models.
Nothing here imports calibrant: ``default_quality.py --import-autogluon`` moves the probabilities into the store.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

LABEL = "__class__"


def fit(name: str, splits: Path, output: Path, time_limit: float) -> None:
    """Fit one split and write its probabilities and seconds."""
    import pandas as pd
    from autogluon.tabular import TabularPredictor

    training = pd.read_parquet(splits / f"{name}.train.parquet")
    rows = pd.read_parquet(splits / f"{name}.test.parquet")
    n_classes = int(training[LABEL].max()) + 1
    folder = tempfile.mkdtemp(prefix="autogluon-")
    try:
        started = time.perf_counter()
        predictor = TabularPredictor(
            LABEL,
            problem_type="binary" if n_classes == 2 else "multiclass",
            eval_metric="log_loss",
            path=folder,
            verbosity=2,
        )
        predictor.fit(training, presets="good_quality", time_limit=time_limit, num_cpus=2, num_gpus=0)
        fitted = time.perf_counter()
        frame: Any = predictor.predict_proba(rows.drop(columns=LABEL))
        predicted = time.perf_counter()
        proba = frame.reindex(columns=range(n_classes)).fillna(0.0).to_numpy(np.float32)
        predictor.leaderboard(silent=True).to_csv(output / f"{name}.leaderboard.csv", index=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = {"fit_seconds": fitted - started, "predict_seconds": predicted - fitted}
    np.savez_compressed(output / f"{name}.npz", proba=proba, codes=rows[LABEL].to_numpy(np.int16), **seconds)
    print(f"=== {name}: fitted in {fitted - started:.1f} s, predicted in {predicted - fitted:.1f} s", flush=True)


def main() -> None:
    """Fit every split that has no result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--time-limit", type=float, default=40.0)
    parser.add_argument("--data", nargs="*")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    for path in sorted(args.splits.glob("*.train.parquet")):
        name = path.name.removesuffix(".train.parquet")
        if (args.data and name.split(".")[0] not in args.data) or (args.output / f"{name}.npz").exists():
            continue
        try:
            fit(name, args.splits, args.output, args.time_limit)
        except Exception:
            traceback.print_exc()
            print(f"=== {name}: failed", flush=True)


if __name__ == "__main__":
    main()
