"""The cells of `default_quality.py`: fits, out-of-fold predictions shared by three maps, members left out."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from _default_peers import BLEND, ONLY, PEERS, WITHOUT, blend_of, make_ours, member_weights
from _default_store import CellStore, Key
from _default_tables import TableSplit, table_split
from _quality_maps import all_maps

FOLDS = 5
MAPS = {"sigmoid": "scikit-learn sigmoid", "isotonic": "scikit-learn isotonic", "guard": "auto"}
PLUS = " + "
EVERY_MEMBER = ONLY + "each"  # stands for all members alone and all left out

Floats = NDArray[np.float64]


def calibrated_names(peer: str) -> list[str]:
    """Return the names of a peer with each map."""
    return [peer + PLUS + name for name in MAPS]


def fill(store: CellStore, datasets: Sequence[str], methods: Sequence[str], splits: Sequence[int], rows: int) -> None:
    """Compute the cells that are missing, one split of all data sets after another."""
    for split in splits:
        for dataset in datasets:
            missing = [name for name in methods if not is_done(store, Key(dataset, name, split, rows))]
            if missing:
                _fill_split(store, table_split(dataset, split, rows), missing, rows)


def _fill_split(store: CellStore, table: TableSplit, methods: Sequence[str], rows: int) -> None:
    for name in methods:
        started = time.perf_counter()
        try:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                key = Key(table.dataset, name, table.split, rows)
                if not is_done(store, key):  # the maps of a peer are written together
                    compute(store, key, table)
        except Exception:  # one failure must not end a night's run; the report names what is missing
            traceback.print_exc()
        seconds = time.perf_counter() - started
        print(
            f"  {time.strftime('%H:%M:%S')} {table.dataset} {table.split} {rows}: {name}, {seconds:.1f} s", flush=True
        )


def is_done(store: CellStore, key: Key) -> bool:
    """Return whether a cell is there, or, for ``EVERY_MEMBER``, those of all members of the stored blend."""
    if key.method != EVERY_MEMBER:
        return key in store
    blend = replace(key, method=BLEND)
    names = store.read(blend)["members"] if blend in store else []
    return len(names) > 0 and all(
        replace(key, method=prefix + str(name)) in store for name in names for prefix in (ONLY, WITHOUT)
    )


def compute(store: CellStore, key: Key, table: TableSplit) -> None:
    """Compute one cell, and those that it builds on."""
    peer, _, map_name = key.method.partition(PLUS)
    if map_name:
        _calibrate(store, replace(key, method=peer), table)
    elif peer in PEERS:
        _fit_peer(store, key, table)
    elif key.method.startswith((ONLY, WITHOUT)):
        _ablate(store, replace(key, method=BLEND), table)
    else:
        _fit_ours(store, key, table)


def _fit_peer(store: CellStore, key: Key, table: TableSplit) -> None:
    peer = PEERS[key.method]
    X, X_test = peer.prepare(table.X), peer.prepare(table.X_test)
    model, fit_seconds = _timed(lambda: peer.make(X, table.split, 1).fit(X, table.y))
    proba, predict_seconds = _timed(lambda: np.asarray(model.predict_proba(X_test)))
    seconds = {"fit_seconds": fit_seconds, "predict_seconds": predict_seconds}
    store.write(key, proba=proba, scores=scores_of(model, X_test), codes=_small(table.y_test), **seconds)


def _fit_ours(store: CellStore, key: Key, table: TableSplit) -> Any:
    model, fit_seconds = _timed(lambda: make_ours(key.method, table.split, 1).fit(table.X, table.y))
    weights = member_weights(model) if hasattr(model, "members_") else {}
    members = {"members": np.array(list(weights), dtype=str), "weights": np.array(list(weights.values()))}
    _write_predictions(store, key, table, model, fit_seconds, **members)
    return model


def _ablate(store: CellStore, key: Key, table: TableSplit) -> None:
    """Write the cells of each member alone and of the blend without it; members without weight have no part in it."""
    model = _fit_ours(store, key, table)
    weights = member_weights(model)
    for name in weights:
        others = [other for other in weights if other != name]
        used = [other for other in others if weights[other] > 0]
        for prefix, chosen in ((ONLY, [name]), (WITHOUT, used or others)):
            variant, seconds = _timed(partial(_fitted_blend, model, chosen, table))
            _write_predictions(store, replace(key, method=prefix + name), table, variant, seconds)


def _fitted_blend(model: Any, members: list[str], table: TableSplit) -> Any:
    """Return the blend of some members, fitted where it cannot be made of the fitted one."""
    blend = blend_of(model, members)
    return blend if hasattr(blend, "classes_") else blend.fit(table.X, table.y)


def _write_predictions(
    store: CellStore, key: Key, table: TableSplit, model: Any, fit_seconds: float, **arrays: Any
) -> None:
    proba, predict_seconds = _timed(lambda: np.asarray(model.predict_proba(table.X_test), dtype=np.float32))
    seconds = {"fit_seconds": fit_seconds, "predict_seconds": predict_seconds}
    store.write(key, proba=proba, codes=_small(table.y_test), **seconds, **arrays)


def _calibrate(store: CellStore, key: Key, table: TableSplit) -> None:
    """Write the cells of all maps of a peer: fitted to pooled out-of-fold predictions, applied to the full model."""
    if key not in store:
        _fit_peer(store, key, table)
    if key.folds not in store:
        _fit_folds(store, key, table)
    raw, folds = store.read(key), store.read(key.folds)
    for name in MAPS:
        proba, seconds = _timed(partial(mapped, name, raw, folds))
        calibrated = replace(key, method=key.method + PLUS + name)
        fit_seconds = float(raw["fit_seconds"] + folds["fit_seconds"]) + seconds
        cell = {"codes": raw["codes"], "fit_seconds": fit_seconds, "predict_seconds": raw["predict_seconds"]}
        store.write(calibrated, proba=proba.astype(np.float32), **cell)


def _fit_folds(store: CellStore, key: Key, table: TableSplit) -> None:
    peer = PEERS[key.method]
    X = peer.prepare(table.X)

    def fit(rows: NDArray[np.int64]) -> Any:
        return peer.make(X, table.split, 1).fit(X.iloc[rows], table.y[rows])

    (proba, scores), seconds = _timed(lambda: out_of_fold(fit, X, table.y))
    store.write(key.folds, proba=proba, scores=scores, codes=_small(table.y), fit_seconds=seconds)


def out_of_fold(fit: Callable[[NDArray[np.int64]], Any], X: Any, y: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return probabilities and scores of every training row by a model of the other four stratified folds."""
    n_classes = int(y.max()) + 1
    proba, scores = np.zeros((len(y), n_classes)), np.zeros((len(y), 1 if n_classes == 2 else n_classes))
    for rows, held_out in StratifiedKFold(FOLDS).split(y[:, None], y):
        model = fit(rows)
        seen = np.asarray(model.classes_, dtype=np.int64)
        proba[np.ix_(held_out, seen)] = model.predict_proba(X.iloc[held_out])
        columns = seen if n_classes > 2 else np.array([0])
        scores[np.ix_(held_out, columns)] = scores_of(model, X.iloc[held_out])
    return proba, scores


def scores_of(model: Any, X: Any) -> Floats:
    """Return the scores that CalibratedClassifierCV maps: decision values, or probabilities where there are none."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return scores.reshape(len(scores), -1)
    proba = np.asarray(model.predict_proba(X), dtype=np.float64)
    return proba[:, 1:] if proba.shape[1] == 2 else proba


def mapped(name: str, raw: dict[str, Any], folds: dict[str, Any]) -> Floats:
    """Return the test probabilities by one map; the guard maps probabilities, as `CalibratedClassifier` does."""
    apply, codes = _maps()[MAPS[name]], folds["codes"].astype(np.int64)
    if name == "guard":
        is_binary = folds["proba"].shape[1] == 2
        first = 1 if is_binary else 0
        return apply(folds["proba"][:, first:], codes, raw["proba"][:, first:].astype(np.float64))
    return apply(folds["scores"], codes, raw["scores"])


@cache
def _maps() -> dict[str, Any]:
    return all_maps()


def _small(codes: NDArray[np.int64]) -> NDArray[np.int16]:
    return codes.astype(np.int16)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    result = run()
    return result, time.perf_counter() - started
