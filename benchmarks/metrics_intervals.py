"""Intervals of 100,000 predictions compared with other libraries: bootstrap replicates, and DeLong's variance."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from _side_by_side import best_of, machine
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.replicate_values import RECIPES, Layout
from calibrant.metrics._intervals.replicates import RankedRows, Resampled, Sampling, replicate
from calibrant.metrics._validation.read_predictions import read_predictions

Array = np.ndarray[Any, Any]
SEED = np.random.SeedSequence(0)


def random_predictions(n_rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    proba = rng.random(n_rows)
    return rng.random(n_rows) < proba, proba


def sklearn_loop(y: Array, proba: Array, n_boot: int) -> Array:
    """Resample the rows and recompute the score, the usual way."""
    rng = np.random.default_rng(0)
    rows = (rng.integers(0, len(y), len(y)) for _ in range(n_boot))
    return np.array([roc_auc_score(y[chosen], proba[chosen]) for chosen in rows])


def numpy_one_sort(y: Array, proba: Array, n_boot: int) -> Array:
    """Sort once, then weight the sorted rows by how often they are drawn."""
    rng, positive = np.random.default_rng(0), y[np.argsort(-proba)].astype(np.int64)

    def area() -> float:
        counts = np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y))
        positives = counts * positive
        negatives = counts - positives
        return float((negatives * np.cumsum(positives)).sum() / positives.sum() / negatives.sum())

    return np.array([area() for _ in range(n_boot)])


def ours_area(y: Array, proba: Array, n_boot: int, n_threads: int) -> Array:
    order = np.argsort(-proba)
    rows = Resampled(len(y), rankings=(RankedRows.sorted(proba[order], y[order]),), area_alone=True)
    return replicate(rows, Sampling.of(len(y)), SEED, n_boot, n_threads=n_threads, leave_out=False)[0].ranked("auc")


def ours_all(y: Array, proba: Array, n_boot: int, n_threads: int) -> None:
    read = read_predictions(y, proba)
    layout = Layout.of(read, RECIPES.values())
    replicate(layout.rows, Sampling.of(len(y)), SEED, n_boot, n_threads=n_threads, leave_out=False)


def print_ratio(name: str, times: dict[str, float], peer: str, bar: float, scale: float = 1.0) -> None:
    ratio = times[peer] * scale / times["ours"]
    seconds = f"{times['ours']:8.3f} s, peer {times[peer] * scale:8.3f} s"
    print(f"  {name:<52} {seconds}: {ratio:6.1f} times (bar {bar:g})")


def delong(y: Array, proba: Array, rounds: int) -> None:
    if find_spec("confidenceinterval") is None:
        print("  DeLong: confidenceinterval is not installed")
        return
    from confidenceinterval.delong import delong_roc_variance

    peer: Callable[[], Any] = lambda: delong_roc_variance(y.astype(int), proba)  # noqa: E731
    times = best_of(rounds, ours=lambda: area_interval(proba, y, None, 0.95), peer=peer)
    print_ratio("DeLong, confidenceinterval", times, "peer", 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    y, proba = random_predictions(options.rows)
    print(machine("numpy", "scikit-learn"))
    few = max(1, options.replicates // 50)
    times = best_of(
        options.rounds,
        ours=lambda: ours_area(y, proba, options.replicates, options.threads),
        all=lambda: ours_all(y, proba, options.replicates, options.threads),
        sklearn=lambda: sklearn_loop(y, proba, few),
        numpy=lambda: numpy_one_sort(y, proba, few),
    )
    scale = options.replicates / few
    print(
        f"{options.replicates} replicates of {options.rows:,} predictions, {options.threads} threads; peers on {few}:"
    )
    print_ratio("AUC, a loop over scikit-learn's roc_auc_score", times, "sklearn", 60, scale)
    print_ratio("AUC, NumPy with one sort", times, "numpy", 4, scale)
    ratio = times["all"] / times["ours"]
    print(f"  {len(RECIPES)} losses and ranking metrics together: {times['all']:.3f} s, {ratio:.2f} times AUC (bar 3)")
    delong(y, proba, options.rounds)


if __name__ == "__main__":
    main()
