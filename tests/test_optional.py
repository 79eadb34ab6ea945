"""A missing optional package raises an error with the command that installs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from calibrant._optional import optional_import
from calibrant.exceptions import MissingExtraError


def test_a_package_that_is_there_is_imported() -> None:
    import json.decoder

    assert optional_import("json.decoder", extra="data", purpose="read JSON") is json.decoder


def test_a_missing_package_is_named_with_its_purpose_and_the_command() -> None:
    with pytest.raises(MissingExtraError) as caught:
        optional_import("no_such.part", extra="plots", purpose="draw")
    assert str(caught.value) == 'no_such is needed to draw: pip install "calibrant[plots]"'
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_a_package_blocked_by_the_caller_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "json", None)
    with pytest.raises(ImportError, match="json is needed to"):
        optional_import("json", extra="data", purpose="read JSON")


def test_a_package_that_fails_to_import_keeps_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_on_import.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ZeroDivisionError):
        optional_import("broken_on_import", extra="data", purpose="read")
