"""The trials of a study as columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from calibrant.studies._store.catalogue import StoredNames
    from calibrant.studies._store.database import Database
    from calibrant.studies._trials.records import Part

PARTS = {"test": 0, "training": 1, "no_information": 2}  # at most four: a list of scores holds 4 * metric + part

_CHUNK = 100_000  # trials a query: psycopg keeps the whole answer in memory

_TRIALS = """
SELECT id, key, dataset, fingerprint, method, split, split_name, seed, versions, n_train, n_test, fit_seconds,
    predict_seconds, shared_seconds, n_sharing, choice, error, recorded
FROM calibrant_trials WHERE study = :study AND id > :after ORDER BY id LIMIT :size
"""
_SCORES = """
SELECT trial, metric, value FROM calibrant_scores
WHERE trial >= :first AND trial <= :last AND metric * 4 + part $IN_CODES
"""
_TEXTS = ("dataset", "fingerprint", "method", "split_name", "versions", "choice")
_FLOATS = ("fit_seconds", "predict_seconds", "shared_seconds", "recorded")
_OBJECTS = ("key", "seed", "error")
_COLUMNS = (*_TRIALS.split("SELECT")[1].split("FROM")[0].replace(",", " ").split(),)


Columns = dict[Any, NDArray[Any]]  # an element for each trial


def read_columns(
    database: Database, names: StoredNames, study: int, metrics: Sequence[str], parts: Sequence[Part]
) -> Columns:
    """Return the trials of a study as `Store.trials` does, inside a transaction."""
    columns: Columns = _read_trials(database, study)
    trials = columns.pop("id")
    has_failed = columns["error"].astype(bool)
    columns["error"][~has_failed] = ""
    columns["state"] = np.array(["done", "failed"], dtype=object)[has_failed.astype(np.intp)]
    ranks = {name: _decode(names, columns, name) for name in _TEXTS}
    order = np.lexsort((columns["split"], ranks["method"], ranks["dataset"]))
    ids, absent = names.known_ids(metrics), np.full(len(order), np.nan)
    for part in parts:
        values = _read_values(database, trials, ids, PARTS[part])
        columns |= {(part, metric): values.get(metric, absent) for metric in metrics}
    return {name: column[order] for name, column in columns.items()}


def _read_trials(database: Database, study: int) -> dict[str, NDArray[Any]]:
    batches, n_rows, after = [_columns([])], _CHUNK, -1
    while n_rows == _CHUNK:
        n_rows = 0
        for rows in database.batches(_TRIALS, {"study": study, "after": after, "size": _CHUNK}):
            batches.append(_columns(rows))
            n_rows += len(rows)
        after = int(batches[-1]["id"][-1]) if n_rows else after
    return {name: np.concatenate([batch[name] for batch in batches]) for name in _COLUMNS}


def _columns(rows: list[tuple[Any, ...]]) -> dict[str, NDArray[Any]]:
    lists = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
    return {name: _array(name, cells) for name, cells in zip(_COLUMNS, lists, strict=True)}


def _array(name: str, cells: tuple[Any, ...]) -> NDArray[Any]:
    if name in _OBJECTS:
        column = np.empty(len(cells), dtype=object)
        column[:] = cells
        return column
    return np.array(cells, dtype=np.float64 if name in _FLOATS else np.int64)


def _read_values(
    database: Database, trials: NDArray[np.int64], metrics: Mapping[str, int], part: int
) -> dict[str, NDArray[np.float64]]:
    """Return the value for each trial of each metric; NaN where there is none."""
    ids = np.sort(np.fromiter(metrics.values(), dtype=np.int64))
    values = np.full((len(ids), len(trials)), np.nan)
    codes = database.array([4 * number + part for number in ids.tolist()])
    for begin in range(0, len(trials) if len(ids) else 0, _CHUNK):
        chunk = trials[begin : begin + _CHUNK]
        params = {"first": int(chunk[0]), "last": int(chunk[-1]), "codes": codes}
        for rows in database.batches(_SCORES, params):
            of_trial, of_metric, found = (np.array(cells, dtype=np.float64) for cells in zip(*rows, strict=True))
            # Trials of other studies may lie between those of this one.
            row = np.minimum(np.searchsorted(chunk, of_trial), len(chunk) - 1)
            mine = chunk[row] == of_trial
            values[np.searchsorted(ids, of_metric)[mine], begin + row[mine]] = found[mine]
    return {metric: values[np.searchsorted(ids, number)] for metric, number in metrics.items()}


def _decode(names: StoredNames, columns: dict[str, NDArray[Any]], name: str) -> NDArray[np.intp]:
    """Replace the numbers of texts in a column by the texts, and return their ranks in the order of the texts."""
    ids = columns[name]
    distinct = np.flatnonzero(np.bincount(ids))
    known = names.texts(distinct.tolist())
    texts = [known[number] for number in distinct.tolist()]
    ranks, lookup = (np.zeros(int(ids.max(initial=0)) + 1, dtype=np.intp) for _ in range(2))
    lookup[distinct] = np.arange(len(distinct))
    ranks[distinct] = np.argsort(sorted(range(len(texts)), key=texts.__getitem__))
    columns[name] = _array("key", tuple(map(json.loads, texts) if name == "versions" else texts))[lookup[ids]]
    of_rows: NDArray[np.intp] = ranks[ids]
    return of_rows
