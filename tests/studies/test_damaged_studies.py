"""A store whose content makes no sense is an error that says so, never other numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.exceptions import StoreError
from calibrant.studies import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    found = Study(
        "study",
        datasets={"noise": (X, (X[:, 0] > 0).astype(int))},
        methods={"bayes": NaiveBayesClassifier()},
        plan=3,
        metrics=["mse"],
        store=tmp_path / "studies.db",
        keep_predictions=True,
    )
    found.run()
    return found


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE calibrant_trials SET method = -92 WHERE split = 1",
        "UPDATE calibrant_trials SET n_test = 'many' WHERE split = 1",
        "UPDATE calibrant_trials SET recorded = -9.5e17 WHERE split = 1",
        "UPDATE calibrant_scores SET value = 'good'",
        "UPDATE calibrant_names SET name = '{' WHERE name LIKE '{%'",
        "UPDATE calibrant_studies SET definition = substr(definition, 1, 100)",
    ],
)
def test_what_makes_no_sense_is_an_error(study: Study, tmp_path: Path, change: str) -> None:
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(StoreError, match=r"what is stored makes no sense .* Restore a backup"):
        study.to_frame()


def test_damaged_predictions_are_an_error(study: Study, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        ((number, parquet),) = connection.execute("SELECT trial, parquet FROM calibrant_predictions LIMIT 1").fetchall()
        damaged = bytearray(parquet)
        damaged[len(parquet) // 3] ^= 255
        connection.execute("UPDATE calibrant_predictions SET parquet = ? WHERE trial = ?", (damaged, number))
    connection.close()
    with pytest.raises(StoreError, match="predictions of a trial cannot be read"):
        study.predictions("bayes")
