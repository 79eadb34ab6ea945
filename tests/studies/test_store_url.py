"""The `store` parameter: paths and URLs."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from tests.studies.bad_study import make_study

from calibrant.exceptions import MissingExtraError, ParameterError, StoreError
from calibrant.studies import Study, list_studies


def url_of(store: object) -> str:
    """Return the store of a study as the study shows it."""
    return Study("s", datasets=["iris"], methods={"nb": "NaiveBayesClassifier"}, store=store).store  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "store", ["results.db", Path("results.db"), "sqlite:///results.db", "sqlite+pysqlite:///results.db"]
)
def test_a_path_and_an_sqlite_url_mean_a_file_of_the_working_folder(
    store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert url_of(store) == f"sqlite:///{tmp_path}/results.db"


def test_a_store_is_found_again_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = make_study(".", store="results.db")
    monkeypatch.chdir("/")
    study.run()
    assert [each.name for each in list_studies(tmp_path / "results.db")] == ["study"]


def test_four_slashes_begin_an_absolute_path_and_a_home_folder_is_expanded() -> None:
    assert url_of("sqlite:////data/results.db") == "sqlite:////data/results.db"
    assert url_of("~/results.db") == f"sqlite:///{Path.home()}/results.db"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_postgresql_url_is_shown_without_its_passwords(scheme: str) -> None:
    url = "{}://ada:{}@127.0.0.1:1/studies?connect_timeout=1&password={}"
    assert url_of(url.format(scheme, "se@cret", "other")) == url.format(scheme, "***", "***")
    with pytest.raises(StoreError, match="no connection to PostgreSQL") as caught:
        list_studies(url.format(scheme, "secret", "secret"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["mysql://ada:secret@host/x", "oracle://x", "mongodb://x", "postgresql+psycopg2://ada:secret@x/y", "://x"]
)
def test_other_databases_are_refused_with_the_two_that_exist(url: str) -> None:
    with pytest.raises(ParameterError, match=r"The databases there are: sqlite, postgresql") as caught:
        url_of(url)
    assert "secret" not in str(caught.value)


def test_a_misspelled_database_suggests_the_right_one() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'postgresql'"):
        url_of("postgressql://host/x")


@pytest.mark.parametrize("store", [None, 3, "", "  ", b"results.db", ["results.db"]])
def test_what_is_no_text_and_no_path_is_refused(store: object) -> None:
    with pytest.raises(ParameterError, match="store must be the path of a file"):
        url_of(store)


@pytest.mark.parametrize("store", ["sqlite://", "sqlite:///", "sqlite:///:memory:", ":memory:"])
def test_a_database_in_memory_is_refused(store: str) -> None:
    with pytest.raises(ParameterError, match=r"in memory|three slashes"):
        url_of(store)


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("sqlite://results.db", "three slashes"),
        ("sqlite:///results.db?timeut=3", r"options timeout and max_pages; got 'timeut'\. Did you mean 'timeout'"),
        ("sqlite:///results.db?timeout=soon", "timeout in an SQLite URL must be a number >= 0; got 'soon'"),
        ("a\0b", "NUL"),
    ],
)
def test_a_malformed_url_is_an_error_that_says_how(store: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        url_of(store)


def test_a_study_with_its_store_can_be_sent_to_another_process(tmp_path: Path) -> None:
    study = Study("s", datasets=["iris"], methods={"nb": "NaiveBayesClassifier"}, store=tmp_path / "results.db")
    assert pickle.loads(pickle.dumps(study)).store == study.store  # noqa: S301


def test_sqlalchemy_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "calibrant\[studies\]"'):
        make_study(tmp_path).run()
