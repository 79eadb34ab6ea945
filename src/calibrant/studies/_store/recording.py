"""A finished trial becomes one commit: the first one of a key wins, and a record sent twice is known by its token."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

from calibrant.studies._store.catalogue import Catalogue
from calibrant.studies._store.columns import PARTS

if TYPE_CHECKING:
    from calibrant.studies._store.database import Step
    from calibrant.studies._store.leases import Worker
    from calibrant.studies._trials.records import TrialRecord

__all__ = ["Recorded", "Recorder"]

Recorded = Literal["recorded", "supplemented", "already there"]


_ADD_TRIAL = """
INSERT INTO calibrant_trials
    (study, key, token, dataset, fingerprint, method, split, split_name, seed, versions, n_train, n_test,
    fit_seconds, predict_seconds, shared_seconds, n_sharing, choice, error, recorded, worker)
VALUES (:study, :key, :token, :dataset, :fingerprint, :method, :split, :split_name, :seed, :versions, :n_train, :n_test,
    :fit_seconds, :predict_seconds, :shared_seconds, :n_sharing, :choice, :error, $NOW, :worker)
ON CONFLICT (study, key) DO NOTHING
"""
# The trial is found by its token: nothing is added to one that another computation recorded.
_ADD_SCORE = """
INSERT INTO calibrant_scores (trial, metric, part, value)
SELECT t.id, CAST(:metric AS BIGINT), CAST(:part AS SMALLINT), CAST(:value AS DOUBLE PRECISION)
FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key AND t.token = :token
ON CONFLICT (trial, metric, part) DO NOTHING
"""
_ADD_PREDICTIONS = """
INSERT INTO calibrant_predictions (trial, parquet)
SELECT t.id, :parquet FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key AND t.token = :token
ON CONFLICT (trial) DO NOTHING
"""
# The same in one statement, for a database whose queries may write; the trial is seen by its number only.
_ADD_WHOLE = """
WITH added AS ($ADD_TRIAL RETURNING id),
scored AS (
    INSERT INTO calibrant_scores (trial, metric, part, value)
    SELECT added.id, s.metric, s.part, s.value FROM added, unnest(
        CAST(:metrics AS BIGINT[]), CAST(:parts AS SMALLINT[]), CAST(:values AS DOUBLE PRECISION[])
    ) AS s(metric, part, value)
),
predicted AS (
    INSERT INTO calibrant_predictions (trial, parquet)
    SELECT added.id, CAST(:parquet AS BYTEA) FROM added WHERE CAST(:parquet AS BYTEA) IS NOT NULL
),
unclaimed AS (DELETE FROM calibrant_claims WHERE study = :study AND key = :key)
SELECT id FROM added
""".replace("$ADD_TRIAL", _ADD_TRIAL)
_END_CLAIM = "DELETE FROM calibrant_claims WHERE study = :study AND key = :key"
_FIND = "SELECT id, token, error IS NOT NULL FROM calibrant_trials WHERE study = :study AND key = :key"
_ADD_REPEAT = """
INSERT INTO calibrant_repeats (study, key, token, worker, recorded)
VALUES (:study, :key, :token, :worker, $NOW) ON CONFLICT (study, key, token) DO NOTHING
"""
_ADD_SUPPLEMENT = """
INSERT INTO calibrant_supplements (trial, token, versions, worker, recorded)
SELECT t.id, :token, CAST(:versions AS BIGINT), CAST(:worker AS BIGINT), $NOW
FROM calibrant_trials AS t WHERE t.study = :study AND t.key = :key
"""
_FIND_SUPPLEMENT = """
SELECT 1 FROM calibrant_supplements AS s JOIN calibrant_trials AS t ON t.id = s.trial
WHERE t.study = :study AND t.key = :key AND s.token = :token
"""


class Recorder(Catalogue):
    """Writes trials."""

    def record(self, name: str, worker: Worker, record: TrialRecord) -> Recorded:
        """Commit a finished trial and end its claim.

        Returns
        -------
        {"recorded", "supplemented", "already there"}
            "supplemented": the trial was there, and only the metrics or predictions that it lacked were added;
            "already there": nothing was added. This counts as computed twice, unless the token is the same.
        """
        row, scores = self._row(self._id(name), worker.id, record), list(self._scores(record))
        while True:
            sent = self._database.write_steps(self._steps(row, scores, record.predictions))
            if sent.results[0].n_changed:
                return "recorded"
            outcome = self._database.write(partial(self._supplement, row, record, scores))
            if outcome == "sent before" and sent.n_attempts > 1:
                return "recorded"  # by an attempt whose commit was not confirmed
            if outcome != "removed":
                return "already there" if outcome == "sent before" else outcome

    def _steps(self, row: dict[str, Any], scores: list[dict[str, Any]], predictions: bytes | None) -> list[Step]:
        """Return what writes a trial; the first step changes one row, or none if the key has a trial."""
        if self._database.nests_writes:
            columns = {f"{name}s": [score[name] for score in scores] for name in ("metric", "part", "value")}
            return [(_ADD_WHOLE, {**row, **columns, "parquet": predictions})]
        trial = {name: row[name] for name in ("study", "key", "token")}
        steps: list[Step] = [(_ADD_TRIAL, row)]
        if scores:
            steps.append((_ADD_SCORE, [{**trial, **score} for score in scores]))
        if predictions is not None:
            steps.append((_ADD_PREDICTIONS, {**trial, "parquet": predictions}))
        return [*steps, (_END_CLAIM, trial)]

    def _supplement(
        self, row: dict[str, Any], record: TrialRecord, scores: list[dict[str, Any]]
    ) -> Recorded | Literal["sent before", "removed"]:
        """Add what it lacks to the trial that another computation recorded."""
        database = self._database
        trial = {name: row[name] for name in ("study", "key", "token")}
        database.lock(row["study"])
        if database.rows(_FIND_SUPPLEMENT, **trial):
            return "supplemented"
        found = database.rows(_FIND, study=row["study"], key=row["key"])
        if not found or found[0][1] == record.token:
            return "sent before" if found else "removed"
        n_added = 0
        if not found[0][2] and not record.is_failed:
            owner = {**trial, "token": found[0][1]}
            n_added = sum(database.execute(_ADD_SCORE, {**owner, **score}).rowcount for score in scores)
            if record.predictions is not None:
                n_added += database.execute(_ADD_PREDICTIONS, {**owner, "parquet": record.predictions}).rowcount
        origin = {**trial, "worker": row["worker"]}
        if n_added:
            database.execute(_ADD_SUPPLEMENT, {**origin, "versions": row["versions"]})
            return "supplemented"
        database.execute(_ADD_REPEAT, origin)
        return "already there"

    def _row(self, study: int, worker: int, record: TrialRecord) -> dict[str, Any]:
        ref, versions = record.ref, _versions_text(tuple(record.versions.items()))
        texts = (ref.dataset, ref.method, record.data_fingerprint, record.split_name, record.choice, versions)
        ids = self._names.ids(texts)
        return {
            "study": study,
            "key": ref.key,
            "token": record.token,
            "dataset": ids[ref.dataset],
            "fingerprint": ids[record.data_fingerprint],
            "method": ids[ref.method],
            "split": int(ref.split),
            "split_name": ids[record.split_name],
            "seed": None if record.seed is None else int(record.seed),
            "versions": ids[versions],
            "n_train": int(record.n_train),
            "n_test": int(record.n_test),
            "fit_seconds": float(record.fit_seconds),
            "predict_seconds": float(record.predict_seconds),
            "shared_seconds": float(record.shared_seconds),
            "n_sharing": int(record.n_sharing),
            "choice": ids[record.choice],
            "error": _storable(record.error) if record.error else None,
            "worker": worker,
        }

    def _scores(self, record: TrialRecord) -> Iterator[dict[str, Any]]:
        ids = self._names.ids({metric for scores in record.scores.values() for metric in scores})
        for part, scores in record.scores.items():
            for metric, value in scores.items():
                number = float(value)
                yield {
                    "metric": ids[metric],
                    "part": PARTS[part],
                    "value": None if math.isnan(number) else number,
                }


@lru_cache(maxsize=100)
def _versions_text(versions: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(versions), sort_keys=True, ensure_ascii=False)


def _storable(text: str) -> str:
    """Return a traceback without what PostgreSQL cannot keep: NUL characters and unpaired surrogates."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
