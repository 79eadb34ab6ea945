"""Score cards of many classes, with intervals, beside scikit-learn's values alone: processor seconds and memory.

Each is measured in a process of its own, on one thread, after a run on few rows; memory is the highest resident size
beyond that before the run.
"""

from __future__ import annotations

import argparse
import resource
import time
from multiprocessing import get_context
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from _side_by_side import machine
from calibrant.metrics import evaluate

Array = np.ndarray[Any, Any]


def predictions(n_rows: int, n_classes: int) -> tuple[Array, Array]:
    """Draw classes, each of them at least once, and probabilities that are somewhat too uncertain."""
    rng = np.random.default_rng(0)
    odds = rng.normal(size=(n_rows, n_classes))
    label = (odds + rng.gumbel(size=odds.shape)).argmax(axis=1)
    label[:n_classes] = np.arange(n_classes)
    proba = np.exp(odds + 0.5 * rng.normal(size=odds.shape))
    return label, proba / proba.sum(axis=1, keepdims=True)


def ours(label: Array, proba: Array) -> None:
    evaluate(label, proba, n_jobs=1)


def scikit_learn(label: Array, proba: Array) -> None:
    is_class = label[:, None] == np.arange(proba.shape[1])
    roc_auc_score(label, proba, multi_class="ovr", average="weighted")
    average_precision_score(is_class, proba, average="weighted")
    log_loss(label, proba)


def measure(run: Any, n_rows: int, n_classes: int) -> tuple[float, float]:
    """Return processor seconds and gigabytes."""
    rows = predictions(n_rows, n_classes)
    run(*predictions(20, 3))
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    run(*rows)
    seconds = time.process_time() - started
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--classes", type=int, nargs="+", default=[100, 200, 500])
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn"))
    print(f"{options.rows:,} rows; seconds and GB of evaluate with intervals, and of three values of scikit-learn")
    for n_classes in options.classes:
        found = []
        for run in (ours, scikit_learn):
            with get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(measure, (run, options.rows, n_classes)))
        texts = [f"{seconds:6.2f} s, {memory:5.2f} GB" for seconds, memory in found]
        print(f"  {n_classes:4d} classes: {'; '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
