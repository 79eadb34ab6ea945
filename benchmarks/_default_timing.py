"""Times of `default_quality.py`: fits against CatBoost's and AutoGluon's, prediction of 100,000 rows, equal bits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _default_peers import BLEND, PEERS, make_ours
from _default_store import CellStore, Key
from _default_tables import LARGE, TableSplit, table_split
from _side_by_side import best_of, machine

N_JOBS = 2
N_PREDICTED = 100_000


def print_times(store: CellStore, datasets: Sequence[str], rounds: int) -> None:
    """Print fit times set by set, CatBoost and the blend taking turns, then prediction times."""
    warnings.simplefilter("ignore")
    print(machine("numpy", "scikit-learn", "catboost"), "\n")
    print(f"| set | CatBoost s | {BLEND} s | ratio | AutoGluon s | same bits for 1 and 2 threads |")
    print("|---|---|---|---|---|---|")
    rows = [_time_set(store, table_split(name, 0), rounds) for name in datasets]
    catboost, blend, autogluon = np.array([row[:3] for row in rows]).T
    ratio, ratios = blend.sum() / catboost.sum(), blend / catboost
    _print_row("all", catboost.sum(), blend.sum(), float(np.nansum(autogluon)), all(row[3] for row in rows))
    print(f"\nRatio to CatBoost: {ratio:.2f} of sums, median {np.median(ratios):.2f}, worst {ratios.max():.2f}.")
    measured = np.isfinite(autogluon)
    if measured.any():
        share = blend[measured].sum() / autogluon[measured].sum()
        print(f"Ratio to AutoGluon: {share:.3f} on {measured.sum()} sets.")
    for name in (one for one in LARGE if one in datasets):
        _time_prediction(table_split(name, 0))


def _time_set(store: CellStore, table: TableSplit, rounds: int) -> tuple[float, float, float, bool]:
    frame = PEERS["CatBoost"].prepare(table.X)
    fitted: dict[int, Any] = {}

    def fit_catboost() -> None:
        PEERS["CatBoost"].make(frame, 0, N_JOBS).fit(frame, table.y)

    def fit_blend() -> None:
        fitted[N_JOBS] = make_ours(BLEND, 0, N_JOBS).fit(table.X, table.y)

    best = best_of(rounds, catboost=fit_catboost, blend=fit_blend)
    with threadpool_limits(1):
        single = make_ours(BLEND, 0, 1).fit(table.X, table.y).predict_proba(table.X_test)
    is_same = np.array_equal(single, fitted[N_JOBS].predict_proba(table.X_test))
    key = Key(table.dataset, "AutoGluon", 0, 2000)
    autogluon = float(store.read(key)["fit_seconds"]) if key in store else np.nan
    _print_row(table.dataset, best["catboost"], best["blend"], autogluon, is_same)
    return best["catboost"], best["blend"], autogluon, is_same


def _print_row(name: str, catboost: float, blend: float, autogluon: float, is_same: bool) -> None:
    ratio = blend / catboost
    print(f"| {name} | {catboost:.2f} | {blend:.2f} | {ratio:.2f} | {autogluon:.1f} | {is_same} |", flush=True)


def _time_prediction(table: TableSplit) -> None:
    """Print the seconds for 100,000 rows, drawn from the test rows with replacement."""
    rows = np.random.default_rng(0).integers(len(table.y_test), size=N_PREDICTED)
    X = table.X_test.iloc[rows].reset_index(drop=True)
    model = make_ours(BLEND, 0, N_JOBS).fit(table.X, table.y)
    catboost = PEERS["CatBoost"]
    frame, new_frame = catboost.prepare(table.X), catboost.prepare(X)
    other = catboost.make(frame, 0, N_JOBS).fit(frame, table.y)
    ours = _best_of_three(lambda: model.predict_proba(X))
    theirs = _best_of_three(lambda: other.predict_proba(new_frame))
    print(f"Prediction of {N_PREDICTED} rows of {table.dataset}: {ours:.2f} s, CatBoost {theirs:.2f} s.", flush=True)


def _best_of_three(run: Callable[[], object]) -> float:
    def timed() -> float:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started

    return min(timed() for _ in range(3))
