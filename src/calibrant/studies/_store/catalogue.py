"""The studies of a store: their definitions, their trials as columns, and what is removed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import ParameterError, StudyError, nearest

if TYPE_CHECKING:
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
SELECT trial, metric * 4 + part, value FROM calibrant_scores
WHERE trial >= :first AND trial <= :last AND metric * 4 + part $IN_CODES
"""
_TEXTS = ("dataset", "fingerprint", "method", "split_name", "versions", "choice")
_LATEST = 2**33  # seconds: the year 2242, which a date in nanoseconds still reaches
_FLOATS = ("fit_seconds", "predict_seconds", "shared_seconds", "recorded")
_OBJECTS = ("key", "seed", "error")
_COLUMNS = (*_TRIALS.split("SELECT")[1].split("FROM")[0].replace(",", " ").split(),)


Columns = dict[Any, NDArray[Any]]  # an element for each trial


def read_columns(
    database: Database, names: StoredNames, study: int, metrics: Sequence[str], parts: Sequence[Part]
) -> Columns:
    """Return the trials of a study as `Store.trials` does, inside a transaction."""
    batches, n_rows, after = [_columns([])], _CHUNK, -1
    while n_rows == _CHUNK:
        n_rows = 0
        for rows in database.batches(_TRIALS, {"study": study, "after": after, "size": _CHUNK}):
            batches.append(_columns(rows))
            n_rows += len(rows)
        after = int(batches[-1]["id"][-1]) if n_rows else after
    columns: Columns = {name: np.concatenate([batch[name] for batch in batches]) for name in _COLUMNS}
    trials = columns.pop("id")
    if not (np.abs(columns["recorded"]) < _LATEST).all():
        raise ValueError("a trial was recorded at no time")
    has_failed = columns["error"].astype(bool)
    columns["error"][~has_failed] = ""
    columns["state"] = np.array(["done", "failed"], dtype=object)[has_failed.astype(np.intp)]
    ranks = {name: _decode(names, columns, name) for name in _TEXTS}
    order = np.lexsort((columns["split"], ranks["method"], ranks["dataset"]))
    pairs, ids = [(part, metric) for part in parts for metric in metrics], names.known_ids(metrics)
    codes = {4 * ids[metric] + PARTS[part]: (part, metric) for part, metric in pairs if metric in ids}
    columns |= dict.fromkeys(pairs, np.full(len(order), np.nan)) | _read_values(database, trials, codes)
    return {name: column[order] for name, column in columns.items()}


def _columns(rows: list[tuple[Any, ...]]) -> dict[str, NDArray[Any]]:
    lists = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
    return {name: _array(name, cells) for name, cells in zip(_COLUMNS, lists, strict=True)}


def _array(name: str, cells: tuple[Any, ...]) -> NDArray[Any]:
    if name in _OBJECTS:
        column = np.empty(len(cells), dtype=object)
        column[:] = cells
        return column
    return np.array(cells, dtype=np.float64 if name in _FLOATS else np.int64)


def _read_values(database: Database, trials: NDArray[np.int64], codes: Mapping[int, tuple[str, str]]) -> Columns:
    """Return the value for each trial of each part and metric, by their code; NaN where there is none."""
    numbers = np.array(sorted(codes), dtype=np.int64)
    values, wanted = np.full((len(numbers), len(trials)), np.nan), database.array(numbers.tolist())
    for begin in range(0, len(trials) if len(numbers) else 0, _CHUNK):
        chunk = trials[begin : begin + _CHUNK]
        params = {"first": int(chunk[0]), "last": int(chunk[-1]), "codes": wanted}
        for rows in database.batches(_SCORES, params):
            of_trial, code, found = (np.array(cells, dtype=np.float64) for cells in zip(*rows, strict=True))
            # Trials of other studies may lie between those of this one.
            row = np.minimum(np.searchsorted(chunk, of_trial), len(chunk) - 1)
            mine = chunk[row] == of_trial
            values[np.searchsorted(numbers, code)[mine], begin + row[mine]] = found[mine]
    return {codes[number]: values[j] for j, number in enumerate(numbers.tolist())}


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


_ADD = "INSERT INTO calibrant_names (digest, name) VALUES (:digest, :name) ON CONFLICT (digest) DO NOTHING"
_FIND = "SELECT digest, id FROM calibrant_names WHERE digest $IN_KEYS"
_READ = "SELECT id, name FROM calibrant_names WHERE id $IN_CODES"


class StoredNames:
    """The numbers of texts and the texts of numbers; both are remembered, as they never change."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    def ids(self, texts: Collection[str]) -> Mapping[str, int]:
        """Return a mapping that has the number of each text; new texts are committed at once, before they are used."""
        missing = {digest_of(text): text for text in texts if text not in self._ids}
        if missing:
            rows = [{"digest": digest, "name": check_text(text)} for digest, text in sorted(missing.items())]
            self._database.write(lambda: self._database.execute(_ADD, rows))
            self._database.read(lambda: self._remember(missing))
        return self._ids

    def known_ids(self, texts: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those texts that the store has, inside a transaction."""
        missing = {digest_of(text): text for text in texts if text not in self._ids}
        self._remember(missing)
        return {text: self._ids[text] for text in texts if text in self._ids}

    def texts(self, ids: Iterable[int]) -> Mapping[int, str]:
        """Return a mapping that has the text of each number, inside a transaction."""
        missing = [number for number in set(ids) if number not in self._texts]
        if missing:
            self._texts.update(self._database.rows(_READ, codes=self._database.array(missing)))
        return self._texts

    def _remember(self, missing: dict[str, str]) -> None:
        if missing:
            found = self._database.rows(_FIND, keys=self._database.array(list(missing)))
            self._ids.update((missing[digest], number) for digest, number in found)


def digest_of(text: str) -> str:
    """Return a digest of a text, by which an index finds it whatever its length."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def check_text(text: str) -> str:
    """Return a text; raise if not every database can keep it."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ParameterError(f"names must have no NUL characters and no unpaired surrogates; got {text[:50]!r}.")
    return text


TrialState = Literal["done", "failed", "incomplete"]


@dataclass(frozen=True)
class StudySummary:
    """A study of a store.

    Parameters
    ----------
    name : str
        Its name.
    created, updated : datetime
        When it was defined, and when a trial or a definition was last recorded; in UTC.
    n_trials, n_failed : int
        Numbers of recorded trials, and of those that failed.

    Examples
    --------
    >>> now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> StudySummary("trees", now, now, n_trials=40, n_failed=0).n_trials
    40
    """

    name: str
    created: datetime
    updated: datetime
    n_trials: int
    n_failed: int


_STUDIES = """
SELECT s.name, s.created, s.updated,
    (SELECT t.recorded FROM calibrant_trials AS t WHERE t.study = s.id ORDER BY t.id DESC LIMIT 1),
    (SELECT COUNT(*) FROM calibrant_trials AS t WHERE t.study = s.id),
    (SELECT COUNT(*) FROM calibrant_trials AS t WHERE t.study = s.id AND t.error IS NOT NULL)
FROM calibrant_studies AS s ORDER BY s.name
"""
_FIND_STUDY = "SELECT id FROM calibrant_studies WHERE digest = :digest"
_STUDY_NAMES = "SELECT name FROM calibrant_studies"
_DEFINITION = "SELECT definition FROM calibrant_studies WHERE digest = :digest"
_SAVE = """
INSERT INTO calibrant_studies (digest, name, definition, created, updated)
VALUES (:digest, :name, :definition, $NOW, $NOW)
ON CONFLICT (digest) DO UPDATE SET definition = excluded.definition, updated = excluded.updated
"""
_DELETE = [
    # A change of a key: PostgreSQL waits for the trials that are being recorded, and lets no others begin.
    "UPDATE calibrant_studies SET digest = digest || ' deleted' WHERE id = :study",
    "DELETE FROM calibrant_claims WHERE study = :study",
    "DELETE FROM calibrant_workers WHERE study = :study",
    "DELETE FROM calibrant_repeats WHERE study = :study",
    "DELETE FROM calibrant_predictions WHERE trial IN (SELECT id FROM calibrant_trials WHERE study = :study)",
    "DELETE FROM calibrant_supplements WHERE trial IN (SELECT id FROM calibrant_trials WHERE study = :study)",
    "DELETE FROM calibrant_scores WHERE trial IN (SELECT id FROM calibrant_trials WHERE study = :study)",
    "DELETE FROM calibrant_trials WHERE study = :study",
    "DELETE FROM calibrant_studies WHERE id = :study",
]
_STATES = "SELECT id, key, CASE WHEN error IS NULL THEN 0 ELSE 1 END FROM calibrant_trials WHERE study = :study"
_RANGE = "SELECT MIN(id), MAX(id) FROM calibrant_trials WHERE study = :study"
# Trials of other studies may be among them; a join to leave them out takes longer than the query.
_COMPLETE = """
SELECT trial FROM calibrant_scores WHERE trial >= :first AND trial <= :last AND metric * 4 + part $IN_CODES
GROUP BY trial HAVING COUNT(*) = :n_codes
"""
_PREDICTED = """
SELECT t.id FROM calibrant_trials AS t
WHERE t.study = :study AND EXISTS (SELECT 1 FROM calibrant_predictions AS p WHERE p.trial = t.id)
"""
_FIND_TRIALS = """
SELECT (SELECT t.id FROM calibrant_trials AS t WHERE t.study = :study AND t.key = k.value) FROM $KEYS
"""
_FORGET = [
    "DELETE FROM calibrant_predictions WHERE trial $IN_CODES",
    "DELETE FROM calibrant_supplements WHERE trial $IN_CODES",
    "DELETE FROM calibrant_scores WHERE trial $IN_CODES",
    "DELETE FROM calibrant_trials WHERE id $IN_CODES",
]
_N_REPEATS = "SELECT COUNT(*) FROM calibrant_repeats WHERE study = :study"
_PREDICTIONS = """
SELECT t.key, t.split, p.parquet FROM calibrant_trials AS t JOIN calibrant_predictions AS p ON p.trial = t.id
WHERE t.study = :study AND t.dataset = :dataset AND t.method = :method ORDER BY t.split
"""


class Catalogue:
    """The studies of a store, by name, and what was recorded of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._names = StoredNames(database)
        self._ids: dict[str, int] = {}

    def studies(self) -> list[StudySummary]:
        """Return the studies, sorted by name."""
        rows = self._database.read(lambda: self._database.rows(_STUDIES))
        return [
            StudySummary(name, _date(created), _date(max(updated, last or updated)), int(n_trials), int(n_failed))
            for name, created, updated, last, n_trials, n_failed in rows
        ]

    def unknown(self, name: str) -> StudyError:
        """Return the error that there is no study of that name, with the names there are and the nearest."""
        names = [each.name for each in self.studies()]
        known = f" It has {', '.join(map(repr, names[:10]))}." if names else ""
        return StudyError(f"there is no study {name!r} in {self._database.address.shown}.{known}{nearest(name, names)}")

    def _id(self, name: str) -> int:
        """Return the number of a study; raise if there is none of that name."""
        database = self._database
        if name not in self._ids:
            rows = database.read(lambda: self._rows_of(_FIND_STUDY, name))
            if not rows:
                raise self.unknown(name)
            self._ids[name] = int(rows[0][0])
        return self._ids[name]

    def _rows_of(self, query: Any, name: str) -> list[Any]:
        """Return the rows of a query on a study, found by the digest of its name; raise if only the name is there."""
        rows = self._database.rows(query, digest=digest_of(name))
        if not rows and (name,) in [tuple(row) for row in self._database.rows(_STUDY_NAMES)]:
            raise LookupError(f"the study {name!r} is not found by its digest")
        return rows

    def definition(self, name: str) -> dict[str, Any] | None:
        """Return the document that defines a study, or None if there is no such study."""

        def read() -> dict[str, Any] | None:
            rows = self._rows_of(_DEFINITION, name)
            return json.loads(rows[0][0]) if rows else None

        return self._database.read(read)

    def save_definition(self, name: str, document: Mapping[str, Any]) -> None:
        """Add a study, or replace its definition; its trials are kept."""
        text = json.dumps(document, ensure_ascii=True)
        row = {"digest": digest_of(name), "name": check_text(name), "definition": text}
        self._database.write(lambda: self._database.execute(_SAVE, row))

    def delete(self, name: str) -> None:
        """Remove a study and all that was recorded of it."""
        params = {"study": self._id(name)}
        self._database.write_steps([(statement, params) for statement in _DELETE])
        self._ids.pop(name, None)

    def finished(
        self, name: str, needed: Mapping[Part, Collection[str]] | None = None, *, predictions: bool = False
    ) -> dict[str, TrialState]:
        """Return the state of every recorded trial.

        Parameters
        ----------
        name : str
            The study.
        needed : dict of part to metrics
            The scores without which a trial is incomplete.
        predictions : bool
            Whether a trial without predictions is incomplete.

        Returns
        -------
        dict of key to {"done", "failed", "incomplete"}
            The recorded trials.
        """
        study, database = self._id(name), self._database

        def numbers(sql: str, **params: Any) -> set[int]:
            return {number for batch in database.batches(sql, params) for (number,) in batch}

        def read() -> dict[str, TrialState]:
            lists = []  # trials that have the scores, and those that have predictions, where they are needed
            if codes := self._codes(needed or {}):
                first, last = database.rows(_RANGE, study=study)[0]
                params = {"codes": database.array(codes), "n_codes": len(codes), "first": first, "last": last}
                lists.append(set[int]() if first is None else numbers(_COMPLETE, **params))
            if predictions:
                lists.append(numbers(_PREDICTED, study=study))
            complete = set.intersection(*lists) if lists else None
            states: dict[str, TrialState] = {}
            for batch in database.batches(_STATES, {"study": study}):
                for number, key, failed in batch:
                    done: TrialState = "done" if complete is None or number in complete else "incomplete"
                    states[key] = "failed" if failed else done
            return states

        return database.read(read)

    def _codes(self, needed: Mapping[Part, Collection[str]]) -> list[int]:
        """Return the codes of the scores that trials must have, inside a transaction; no trial has a negative one."""
        ids = self._names.known_ids({metric for part in needed for metric in needed[part]})
        return [4 * ids.get(metric, -1) + PARTS[part] for part in needed for metric in set(needed[part])]

    def forget(self, name: str, keys: Iterable[str]) -> None:
        """Remove trials, so that they are run again."""
        params = {"study": self._id(name), "keys": self._database.array(list(keys))}
        found = self._database.read(lambda: self._database.rows(_FIND_TRIALS, **params))
        # By number: if the commit is repeated after a lost connection, what was recorded meanwhile stays.
        numbers = [int(number) for (number,) in found if number is not None]
        if numbers:
            codes = {"codes": self._database.array(numbers)}
            self._database.write_steps([(statement, codes) for statement in _FORGET])

    def computed_twice(self, name: str) -> int:
        """Return the number of computations that added nothing: a live process had lost its lease meanwhile."""
        study = self._id(name)
        return int(self._database.read(lambda: self._database.rows(_N_REPEATS, study=study))[0][0])

    def trials(self, name: str, metrics: Sequence[str] = (), parts: Sequence[Part] = ("test",)) -> Columns:
        """Return the trials of a study as columns.

        Parameters
        ----------
        name : str
            The study.
        metrics : sequence of str
            The metrics whose values are read.
        parts : sequence of {"test", "training", "no_information"}
            The rows that the metrics were computed on.

        Returns
        -------
        dict of str, or of (part, metric), to array
            An element for each trial, sorted by data set, method and split. By name the fields of `TrialRecord` and of
            its `ref`, ``"fingerprint"`` of the rows, ``"recorded"`` in seconds since 1970, and ``"state"``, "done" or
            "failed"; trials of the same versions share one dict of them. Values are NaN where a trial failed, or the
            metric is undefined or not recorded.
        """
        study = self._id(name)
        return self._database.read(lambda: read_columns(self._database, self._names, study, metrics, parts))

    def predictions(self, name: str, dataset: str, method: str, *, prefix: str = "") -> list[tuple[int, bytes]]:
        """Return the predictions of a method on a data set, of the trials whose keys begin with a prefix.

        Returns
        -------
        list of tuples
            The number of each split and its Parquet file.
        """
        study = self._id(name)

        def read() -> list[tuple[int, bytes]]:
            ids = self._names.known_ids([dataset, method])
            if len(ids) < len({dataset, method}):
                return []
            rows = self._database.rows(_PREDICTIONS, study=study, dataset=ids[dataset], method=ids[method])
            return [(int(split), bytes(parquet)) for key, split, parquet in rows if key.startswith(prefix)]

        return self._database.read(read)


def _date(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
