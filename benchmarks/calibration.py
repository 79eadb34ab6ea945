"""Calibrators fitted to ten million scores, compared with other libraries, and the cost of out-of-bag calibration."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression

from _side_by_side import best_of, machine
from calibrant.calibration import CALIBRATORS, Binning, CalibratedClassifier, Isotonic, Platt
from calibrant.ensembles import BaggedTreesClassifier
from trees import continuous

Array = np.ndarray[Any, Any]
N_BINS = 10


def random_scores(n_rows: int) -> tuple[Array, Array, Array]:
    """Draw margins, their overconfident probabilities, and labels."""
    rng = np.random.default_rng(0)
    margins = rng.normal(scale=2.0, size=n_rows)
    labels = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(0.3 - 0.7 * margins))).astype(np.int64)
    return margins, 1.0 / (1.0 + np.exp(-margins)), labels


def quantile_bins(scores: Array, labels: Array) -> Array:
    edges = np.quantile(scores, np.linspace(0.0, 1.0, N_BINS + 1)[1:-1])
    bin_ = np.digitize(scores, edges)
    return np.bincount(bin_, labels, N_BINS) / np.bincount(bin_, minlength=N_BINS)


def width_bins(scores: Array, labels: Array) -> Array:
    bin_ = np.digitize(scores, np.linspace(0.0, 1.0, N_BINS + 1)[1:-1])
    return np.bincount(bin_, labels, N_BINS) / np.bincount(bin_, minlength=N_BINS)


def race(name: str, bar: float, rounds: int, ours: Callable[[], Any], peer: Callable[[], Any]) -> None:
    times = best_of(rounds, ours=ours, peer=peer)
    ratio = times["peer"] / times["ours"]
    print(f"  {name:<42} {times['ours']:8.3f} s, peer {times['peer']:8.3f} s: {ratio:6.2f} times (bar {bar:g})")


def compare_with_peers(margins: Array, proba: Array, y: Array, rounds: int) -> None:
    race(
        "Isotonic, scikit-learn's IsotonicRegression",
        4,
        rounds,
        lambda: Isotonic().fit(proba, y),
        lambda: IsotonicRegression(out_of_bounds="clip").fit(proba, y),
    )
    race(
        "Platt, scikit-learn's sigmoid",
        5,
        rounds,
        lambda: Platt(on="score").fit(margins, y),
        lambda: _sigmoid_calibration(margins, y),
    )
    race(
        "Binning by count, numpy.quantile",
        2,
        rounds,
        lambda: Binning(N_BINS).fit(proba, y),
        lambda: quantile_bins(proba, y),
    )
    race(
        "Binning by width, numpy.digitize",
        3,
        rounds,
        lambda: Binning(N_BINS, strategy="width").fit(proba, y),
        lambda: width_bins(proba, y),
    )


def compare_with_platt(proba: Array, y: Array, rounds: int) -> None:
    names = [name for name in ("platt", "beta", "quadratic_logit") if name in CALIBRATORS]
    times = best_of(rounds, **{name: lambda name=name: CALIBRATORS[name]().fit(proba, y) for name in names})
    for name in names:
        print(f"  {name:<42} {times[name]:8.3f} s: {times[name] / times['platt']:6.2f} times Platt's (bar 2)")


def venn_abers(n_rows: int, rounds: int) -> None:
    if "venn_abers" not in CALIBRATORS or find_spec("venn_abers") is None:
        print("  VennAbers: not compared; it needs the package venn-abers")
        return
    from venn_abers import VennAbers

    def theirs() -> Any:
        peer = VennAbers()
        peer.fit(np.stack([1.0 - proba, proba], axis=1), y)
        return peer.predict_proba(np.stack([1.0 - proba, proba], axis=1))

    _, proba, y = random_scores(n_rows)
    race(
        f"VennAbers, {n_rows:,} rows, venn-abers",
        10,
        rounds,
        lambda: CALIBRATORS["venn_abers"]().fit(proba, y).predict(proba),
        theirs,
    )


def out_of_bag(n_rows: int, n_columns: int, rounds: int) -> None:
    X, y = continuous(n_rows, 0.05)
    X = np.ascontiguousarray(X[:, :n_columns])
    forest = BaggedTreesClassifier(n_trees=100, max_features="sqrt", n_jobs=2, random_state=0)
    calibrated = CalibratedClassifier(forest, cv="oob")
    times = best_of(rounds, forest=lambda: clone(forest).fit(X, y), calibrated=lambda: clone(calibrated).fit(X, y))
    added = 100.0 * (times["calibrated"] / times["forest"] - 1.0)
    what = f"cv='oob', {n_rows:,} x {n_columns}, two threads"
    print(
        f"  {what:<42} {times['calibrated']:8.3f} s, the forest {times['forest']:8.3f} s: adds {added:.1f} % (bar 15)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "calibrant"))
    margins, proba, y = random_scores(options.rows)
    print(f"{options.rows:,} scores and labels")
    compare_with_peers(margins, proba, y, options.rounds)
    compare_with_platt(proba, y, options.rounds)
    venn_abers(100_000, options.rounds)
    out_of_bag(100_000, 20, options.rounds)
    out_of_bag(20_000, 10, options.rounds)


if __name__ == "__main__":
    main()
