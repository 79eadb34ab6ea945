"""A store whose content makes no sense is an error that says so, never other numbers."""

from __future__ import annotations

import io
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.exceptions import StoreError
from calibrant.studies import Study


def make(store: Path) -> Study:
    X = np.random.default_rng(0).normal(size=(30, 2))
    return Study(
        "study",
        datasets={"noise": (X, (X[:, 0] > 0).astype(int))},
        methods={"bayes": NaiveBayesClassifier()},
        plan=3,
        metrics=["mse"],
        store=store,
        keep_predictions=True,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of a study that has run."""
    store = tmp_path_factory.mktemp("whole") / "studies.db"
    make(store).run()
    return store


@pytest.fixture
def study(whole: Path, tmp_path: Path) -> Study:
    shutil.copy(whole, tmp_path / "studies.db")
    return make(tmp_path / "studies.db")


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


def of_another_program(_: bytes) -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"x": [1]}).to_parquet(buffer)
    return buffer.getvalue()


def flipped(parquet: bytes) -> bytes:
    """Change a byte in the middle."""
    third = len(parquet) // 3
    return parquet[:third] + bytes([parquet[third] ^ 255]) + parquet[third + 1 :]


@pytest.mark.parametrize(
    "damage",
    [flipped, of_another_program, lambda _: b"", lambda _: b"PAR1 broken PAR1"],
    ids=lambda each: each.__name__,
)
def test_damaged_predictions_are_an_error(study: Study, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        ((number, parquet),) = connection.execute("SELECT trial, parquet FROM calibrant_predictions LIMIT 1").fetchall()
        connection.execute("UPDATE calibrant_predictions SET parquet = ? WHERE trial = ?", (damage(parquet), number))
    connection.close()
    with pytest.raises(StoreError, match="predictions of a trial cannot be read"):
        study.predictions("bayes")
