"""Stores, definitions and data sets that are not as they should be: a clear error, and nothing finished is lost."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.studies.bad_methods import BaseRates
from tests.studies.bad_study import make_rows, make_study, scores_of
from tests.studies.postgres_server import PostgresServer

from calibrant.bayes import NaiveBayesClassifier
from calibrant.exceptions import CalibrantError, StoreError, StudyChangedError
from calibrant.studies import Study, list_studies

# Stores


def test_a_store_in_a_folder_that_cannot_be_written_is_an_error_with_the_remedy() -> None:
    with pytest.raises(StoreError, match=r"cannot be written by this user.*Choose another folder"):
        make_study("/proc").run()


def test_a_locked_file_is_waited_for_and_then_an_error(tmp_path: Path) -> None:
    study = make_study(tmp_path, store=f"sqlite:///{tmp_path}/studies.db?timeout=0.3")
    study.run()
    before = scores_of(study)
    more = make_study(tmp_path, metrics=["mse", "auc"], store=f"sqlite:///{tmp_path}/studies.db?timeout=0.3")
    with sqlite3.connect(tmp_path / "studies.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"has been locked for 0\.3 s.*Another process is writing"):
            more.run(update=True)
        other.execute("ROLLBACK")
    other.close()
    assert scores_of(study) == before
    assert more.run(update=True).is_complete


def test_a_file_that_is_locked_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    study.run()
    more = make_study(tmp_path, metrics=["mse", "auc"])
    other = sqlite3.connect(tmp_path / "studies.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.5, lambda: other.execute("ROLLBACK"))
    release.start()
    begin = time.monotonic()
    assert more.run(update=True).is_complete
    assert time.monotonic() - begin >= 0.4
    release.join()
    other.close()


@pytest.mark.parametrize("content", [b"not a database" * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_file_that_is_no_store_is_left_unchanged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "studies.db").write_bytes(content)
    study = make_study(tmp_path)
    for query in (study.run, study.status, study.to_frame, lambda: list_studies(tmp_path / "studies.db")):
        with pytest.raises(StoreError, match=r"not an SQLite database|damaged"):
            query()
    assert (tmp_path / "studies.db").read_bytes() == content


def test_a_truncated_store_is_an_error_and_stays_as_it_is(tmp_path: Path) -> None:
    study = make_study(tmp_path, keep_predictions=True, plan=10)
    study.run()
    path = tmp_path / "studies.db"
    content = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        study.run()
    assert path.read_bytes() == content


def test_a_server_that_goes_away_between_runs_is_an_error_and_then_all_is_there(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    study = make_study(tmp_path, store=postgres_url)
    study.run()
    before = scores_of(study)
    postgres_server.stop()
    try:
        with pytest.raises(StoreError, match="no connection to PostgreSQL"):
            study.run()
        with pytest.raises(StoreError, match="no connection to PostgreSQL"):
            study.status()
    finally:
        postgres_server.start()
    assert scores_of(study) == before
    assert study.run().is_complete


def test_a_store_that_is_deleted_while_a_study_runs_is_an_error(tmp_path: Path) -> None:
    class Deletes(BaseRates):
        def misbehave(self) -> None:
            for path in tmp_path.glob("studies.db*"):
                path.unlink()

    with pytest.raises(StoreError, match="deleted, moved or replaced"):
        make_study(tmp_path, bad=Deletes()).run()


# Definitions


def recomputed(before: pd.DataFrame, after: pd.DataFrame) -> int:
    """Return the number of trials that were not there before, or recorded again."""
    old, new = (set(zip(each["key"], each["recorded"], strict=True)) for each in (before, after))
    return len(new - old)


CHANGES: list[tuple[str, dict[str, Any], int, str]] = [
    ("a method more", {"bad": NaiveBayesClassifier(m=2.0)}, 3, "bad"),
    ("another plan", {"plan": 4}, 8, "plan"),
    ("other rows", {"datasets": {"noise": make_rows(seed=1)}}, 6, "noise"),
    ("a data set more", {"datasets": {"noise": make_rows(), "more": make_rows(seed=1)}}, 6, "more"),
    ("another seed", {"seed": 1}, 6, "seed"),
    ("a metric more", {"metrics": ["mse", "auc"]}, 0, "auc"),
    ("predictions", {"keep_predictions": True}, 0, "predictions"),
    ("training metrics", {"training_metrics": True}, 0, "training rows"),
    ("a method less", {"methods": {"rates": BaseRates()}}, 0, "bayes"),
    ("a metric less", {"metrics": ["auc"]}, 0, "mse"),
]


@pytest.mark.parametrize(
    ("changes", "n_new", "word"), [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES]
)
@pytest.mark.sample(3)
def test_a_changed_study_says_what_differs_and_keeps_what_counts(
    tmp_path: Path, changes: dict[str, Any], n_new: int, word: str
) -> None:
    first = make_study(tmp_path)
    first.run()
    before, changed = first.to_frame(), make_study(tmp_path, **changes)
    with pytest.raises(StudyChangedError, match=rf"(?s){word}.*update=True"):
        changed.run()
    assert first.to_frame().equals(before)
    status = changed.run(update=True)
    assert status.is_complete
    assert status.n_computed_twice == 0
    assert recomputed(before, changed.to_frame()) == n_new
    assert first.run(update=True).is_complete
    assert first.to_frame()["mse"].tolist() == before["mse"].tolist()


def test_only_missing_metrics_are_added(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    study.run()
    before = scores_of(study)
    more = make_study(tmp_path, metrics=["mse", "auc", "log_loss"], keep_predictions=True)
    more.run(update=True)
    assert len(more.to_frame()) == 6
    assert scores_of(more) == before
    at_once = make_study(tmp_path, "at once", metrics=["mse", "auc", "log_loss"])
    at_once.run()
    for metric in ("auc", "log_loss"):
        assert scores_of(more, metric) == scores_of(at_once, metric)
    assert len(more.predictions("bayes").row) == 40


@pytest.mark.parametrize("name", ["Bäume 🌳", "树", "a'b\"c;--", "  spaces  ", "x" * 300, "../../etc"])
def test_names_may_be_any_text(tmp_path: Path, name: str) -> None:
    study = make_study(
        tmp_path,
        name,
        datasets={name: make_rows()},
        methods={name: BaseRates()},
        metrics={name: lambda y_true, y_prob: 0.25},  # noqa: ARG005
    )
    assert study.run().is_complete
    assert study.table(name).loc[name, name] == 0.25
    assert [each.name for each in list_studies(tmp_path / "studies.db")] == [name]
    assert Study.open(name, tmp_path / "studies.db").status().is_complete


@pytest.mark.parametrize("name", ["", "\0", "\ud800", None, 3])
def test_names_that_cannot_be_stored_are_errors_at_once(tmp_path: Path, name: Any) -> None:
    for part in ("name", "methods", "datasets"):
        parts: dict[str, Any] = {"methods": {name: BaseRates()}, "datasets": {name: make_rows()}, "name": name}
        with pytest.raises((CalibrantError, TypeError), match=r"name|must be"):
            make_study(tmp_path, **{part: parts[part]}).run()
    assert not (tmp_path / "studies.db").exists()


def test_two_thousand_methods_are_planned(tmp_path: Path) -> None:
    methods = {f"method {i}": NaiveBayesClassifier(m=1 + i / 1000) for i in range(2000)}
    status = make_study(tmp_path, methods=methods, plan=2).run(stop_after=lambda: True)
    assert (status.n_trials, status.n_missing) == (4000, 4000)


# Data sets


def test_a_data_set_without_rows_is_an_error_that_names_it(tmp_path: Path) -> None:
    X, y = make_rows()
    with pytest.raises(CalibrantError, match=r"data set 'empty': X has 0 sample"):
        make_study(tmp_path, datasets={"noise": (X, y), "empty": (X[:0], y[:0])}).run()


def write_rows(path: Path, seed: int) -> None:
    X, y = make_rows(seed=seed)
    pd.DataFrame(X, columns=["a", "b"]).assign(outcome=y).to_csv(path, index=False)


def test_a_file_that_was_rewritten_is_a_changed_study(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    write_rows(file, 0)
    study = make_study(tmp_path, datasets={"rows": str(file)})
    study.run()
    before = scores_of(study)
    write_rows(file, 1)
    with pytest.raises(StudyChangedError, match=r"rows"):
        study.run()
    assert scores_of(study) == before
    assert study.run(update=True).is_complete
    assert scores_of(study) != before
    write_rows(file, 0)
    assert study.run(update=True).is_complete
    assert scores_of(study) == before


@pytest.mark.parametrize("workers", [None, 1])
@pytest.mark.sample(2)
def test_a_file_that_is_rewritten_while_the_study_runs_does_not_mix_rows(tmp_path: Path, workers: int | None) -> None:
    file = tmp_path / "rows.csv"
    write_rows(file, 0)
    make_study(tmp_path, "other", datasets={"rows": str(file)}, bad=BaseRates()).run()

    class Rewrites(BaseRates):
        def misbehave(self) -> None:
            write_rows(file, 1)

    study = make_study(tmp_path, datasets={"rows": str(file)}, bad=Rewrites())
    study.run(workers=workers)
    assert scores_of(study) == scores_of(Study.open("other", tmp_path / "studies.db"))
    with pytest.raises(StudyChangedError, match="rows"):
        study.run()
