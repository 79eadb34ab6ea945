"""Forests on a Dask cluster of this machine: two workers against one, and `xgboost.dask` on the same cluster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from _scale_data import folder, large_table
from calibrant.calibration import Auto, CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier

N_PARTS = 16
N_TEST = 400_000  # rows held out: half of them fit the calibrator of xgboost's forest, all others test
N_SMALL = 10  # columns of the fits whose processor seconds are measured
COLUMN_SHARE = 0.2  # sqrt(20) of 20 columns, rounded down
WAYS = {"trees shared out": True, "level by level": False}


@contextmanager
def cluster(n_workers: int) -> Iterator[Any]:
    """Start workers of one thread each in processes of their own."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, memory_limit="6GB", dashboard_address=None
        ) as workers,
        Client(workers) as client,
    ):
        yield client


@contextmanager
def way(fits_workers: bool) -> Iterator[None]:
    """Let fits take one of the two ways, whatever the memory of the workers."""
    from calibrant.trees._sources.cluster_rows import ClusterRows

    with mock.patch.object(ClusterRows, "fits_workers", property(lambda _: fits_workers)):
        yield


def parquet(n_rows: int) -> Path:
    """Return a folder of Parquet files that hold the training rows of C; the last rows are held out."""
    path = folder() / f"parts{n_rows}"
    if path.exists():
        return path
    X, y = large_table(n_rows + held_out(n_rows))
    part = path.with_suffix(".part")
    part.mkdir(exist_ok=True)
    for number, rows in enumerate(np.array_split(np.arange(n_rows), N_PARTS)):
        frame = pd.DataFrame(X[rows], columns=[f"x{j}" for j in range(X.shape[1])]).assign(y=y[rows])
        frame.to_parquet(part / f"{number:03}.parquet")
    part.rename(path)
    return path


def held_out(n_rows: int) -> int:
    return min(N_TEST, n_rows // 5)


def training_frame(n_rows: int) -> Any:
    """Return the training rows as a Dask frame that the workers hold."""
    import dask.dataframe as dd
    from distributed import wait

    frame = dd.read_parquet(parquet(n_rows)).persist()
    wait(frame)
    return frame


def forest(n_trees: int) -> BaggedTreesClassifier:
    """Return a forest like xgboost's: depth 12, 255 bins, a share of the columns at each node."""
    return BaggedTreesClassifier(n_trees=n_trees, max_features=COLUMN_SHARE, max_depth=12, max_bins=255, random_state=0)


def calibrated_forest(n_trees: int) -> CalibratedClassifier:
    """Return the same forest, calibrated by its out-of-bag probabilities."""
    return CalibratedClassifier(forest(n_trees), "isotonic", cv="oob")


def timed_fit(client: Any, frame: Any, model: Any, fits_workers: bool) -> tuple[float, Any]:
    """Return the seconds of a fit, binning included, and the model."""
    gc.collect()
    started = time.perf_counter()
    with way(fits_workers):
        model.fit(frame, "y", client=client)
    return time.perf_counter() - started, model


def two_workers(n_rows: int, n_trees: int) -> None:
    """Print the speed-up of two workers over one, both ways, and whether all forests are the same."""
    print(f"\nDask, {n_trees} trees of depth 12 on {n_rows:,} x 20, 255 bins, workers of one thread (bar 1.6)")
    parquet(n_rows)
    seconds: dict[str, list[float]] = {name: [] for name in WAYS}
    probabilities = []
    rows = large_table(n_rows + held_out(n_rows))[0][-1000:]
    frame_of_rows = pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])
    for n_workers in (1, 2):
        with cluster(n_workers) as client:
            frame = training_frame(n_rows)
            for name, fits_workers in WAYS.items():
                spent, model = timed_fit(client, frame, forest(n_trees), fits_workers)
                seconds[name].append(spent)
                probabilities.append(np.asarray(model.predict_proba(frame_of_rows)))
    for name, (one, two) in seconds.items():
        print(f"  {name:18} one worker {one:7.1f} s, two {two:7.1f} s: {one / two:.2f} x")
    print(f"  the same bits: {all(np.array_equal(each, probabilities[0]) for each in probabilities)}")


def xgboost_forest(client: Any, frame: Any, n_trees: int) -> tuple[float, Any]:
    """Return the seconds of xgboost's fit, binning included, and its forest."""
    from xgboost import dask as xgb

    params = {
        "objective": "binary:logistic",
        "num_parallel_tree": n_trees,
        "max_depth": 12,
        "max_bin": 255,
        "tree_method": "hist",
        "colsample_bynode": COLUMN_SHARE,
        "subsample": 0.632,
        "learning_rate": 1.0,
        "reg_lambda": 1e-5,  # as in its random forests
        "seed": 0,
    }
    gc.collect()
    started = time.perf_counter()
    data = xgb.DaskQuantileDMatrix(client, frame.drop(columns="y"), frame["y"], max_bin=255)
    booster = xgb.train(client, params, data, num_boost_round=1)["booster"]
    return time.perf_counter() - started, booster


def log_loss(proba: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(proba[np.arange(len(y)), y], 1e-6, 1)
    return float(-np.log(p).mean())


def against_xgboost(n_rows: int, n_trees: int, rounds: int = 2) -> None:
    """Print times and log-losses of our forest, both ways, and of xgboost's, also calibrated by our guard."""
    print(f"\nxgboost.dask, {n_trees} trees of depth 12 on {n_rows:,} x 20, 255 bins, two workers of one thread")
    parquet(n_rows)
    n = held_out(n_rows)
    X, y = (array[-n:] for array in large_table(n_rows + n))
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    seconds: dict[str, float] = {}
    models: dict[str, Any] = {}
    with cluster(2) as client:
        frame = training_frame(n_rows)
        for _ in range(rounds):
            runs = {
                name: lambda fits=fits: timed_fit(client, frame, calibrated_forest(n_trees), fits)
                for name, fits in WAYS.items()
            }
            runs["xgboost"] = lambda: xgboost_forest(client, frame, n_trees)
            for name, run in runs.items():
                spent, models[name] = run()
                seconds[name] = min(spent, seconds.get(name, np.inf))
    half = n // 2
    theirs = xgboost_proba(models["xgboost"], table)
    losses = {}
    for name in WAYS:
        found = [models[name].estimators_[0].predict_proba(table[half:]), models[name].predict_proba(table[half:])]
        losses[name] = [log_loss(np.asarray(proba), y[half:]) for proba in found]
    guarded = Auto().fit(theirs[:half], y[:half]).predict(theirs[half:])
    losses["xgboost"] = [log_loss(theirs[half:], y[half:]), log_loss(guarded, y[half:])]
    for name, spent in seconds.items():
        ratio = f"{seconds['xgboost'] / spent:.2f} x" + (" (bar 1)" if name in WAYS else "")
        print(f"  {name:18} {spent:7.1f} s {ratio:16} log-loss {losses[name][0]:.5f}, calibrated {losses[name][1]:.5f}")
    print(
        "  our times include calibration by the out-of-bag probabilities; xgboost's forest is calibrated afterwards by "
        f"our guard, on {half:,} held-out rows"
    )


def xgboost_proba(booster: Any, table: pd.DataFrame) -> np.ndarray:
    """Return the probabilities of both classes by a booster, in this process."""
    positive = np.asarray(booster.inplace_predict(table), dtype=float)
    return np.stack([1 - positive, positive], axis=1)


def processor_seconds(rounds: int) -> None:
    """Print the processor seconds of client and scheduler, and of the workers, of small fits on a cluster.

    The client and the scheduler share this process. What an idle cluster takes is measured and subtracted, since a busy
    machine makes fits longer and not heavier.
    """
    for n_rows, n_trees, n_parts in ((800_000, 10, 16), (300_000, 4, 8)):
        X, y = large_table(n_rows)
        table = pd.DataFrame(np.ascontiguousarray(X[:, :N_SMALL]), columns=[f"x{j}" for j in range(N_SMALL)])
        print(
            f"\nDask, {n_trees} trees of depth 12 on {n_rows:,} x {N_SMALL}, {n_parts} partitions held by two workers "
            "of one thread, least processor seconds of the rounds"
        )
        here = min(timed(lambda: forest(n_trees).set_params(n_jobs=1).fit(table, y), no_seconds)[0] for _ in range(2))  # noqa: B023
        print(f"  in memory, one thread: {here:.2f} s")
        with cluster(2) as client:
            frame = held_frame(client, table.assign(y=y), n_parts)
            runs = {
                name: lambda fits=fits: timed_fit(client, frame, forest(n_trees), fits)  # noqa: B023
                for name, fits in WAYS.items()
            }
            runs["xgboost.dask"] = lambda: xgboost_forest(client, frame, n_trees)  # noqa: B023
            for run in runs.values():
                run()
            idle = np.array(timed(lambda: time.sleep(5), lambda: of_workers(client))) / 5
            for name, run in runs.items():
                spent = np.min([net_seconds(run, client, idle) for _ in range(rounds)], axis=0)
                print(f"  {name:18} client and scheduler {spent[0]:5.2f} s, workers {spent[1]:5.2f} s")
            print(f"  idle, a second     client and scheduler {idle[0]:5.3f} s, workers {idle[1]:5.3f} s")


def held_frame(client: Any, table: pd.DataFrame, n_parts: int) -> Any:
    """Return a Dask frame whose partitions the workers hold."""
    import dask.dataframe as dd
    from distributed import wait

    frame = client.persist(dd.from_pandas(table, npartitions=n_parts, sort=False))
    wait(frame)
    return frame


def of_workers(client: Any) -> float:
    """Return the processor seconds of all workers until now."""
    return float(sum(client.run(time.process_time).values()))


def no_seconds() -> float:
    return 0.0


def timed(run: Callable[[], Any], other: Callable[[], float]) -> tuple[float, float]:
    """Return the processor seconds of a call in this process, and elsewhere."""
    before, started = other(), time.process_time()
    run()
    spent = time.process_time() - started
    return spent, other() - before


def net_seconds(run: Callable[[], Any], client: Any, idle: np.ndarray) -> np.ndarray:
    """Return the processor seconds of a call here and on the workers, without those of an idle cluster."""
    started = time.perf_counter()
    spent = timed(run, lambda: of_workers(client))
    return np.array(spent) - idle * (time.perf_counter() - started)
