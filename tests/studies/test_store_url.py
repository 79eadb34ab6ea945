"""The `store` parameter: paths and URLs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from calibrant.exceptions import MissingExtraError, ParameterError
from calibrant.studies._store.read_url import read_store_url
from calibrant.studies._store.store import Store


@pytest.mark.parametrize(
    "store", ["results.db", Path("results.db"), "sqlite:///results.db", "sqlite+pysqlite:///results.db"]
)
def test_a_path_and_an_sqlite_url_mean_a_file_of_the_working_folder(
    store: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = read_store_url(store)
    assert (address.dialect, address.path) == ("sqlite", tmp_path / "results.db")


def test_a_store_is_found_again_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open("results.db") as store:
        monkeypatch.chdir("/")
        store.save_definition("trees", {})
        assert store.url == f"sqlite:///{tmp_path / 'results.db'}"


def test_four_slashes_begin_an_absolute_path() -> None:
    assert read_store_url("sqlite:////data/results.db").path == Path("/data/results.db")


def test_a_home_folder_is_expanded() -> None:
    assert read_store_url("~/results.db").path == Path.home() / "results.db"


def test_options_of_sqlite_are_read_from_the_url() -> None:
    address = read_store_url("sqlite:///results.db?timeout=2.5&max_pages=100")
    assert (address.timeout, address.max_pages) == (2.5, 100)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_postgresql_url_uses_psycopg_3(scheme: str) -> None:
    address = read_store_url(f"{scheme}://ada:se@cret@host:5433/studies?sslmode=require&password=other")
    assert address.url == "postgresql+psycopg://ada:se@cret@host:5433/studies?sslmode=require&password=other"
    assert address.shown == f"{scheme}://ada:***@host:5433/studies?sslmode=require&password=***"
    assert "cret" not in repr(address)
    assert "other" not in repr(address)


@pytest.mark.parametrize(
    "url", ["mysql://ada:secret@host/x", "oracle://x", "mongodb://x", "postgresql+psycopg2://ada:secret@x/y", "://x"]
)
def test_other_databases_are_refused_with_the_two_that_exist(url: str) -> None:
    with pytest.raises(ParameterError, match=r"The databases there are: sqlite, postgresql") as caught:
        read_store_url(url)
    assert "secret" not in str(caught.value)


def test_a_misspelled_database_suggests_the_right_one() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'postgresql'"):
        read_store_url("postgressql://host/x")


@pytest.mark.parametrize("store", [None, 3, "", "  ", b"results.db", ["results.db"]])
def test_what_is_no_text_and_no_path_is_refused(store: object) -> None:
    with pytest.raises(ParameterError, match="store must be the path of a file"):
        read_store_url(store)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", ["sqlite://", "sqlite:///", "sqlite:///:memory:", ":memory:"])
def test_a_database_in_memory_is_refused(store: str) -> None:
    with pytest.raises(ParameterError, match=r"in memory|three slashes"):
        read_store_url(store)


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
        read_store_url(store)


def test_an_address_can_be_sent_to_another_process() -> None:
    address = read_store_url("sqlite:////data/results.db")
    assert pickle.loads(pickle.dumps(address)) == address  # noqa: S301


def test_importing_the_store_imports_no_database() -> None:
    script = "import sys, calibrant.studies._store; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert {"sqlalchemy", "psycopg", "sqlite3"} & set(done.stdout.split()) == set(), done.stderr


def test_sqlalchemy_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "calibrant\[studies\]"'):
        Store.open(tmp_path / "results.db")
