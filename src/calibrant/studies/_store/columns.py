"""The trials of a study as columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
# Metrics of other studies may be among them; a join with the trials took 2 s for a million.
_METRICS = "SELECT DISTINCT metric FROM calibrant_scores WHERE trial >= :first AND trial <= :last AND part = :part"
_SCORES = """
SELECT trial, metric, value FROM calibrant_scores
WHERE trial >= :first AND trial <= :last AND metric * 4 + part $IN_CODES
"""
_TEXTS = ("dataset", "fingerprint", "method", "split_name", "versions", "choice")
_FLOATS = ("fit_seconds", "predict_seconds", "shared_seconds", "recorded")
_OBJECTS = ("key", "seed", "error")
_COLUMNS = (*_TRIALS.split("SELECT")[1].split("FROM")[0].replace(",", " ").split(),)


@dataclass(frozen=True, eq=False)
class TrialColumns:
    """The trials of a study, one element each, sorted by data set, method and split.

    Parameters
    ----------
    key, dataset, fingerprint, method, split_name, choice, error, state : array of str
        `error` is a traceback, empty where the trial did not fail; `state` is "done" or "failed".
    versions : array of dict
        The versions of calibrant, Python and the libraries; trials of the same versions share one.
    split, n_train, n_test, n_sharing : array of int
        As in `TrialRecord`.
    seed : array of int or None
        As in `TrialRecord`.
    fit_seconds, predict_seconds, shared_seconds : array of float
        As in `TrialRecord`.
    recorded : array of float
        When the trial was recorded, in seconds since 1970.
    values : dict of metric to array of float
        NaN where a trial failed, or the metric is undefined or not recorded.
    more_values : dict of part to dict of metric to array of float
        The same of further parts.
    """

    key: NDArray[np.object_]
    dataset: NDArray[np.object_]
    fingerprint: NDArray[np.object_]
    method: NDArray[np.object_]
    split: NDArray[np.int64]
    split_name: NDArray[np.object_]
    seed: NDArray[np.object_]
    versions: NDArray[np.object_]
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]
    fit_seconds: NDArray[np.float64]
    predict_seconds: NDArray[np.float64]
    shared_seconds: NDArray[np.float64]
    n_sharing: NDArray[np.int64]
    choice: NDArray[np.object_]
    error: NDArray[np.object_]
    recorded: NDArray[np.float64]
    state: NDArray[np.object_]
    values: dict[str, NDArray[np.float64]]
    more_values: dict[Part, dict[str, NDArray[np.float64]]]

    def __len__(self) -> int:
        return len(self.key)


def read_columns(
    database: Database,
    names: StoredNames,
    study: int,
    metrics: Sequence[str] | None,
    part: Part,
    more_parts: Sequence[Part] = (),
) -> TrialColumns:
    """Return the trials of a study with the values of metrics (None: all that there are), inside a transaction."""
    columns = _read_trials(database, study)
    trials = columns.pop("id")
    is_open = metrics is None
    metrics = _find_metrics(database, names, trials, PARTS[part]) if metrics is None else metrics
    ids = names.known_ids(metrics)
    values, *more = (_read_values(database, trials, ids, PARTS[each]) for each in (part, *more_parts))
    metrics = [metric for metric in metrics if metric in values or not is_open]
    ranks = {name: _decode(names, columns, name) for name in _TEXTS}
    order = np.lexsort((columns["split"], ranks["method"], ranks["dataset"]))
    has_failed = columns["error"].astype(bool)
    columns["error"][~has_failed] = ""
    columns["state"] = np.array(["done", "failed"], dtype=object)[has_failed.astype(np.intp)]
    absent = np.full(len(order), np.nan)

    def ordered(found: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
        return {metric: found[metric][order] if metric in found else absent for metric in metrics}

    return TrialColumns(
        **{name: column[order] for name, column in columns.items()},
        values=ordered(values),
        more_values={each: ordered(found) for each, found in zip(more_parts, more, strict=True)},
    )


def _find_metrics(database: Database, names: StoredNames, trials: NDArray[np.int64], part: int) -> list[str]:
    if not len(trials):
        return []
    found = database.rows(_METRICS, first=int(trials[0]), last=int(trials[-1]), part=part)
    texts = names.texts(number for (number,) in found)
    return sorted(texts[number] for (number,) in found)


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
    """Return the value for each trial of each metric that one of them has; NaN where there is none."""
    ids = np.sort(np.fromiter(metrics.values(), dtype=np.int64))
    values, is_found = np.full((len(ids), len(trials)), np.nan), np.zeros(len(ids), dtype=bool)
    codes = database.array([4 * number + part for number in ids.tolist()])
    for begin in range(0, len(trials) if len(ids) else 0, _CHUNK):
        chunk = trials[begin : begin + _CHUNK]
        params = {"first": int(chunk[0]), "last": int(chunk[-1]), "codes": codes}
        for rows in database.batches(_SCORES, params):
            of_trial, of_metric, found = (np.array(cells, dtype=np.float64) for cells in zip(*rows, strict=True))
            # Trials of other studies may lie between those of this one.
            row = np.minimum(np.searchsorted(chunk, of_trial), len(chunk) - 1)
            mine = chunk[row] == of_trial
            position = np.searchsorted(ids, of_metric)[mine]
            is_found[position] = True
            values[position, begin + row[mine]] = found[mine]
    positions = {metric: int(np.searchsorted(ids, number)) for metric, number in metrics.items()}
    return {metric: values[j] for metric, j in positions.items() if is_found[j]}


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
