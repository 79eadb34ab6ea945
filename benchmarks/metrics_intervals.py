"""Intervals of 100,000 predictions beside their peers: replicates of the ranking, and DeLong's variance."""

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


def drawn(n_rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    proba = rng.random(n_rows)
    return rng.random(n_rows) < proba, proba


def sklearn_loop(y: Array, proba: Array, n_boot: int) -> Array:
    """Draw rows and score them anew, as most people do."""
    rng = np.random.default_rng(0)
    rows = (rng.integers(0, len(y), len(y)) for _ in range(n_boot))
    return np.array([roc_auc_score(y[chosen], proba[chosen]) for chosen in rows])


def numpy_one_sort(y: Array, proba: Array, n_boot: int) -> Array:
    """Sort once, then weigh the sorted rows by how often they are drawn."""
    rng, positive = np.random.default_rng(0), y[np.argsort(-proba)].astype(np.int64)

    def area() -> float:
        counts = np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y))
        found = counts * positive
        rest = counts - found
        return float((rest * np.cumsum(found)).sum() / found.sum() / rest.sum())

    return np.array([area() for _ in range(n_boot)])


def ours_area(y: Array, proba: Array, n_boot: int, n_threads: int) -> Array:
    order = np.argsort(-proba)
    rows = Resampled(len(y), rankings=(RankedRows.sorted(proba[order], y[order]),), area_alone=True)
    return replicate(rows, Sampling.of(len(y)), SEED, n_boot, n_threads=n_threads, leave_out=False)[0].ranked("auc")


def ours_all(y: Array, proba: Array, n_boot: int, n_threads: int) -> None:
    read = read_predictions(y, proba)
    layout = Layout.of(read, RECIPES.values())
    replicate(layout.rows, Sampling.of(len(y)), SEED, n_boot, n_threads=n_threads, leave_out=False)


def told(name: str, times: dict[str, float], peer: str, bar: float, scale: float = 1.0) -> None:
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
    told("DeLong, confidenceinterval", times, "peer", 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    y, proba = drawn(given.rows)
    print(machine("numpy", "scikit-learn"))
    few = max(1, given.replicates // 50)
    times = best_of(
        given.rounds,
        ours=lambda: ours_area(y, proba, given.replicates, given.threads),
        all=lambda: ours_all(y, proba, given.replicates, given.threads),
        sklearn=lambda: sklearn_loop(y, proba, few),
        numpy=lambda: numpy_one_sort(y, proba, few),
    )
    scale = given.replicates / few
    print(
        f"{given.replicates} replicates of {given.rows:,} predictions, {given.threads} threads; peers timed on {few}:"
    )
    told("AUC, a loop over scikit-learn's roc_auc_score", times, "sklearn", 60, scale)
    told("AUC, NumPy with one sort", times, "numpy", 4, scale)
    ratio = times["all"] / times["ours"]
    print(
        f"  {len(RECIPES)} losses and measures of ranks together: {times['all']:.3f} s, {ratio:.2f} times AUC (bar 3)"
    )
    delong(y, proba, given.rounds)


if __name__ == "__main__":
    main()
