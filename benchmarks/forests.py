"""Forests: time, size and test scores compared with scikit-learn's and oneDAL's; readings, prediction and threads."""

from __future__ import annotations

import argparse
import itertools
import math
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from _onnx import session_of
from _side_by_side import best_of, machine
from calibrant.ensembles import BaggedTreesClassifier
from trees import PLAIN, continuous, missing_values, whole_numbers

# The trees that scikit-learn's forests grow.
FOREST: dict[str, Any] = {**PLAIN, "random_state": 0, "tie_break": "first"}


def ours(n_trees: int, max_features: Any, n_jobs: int, **params: Any) -> BaggedTreesClassifier:
    return BaggedTreesClassifier(n_trees=n_trees, max_features=max_features, n_jobs=n_jobs, **{**FOREST, **params})


def sklearns(n_trees: int, max_features: Any, n_jobs: int) -> Any:
    return RandomForestClassifier(
        n_trees, criterion="entropy", max_features=max_features, n_jobs=n_jobs, random_state=0
    )


def onedals(n_trees: int, max_features: Any, n_jobs: int) -> Any:
    from sklearnex.ensemble import RandomForestClassifier as Peer

    return Peer(n_trees, max_features=max_features, n_jobs=n_jobs, random_state=0)


PEERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "calibrant": ("exact", ours),
    "scikit-learn": ("exact", sklearns),
    "oneDAL": ("256 bins, Gini, not exact", onedals),
}


def scores(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    p = np.clip(model.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
    return f"log-loss {log_loss(y, p):.4f}, Brier {brier_score_loss(y, p):.5f}, AUC {roc_auc_score(y, p):.4f}"


def workload(
    name: str, data: tuple[np.ndarray, np.ndarray], max_features: Any, bars: dict[str, float], options: Any
) -> None:
    X, y = data
    train, test = slice(0, len(y) * 4 // 5), slice(len(y) * 4 // 5, None)
    columns = "all columns" if max_features is None else f"{max_features} of the columns"
    print(f"\n{name}, {columns}, {options.trees} trees, {options.threads} threads")
    models: dict[str, Any] = {}

    def fit(peer: str) -> None:
        models[peer] = PEERS[peer][1](options.trees, max_features, options.threads).fit(X[train], y[train])

    times = best_of(options.rounds, **{peer: (lambda peer=peer: fit(peer)) for peer in PEERS})
    for peer, seconds in times.items():
        ratio = f"{seconds / times['calibrant']:6.2f} x" + (f" (bar {bars[peer]:g})" if peer in bars else "")
        print(f"  {peer:14} {seconds:8.2f} s {ratio:18} {scores(models[peer], X[test], y[test])}  [{PEERS[peer][0]}]")


def one_thread(options: Any) -> None:
    noise = np.random.default_rng(0).normal(size=(50_000, 20)).astype(np.float32)
    labels = (noise[:, 0] + noise[:, 1] * noise[:, 2] + np.random.default_rng(1).normal(size=50_000) > 0).astype(int)
    print("\n50,000 x 20, 20 trees with square-root columns, processor time of one thread (bar: oneDAL 1.2)")
    for name, (X, y) in {"A": continuous(50_000, 0.05), "noisy labels": (noise, labels)}.items():
        runs = {peer: partial(PEERS[peer][1](20, "sqrt", 1).fit, X, y) for peer in ("calibrant", "oneDAL")}
        times = best_of(options.rounds, time.process_time, **runs)
        print(f"  {name}: {times['calibrant']:.3f} s, oneDAL {times['oneDAL'] / times['calibrant']:.2f} x")


def readings(data: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    """Print the cost of EB-PETs and MOB-ESP relative to a plain forest of the same trees (bars 1.25 and 1.5)."""
    X, y = data
    train, test = slice(0, 100_000), slice(100_000, None)
    kinds = {"ignore": "plain", "count": "EB-PETs", "condition": "MOB-ESP"}
    models: dict[str, Any] = {}

    def fit(kind: str) -> None:
        models[kind] = ours(options.trees, "sqrt", options.threads, out_of_bag=kind).fit(X[train], y[train])

    fits = best_of(options.rounds, **{kind: (lambda kind=kind: fit(kind)) for kind in kinds})
    predictions = best_of(
        options.rounds, **{kind: (lambda kind=kind: models[kind].predict_proba(X[test])) for kind in kinds}
    )
    print("\nReadings of one forest on A (bars 1.25 to fit, 1.5 to predict):")
    for kind, name in kinds.items():
        to_fit, to_predict = fits[kind] / fits["ignore"], predictions[kind] / predictions["ignore"]
        print(
            f"  {name:8} fit {fits[kind]:.2f} s, {to_fit:.2f} x; predict {predictions[kind]:.3f} s, {to_predict:.2f} x"
            f"; out-of-bag, on request, {_seconds(lambda kind=kind: models[kind].oob_proba_):.2f} s; "
            + scores(models[kind], X[test], y[test])
        )


def prediction(data: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    X, y = data
    rows = np.tile(X, (8, 1))[:1_000_000]
    models = {
        peer: PEERS[peer][1](options.trees, "sqrt", options.threads).fit(X[:100_000], y[:100_000]) for peer in PEERS
    }
    times = best_of(options.rounds, **{peer: (lambda peer=peer: models[peer].predict_proba(rows)) for peer in PEERS})
    print(f"\nPrediction of 1,000,000 rows by {options.trees} trees (bars: scikit-learn 1.8, oneDAL 1.5)")
    for peer, seconds in times.items():
        quality = scores(models[peer], X[100_000:], y[100_000:])
        print(f"  {peer:14} {seconds:.2f} s {seconds / times['calibrant']:.2f} x  {quality}")


def one_row(data: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    """Print the mean time of single rows, compared with onnxruntime on the same forest and scikit-learn on its own."""
    X, y = data
    model = ours(options.trees, "sqrt", 1).fit(X[:100_000], y[:100_000])
    other = sklearns(options.trees, "sqrt", 1).fit(X[:100_000], y[:100_000])
    rows = [X[100_000 + i : 100_001 + i] for i in range(2_000)]
    onnx = session_of(model)
    difference = max(np.abs(onnx(row) - model.predict_proba(row)).max() for row in rows)
    runs = {"calibrant": model.predict_proba, "onnxruntime": onnx, "scikit-learn": other.predict_proba}
    times = mean_of(rows, runs, {"scikit-learn": 10})
    print(f"\nOne row by {options.trees} trees, mean of {len(rows):,}; onnxruntime agrees within {difference:.1g}")
    for peer, seconds in times.items():
        print(f"  {peer:14} {seconds * 1e6:8.1f} us {seconds / times['calibrant']:7.2f} x")
    print(f"  ours is {times['calibrant'] / times['onnxruntime']:.2f} x onnxruntime (bar 1.5; scikit-learn's 200)")


def few_rows(data: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    """Print the processor time of 1,000 rows on one thread: whole trees with oneDAL, small ones with compiled trees."""
    X, y = data
    train, rows = slice(0, 100_000), [X[first : first + 1_000] for first in range(100_000, 120_000, 1_000)]
    print(f"\n1,000 rows by {options.trees} trees, one thread, processor time, median of {len(rows)}")
    for columns in ("sqrt", None):
        models = {peer: PEERS[peer][1](options.trees, columns, 1) for peer in ("calibrant", "oneDAL")}
        runs = {peer: model.fit(X[train], y[train]).predict_proba for peer, model in models.items()}
        _print_few(f"whole trees, {columns or 'all'} of the columns", runs, rows, {"oneDAL": 1.0})
    for depth in (6, 8):
        model = ours(options.trees, "sqrt", 1, max_depth=depth).fit(X[train], y[train])
        runs = {"calibrant": model.predict_proba, **_small_trees(X[train], y[train], depth, options.trees)}
        _print_few(f"depth {depth}", runs, rows, {"tl2cgen": 0.8, "LightGBM": 1.0})


def _small_trees(X: np.ndarray, y: np.ndarray, depth: int, n_trees: int) -> dict[str, Callable[[np.ndarray], object]]:
    """Return the predictions of scikit-learn's trees compiled by tl2cgen, and of LightGBM's of as many leaves."""
    import tl2cgen
    import treelite
    from lightgbm import LGBMClassifier

    forest = RandomForestClassifier(n_trees, max_depth=depth, random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder, "trees.so"))
        tl2cgen.export_lib(
            treelite.sklearn.import_model(forest), toolchain="gcc", libpath=library, params={"parallel_comp": n_trees}
        )
        compiled = tl2cgen.Predictor(library, nthread=1)
    sizes = {"num_leaves": 2**depth, "max_depth": depth, "min_child_samples": 1}
    boosted = LGBMClassifier(n_estimators=n_trees, n_jobs=1, verbose=-1, **sizes).fit(X, y)
    return {"tl2cgen": lambda rows: compiled.predict(tl2cgen.DMatrix(rows)), "LightGBM": boosted.predict_proba}


def _print_few(
    name: str, runs: dict[str, Callable[[np.ndarray], object]], rows: list[np.ndarray], bars: dict[str, float]
) -> None:
    spent: dict[str, list[float]] = {peer: [] for peer in runs}
    for block in rows[:1] + rows:  # what is prepared once comes first
        for peer, run in runs.items():
            started = time.process_time()
            run(block)
            spent[peer].append(time.process_time() - started)
    times = {peer: float(np.median(each[1:])) for peer, each in spent.items()}
    for peer, seconds in times.items():
        ratio = f"{seconds / times['calibrant']:.2f} x" + (f" (bar {bars[peer]:g})" if peer in bars else "")
        print(f"  {name:32} {peer:10} {seconds * 1e3:7.2f} ms {ratio}")


def mean_of(
    rows: list[np.ndarray], runs: dict[str, Callable[[np.ndarray], object]], fewer: dict[str, int]
) -> dict[str, float]:
    """Return the mean time of a row, in blocks of 100 rows by turns; a slow program gets only some of the rows."""
    spent, done = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0)
    for first in range(0, len(rows), 100):
        for name, run in runs.items():
            block = rows[first : first + 100 // fewer.get(name, 1)]
            run(block[0])
            spent[name] += _seconds(lambda run=run, block=block: [run(row) for row in block])
            done[name] += len(block)
    return {name: spent[name] / done[name] for name in runs}


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def growth_of_cost(options: Any) -> None:
    X, y = continuous(400_000, 0.05)
    times = [
        _seconds(lambda n=n: ours(20, "sqrt", options.threads).fit(X[:n], y[:n])) for n in (25_000, 100_000, 400_000)
    ]
    rows = [math.log(b / a, 4) for a, b in itertools.pairwise(times)]
    by_trees = [_seconds(lambda t=t: ours(t, "sqrt", options.threads).fit(X[:50_000], y[:50_000])) for t in (20, 80)]
    trees = math.log(by_trees[1] / by_trees[0], 4)
    print(f"\nExponents of the cost: rows {', '.join(f'{e:.2f}' for e in rows)}; trees {trees:.2f}")


def two_threads(data: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    """Print the speedup of two threads in growing and predicting, and whether the predictions are the same."""
    X, y = data
    rows = np.tile(X, (8, 1))[:1_000_000]
    models: dict[str, Any] = {}

    def fit(name: str, n_jobs: int) -> None:
        models[name] = ours(options.trees, "sqrt", n_jobs).fit(X[:100_000], y[:100_000])

    jobs = {"one": 1, "two": 2}
    grown = best_of(options.rounds, **{name: (lambda name=name, n=n: fit(name, n)) for name, n in jobs.items()})
    predicted = best_of(options.rounds, **{name: (lambda name=name: models[name].predict_proba(rows)) for name in jobs})
    is_same = np.array_equal(models["one"].predict_proba(X), models["two"].predict_proba(X))
    print(
        f"\nTwo threads: {grown['one'] / grown['two']:.2f} x one to grow {options.trees} trees, "
        f"{predicted['one'] / predicted['two']:.2f} x to predict 1,000,000 rows (bar 1.8 each); same: {is_same}"
    )
    print(f"  {scores(models['two'], X[100_000:], y[100_000:])}")


def million(options: Any) -> None:
    X, y = continuous(1_000_000, 0.3)
    model = ours(options.trees, "sqrt", options.threads)
    seconds = _seconds(lambda: model.fit(X, y))
    nodes = sum(tree.n_nodes for tree in model.trees_)
    held = sum(sum(array.nbytes for array in tree.core.state) for tree in model.trees_)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"\n{options.trees} trees on 1,000,000 x 20: {seconds:.1f} s, {nodes:,} nodes, {held / nodes:.0f} bytes a node"
    )
    print(f"Peak memory with the training data: {peak:.1f} GiB (bar 24)")


def costs_of_missing_values(A: tuple[np.ndarray, np.ndarray], B: tuple[np.ndarray, np.ndarray], options: Any) -> None:
    print("\nMissing values, 10 trees, one thread, processor time (bar 1.2):")
    for name, (X, y) in (("A", A), ("A, 10,000 rows", (A[0][:10_000], A[1][:10_000])), ("B", B)):
        for columns in ("sqrt", None):
            make = partial(ours, 10, columns, 1)
            missing_values(f"{name}, {columns or 'all'} of the columns", X, y, make, options.rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="leave out the million rows")
    parser.add_argument("--missing", action="store_true", help="only the cost of missing values")
    parser.add_argument("--few-rows", action="store_true", help="only the prediction of 1,000 rows")
    options = parser.parse_args()
    print(machine("numpy", "scikit-learn", "scikit-learn-intelex", "onnxruntime", "calibrant"))
    A, B = continuous(125_000, 0.05), whole_numbers(125_000)
    few_rows(A, options)
    if options.few_rows:
        return
    costs_of_missing_values(A, B, options)
    if options.missing:
        return
    workload("A", A, None, {"scikit-learn": 15, "oneDAL": 1.5}, options)
    workload("A", A, "sqrt", {"scikit-learn": 8, "oneDAL": 1.2}, options)
    workload("B", B, None, {"oneDAL": 1.7}, options)
    workload("B", B, "sqrt", {"scikit-learn": 3, "oneDAL": 1.7}, options)
    one_thread(options)
    readings(A, options)
    prediction(A, options)
    one_row(A, options)
    two_threads(A, options)
    growth_of_cost(options)
    if not options.quick:
        million(options)


if __name__ == "__main__":
    main()
