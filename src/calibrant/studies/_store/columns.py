"""The trials of a study as columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.studies._store.recording import PARTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies._store.database import Database
    from calibrant.studies._store.names import StoredNames
    from calibrant.studies._trials.records import Part

__all__ = ["TrialColumns", "read_columns"]

_CHUNK = 100_000  # trials a query: a million at once took 1 GB of memory with PostgreSQL

_TRIALS = """
SELECT id, key, dataset, fingerprint, method, split, split_name, seed, versions, n_train, n_test, fit_seconds,
    predict_seconds, shared_seconds, n_sharing, choice, error, recorded
FROM calibrant_trials WHERE study = :study AND id > :after ORDER BY id LIMIT :size
"""
_METRICS = """
SELECT DISTINCT s.metric FROM calibrant_scores AS s JOIN calibrant_trials AS t ON t.id = s.trial
WHERE t.study = :study AND s.part = :part
"""
_SCORES = """
SELECT trial, metric, value FROM calibrant_scores
WHERE trial >= :first AND trial <= :last AND metric * 4 + part $IN_CODES
"""
_TEXTS = ("dataset", "fingerprint", "method", "split_name", "versions", "choice")
_INTS = ("split", "n_train", "n_test", "n_sharing")
_FLOATS = ("fit_seconds", "predict_seconds", "shared_seconds", "recorded")
_OBJECTS = ("key", "seed", "error")
_COLUMNS = ("id", *_TRIALS.partition("SELECT id,")[2].partition("FROM")[0].replace(",", " ").split())


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

    def __len__(self) -> int:
        return len(self.key)


def read_columns(
    database: Database, names: StoredNames, study: int, metrics: Sequence[str] | None, part: Part
) -> TrialColumns:
    """Return the trials of a study with the values of metrics (None: all that there are), inside a transaction."""
    if metrics is None:
        found = [int(number) for (number,) in database.rows(_METRICS, study=study, part=PARTS[part])]
        metrics = sorted(names.texts(found)[number] for number in found)
    ids = names.known_ids(metrics)
    numbers = [ids.get(metric, -1) for metric in metrics]
    chunks = _read_chunks(database, study, numbers, PARTS[part])
    columns = {name: np.concatenate([chunk[0][name] for chunk in chunks]) for name in _COLUMNS}
    values = np.concatenate([chunk[1] for chunk in chunks])
    texts = {name: _decode(names, columns[name]) for name in _TEXTS}
    order = np.lexsort((columns["split"], texts["method"][1], texts["dataset"][1]))
    decoded = {name: texts[name][0] for name in _TEXTS}
    decoded["versions"] = _parsed(decoded["versions"])
    failed = columns["error"] != None  # noqa: E711 - element by element
    columns["error"][~failed] = ""
    columns["state"] = np.where(failed, "failed", "done").astype(object)
    sorted_columns = {name: (decoded.get(name, column))[order] for name, column in columns.items() if name != "id"}
    return TrialColumns(**sorted_columns, values={m: values[order, j] for j, m in enumerate(metrics)})


def _read_chunks(
    database: Database, study: int, metrics: list[int], part: int
) -> list[tuple[dict[str, NDArray[Any]], NDArray[np.float64]]]:
    chunks, after = [], -1
    while True:
        rows = next(database.batches(_TRIALS, {"study": study, "after": after, "size": _CHUNK}, _CHUNK), [])
        columns = _columns(rows)
        chunks.append((columns, _read_values(database, columns["id"], metrics, part)))
        if len(rows) < _CHUNK:
            return chunks
        after = int(columns["id"][-1])


def _columns(rows: list[tuple[Any, ...]]) -> dict[str, NDArray[Any]]:
    lists = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
    return {name: _array(name, cells) for name, cells in zip(_COLUMNS, lists, strict=True)}


def _array(name: str, cells: tuple[Any, ...]) -> NDArray[Any]:
    if name in _OBJECTS:
        column = np.empty(len(cells), dtype=object)
        column[:] = cells
        return column
    return np.array(cells, dtype=np.float64 if name in _FLOATS else np.int64)


def _read_values(database: Database, trials: NDArray[np.int64], metrics: list[int], part: int) -> NDArray[np.float64]:
    """Return the value of each metric (column) for each trial (row); NaN where there is none."""
    values = np.full((len(trials), len(metrics)), np.nan)
    if not len(trials) or not metrics:
        return values
    codes = database.array([4 * metric + part for metric in metrics])
    params = {"first": int(trials[0]), "last": int(trials[-1]), "codes": codes}
    position = {metric: j for j, metric in enumerate(metrics)}
    for rows in database.batches(_SCORES, params):
        of_trial, of_metric, found = zip(*rows, strict=True)
        row = np.searchsorted(trials, np.array(of_trial, dtype=np.int64))
        mine = trials[row] == np.array(of_trial)
        column = np.array([position[metric] for metric in of_metric])
        values[row[mine], column[mine]] = np.array(found, dtype=np.float64)[mine]
    return values


def _decode(names: StoredNames, ids: NDArray[np.int64]) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    """Return the text of each number, and its rank among the texts."""
    distinct, codes = np.unique(ids, return_inverse=True)
    known = names.texts(distinct.tolist())
    texts = np.array([known[number] for number in distinct.tolist()], dtype=object)
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[np.argsort(texts)] = np.arange(len(texts))
    return texts[codes], ranks[codes]


def _parsed(texts: NDArray[np.object_]) -> NDArray[np.object_]:
    parsed = {text: json.loads(text) for text in set(texts.tolist())}
    column = np.empty(len(texts), dtype=object)
    column[:] = [parsed[text] for text in texts.tolist()]
    return column
