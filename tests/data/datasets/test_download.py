"""Downloads without a network, and atomic writing of files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from calibrant.data import list_datasets, load
from calibrant.data._datasets import download, openml
from calibrant.data._datasets.download import write_atomically
from calibrant.exceptions import ParameterError, ReadError


def interrupted() -> Iterator[bytes]:
    yield b"half"
    raise KeyboardInterrupt


def test_an_interruption_leaves_what_was_there_and_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, interrupted())
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"before"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReadError, match=r"x\.json: cannot be written .*Set CALIBRANT_CACHE to a writable folder"):
        write_atomically(tmp_path / "file" / "x.json", [b"{}"])


def test_the_cache_is_where_the_environment_specifies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALIBRANT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert openml._cache_folder() == Path("/somewhere/calibrant")
    monkeypatch.setenv("CALIBRANT_CACHE", "/elsewhere")
    assert openml._cache_folder() == Path("/elsewhere")


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/x", "/no/scheme", "file:///somewhere", "http://", "http://[", "http://:80"]
)
def test_only_http_servers_are_accepted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALIBRANT_OPENML_URL", url)
    with pytest.raises(ParameterError, match="CALIBRANT_OPENML_URL must be an http or https address"):
        load("openml:7")


def test_an_impossible_address_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALIBRANT_OPENML_URL", f"http://{'a' * 70}.org")
    with pytest.raises(ReadError, match="is not a valid address"):
        load("openml:7")


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize(
    ("variable", "value"),
    [("CALIBRANT_OPENML_URL", "nonsense"), ("CALIBRANT_OPENML_URL", "http://["), ("CALIBRANT_CACHE", "~no_such_user")],
)
def test_the_list_needs_no_openml(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    assert list_datasets().to_frame().loc["adult", "where"] == "OpenML"
    with pytest.raises(ParameterError, match=variable):
        load("adult")


@pytest.mark.usefixtures("no_home")
def test_offline_the_error_names_the_sources_tried_and_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_RETRY_DELAYS", (0.0, 0.0))
    tried = r"adult is not available: CALIBRANT_DATA is not set, calibrant and scikit-learn do not include it"
    with pytest.raises(ReadError, match=rf"{tried}.*Set CALIBRANT_DATA to a folder.*http://127\.0\.0\.1:9.*3 attempts"):
        load("caruana.adult")


def test_the_delays_between_three_attempts_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with pytest.raises(ReadError, match="3 attempts"):
        load("openml:7")
    assert slept == [0.5, 2.0]
