"""Trials for the tests of the store."""

from __future__ import annotations

from typing import Any

from calibrant.studies._trials.records import TrialRecord, TrialRef

STUDY = "trees"


def key_of(number: int) -> str:
    return f"{number:032x}"


def make_record(number: int, *, by: str = "first", **changes: Any) -> TrialRecord:
    """Return a trial: ten data sets, splits of one method."""
    ref = TrialRef(key_of(number), f"data {number % 10}", "tree", number // 10)
    fields: dict[str, Any] = {
        "token": f"{by} {number}",
        "split_name": f"fold {number // 10}",
        "seed": number,
        "versions": {"calibrant": "0.1.0", "python": "3.11"},
        "data_fingerprint": f"digest {number % 10}",
        "n_train": 90,
        "n_test": 10,
        "fit_seconds": 0.5,
        "predict_seconds": 0.25,
        "scores": {"test": {"brier": number / 7, "auc": float("nan")}, "training": {"brier": 0.0}},
    }
    return TrialRecord(ref=ref, **{**fields, **changes})
