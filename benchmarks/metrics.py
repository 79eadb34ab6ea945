"""Metrics of ten million predictions compared with other libraries, one thread, input validation included."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.metrics

from _side_by_side import best_of, machine
from calibrant import metrics

Array = np.ndarray[Any, Any]
N_BINS, WINDOW = 15, 100


def random_predictions(n_rows: int) -> tuple[Array, Array]:
    """Draw calibrated probabilities and labels."""
    rng = np.random.default_rng(0)
    proba = 1.0 / (1.0 + np.exp(-rng.normal(scale=2.0, size=n_rows)))
    return (rng.random(n_rows) < proba).astype(np.int64), proba


def cal_by_sums(y: Array, proba: Array) -> float:
    order = np.argsort(proba)
    sums = np.cumsum(np.append(0.0, y[order] - proba[order]))
    return float(np.abs(sums[WINDOW:] - sums[:-WINDOW]).mean() / WINDOW)


def ece_by_bins(y: Array, proba: Array) -> float:
    """Compute the ECE as netcal does: from histograms of rows, labels and probabilities."""
    edges = np.linspace(0.0, 1.0, N_BINS + 1)
    rows = np.histogram(proba, edges)[0]
    gaps = np.histogram(proba, edges, weights=proba)[0] - np.histogram(proba, edges, weights=y)[0]
    return float(np.abs(gaps[rows > 0]).sum() / len(y))


def ece_of_netcal(y: Array, proba: Array) -> float:
    from netcal.metrics import ECE

    return float(ECE(N_BINS).measure(proba, y))


def every_metric(y: Array, proba: Array) -> metrics.ScoreCard:
    return metrics.evaluate(y, proba, metrics="all", confidence=None)


def race(name: str, bar: float, rounds: int, ours: Callable[[], Any], peer: Callable[[], Any]) -> None:
    times = best_of(rounds, ours=ours, peer=peer)
    ratio = times["peer"] / times["ours"]
    print(f"  {name:<44} {times['ours']:8.3f} s, peer {times['peer']:8.3f} s: {ratio:6.2f} times (bar {bar:g})")


def compare_with_peers(y: Array, p: Array, rounds: int) -> None:
    theirs = sklearn.metrics
    ece_peer = ece_of_netcal if find_spec("netcal") else ece_by_bins
    for name, bar, ours, peer in (
        ("AUC, scikit-learn", 12, metrics.auc, theirs.roc_auc_score),
        ("average precision, scikit-learn", 10, metrics.average_precision, theirs.average_precision_score),
        ("log-loss, scikit-learn", 8, metrics.log_loss, theirs.log_loss),
        ("Brier, scikit-learn", 8, metrics.brier, theirs.brier_score_loss),
        ("CAL, cumulative sums in NumPy", 3, metrics.cal, cal_by_sums),
        (f"ECE, {ece_peer.__name__}", 5, metrics.ece, ece_peer),
        ("all metrics of evaluate, roc_auc_score alone", 1, every_metric, theirs.roc_auc_score),
    ):
        race(name, bar, rounds, lambda ours=ours: ours(y, p), lambda peer=peer: peer(y, p))


def resident(field: str) -> float:
    """Return the memory of the process in bytes, now (VmRSS) or at its peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def peak_of(work: Callable[[], Any]) -> float:
    """Return the peak memory of the process during some work, in bytes beyond that at its start."""
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    work()
    return resident("VmHWM") - before


def memory(y: Array, p: Array) -> None:
    for name, metric in (
        ("log-loss", metrics.log_loss),
        ("ECE", metrics.ece),
        ("AUC", metrics.auc),
        ("CAL", metrics.cal),
        ("all metrics of evaluate", every_metric),
    ):
        peak = peak_of(lambda metric=metric: metric(y, p))
        print(f"  {name:<44} {peak / len(y):8.1f} bytes per prediction beyond the input (at most 40)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "calibrant"))
    y, proba = random_predictions(options.rows)
    print(f"{options.rows:,} predictions")
    memory(y, proba)
    compare_with_peers(y, proba, options.rounds)


if __name__ == "__main__":
    main()
