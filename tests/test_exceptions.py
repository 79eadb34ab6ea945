"""Every error is also the built-in one a caller would expect, pickles, and keeps its words."""

from __future__ import annotations

import pickle
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant import exceptions
from calibrant.exceptions import (
    CalibrantError,
    CalibrantWarning,
    DataError,
    DataTypeError,
    MissingExtraError,
    MissingFileError,
    ParameterError,
    ReadError,
    SchemaError,
    nearest,
)

names = [getattr(exceptions, name) for name in exceptions.__all__]
ERRORS = [item for item in names if isinstance(item, type)]


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_can_be_made_without_its_words_as_dask_does(kind: type[Exception]) -> None:
    assert type(kind.__new__(kind)) is kind


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_pickles_with_its_type_and_words(kind: type[Exception]) -> None:
    again = pickle.loads(pickle.dumps(kind("what went wrong")))  # noqa: S301
    assert type(again) is kind
    assert str(again) == "what went wrong"


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (ParameterError, ValueError),
        (DataError, ValueError),
        (SchemaError, ValueError),
        (ReadError, ValueError),
        (MissingFileError, FileNotFoundError),
        (DataTypeError, TypeError),
        (MissingExtraError, ImportError),
        (CalibrantWarning, UserWarning),
    ],
)
def test_an_error_is_also_its_builtin(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)


def test_every_error_is_a_calibrant_error() -> None:
    assert all(issubclass(kind, (CalibrantError, CalibrantWarning)) for kind in ERRORS)


def test_every_error_but_the_root_is_a_builtin_that_callers_know() -> None:
    builtins = (ValueError, TypeError, ImportError, OSError, RuntimeError, UserWarning)
    assert [kind for kind in ERRORS if not issubclass(kind, builtins)] == [CalibrantError]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({}, "a.csv: is empty."),
        ({"line": 1}, "a.csv, line 1: is empty."),
        ({"column": "age"}, "a.csv, column 'age': is empty."),
        ({"line": 7, "column": "age", "hint": "Correct it."}, "a.csv, line 7, column 'age': is empty. Correct it."),
    ],
)
def test_a_read_error_says_where_what_and_what_to_do(place: dict[str, object], words: str) -> None:
    assert str(ReadError.at(Path("a.csv"), "is empty", **place)) == words  # type: ignore[arg-type]


def test_a_read_error_made_with_a_place_pickles() -> None:
    error = ReadError.at("a.csv", "is empty", line=7)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301


def test_the_nearest_option_keeps_its_own_type() -> None:
    assert nearest("incomes", ["age", "income"]) == " Did you mean 'income'?"
    assert nearest("1997", [1997, 2024]) == " Did you mean 1997?"


def test_nothing_is_near_in_an_empty_list_or_to_something_else() -> None:
    assert nearest("income", []) == ""
    assert nearest("income", ["zzz"]) == ""


@given(st.lists(st.text(string.ascii_lowercase, min_size=1), min_size=1))
def test_an_option_is_nearest_to_itself(options: list[str]) -> None:
    assert nearest(options[0], options) == f" Did you mean {options[0]!r}?"


@pytest.mark.parametrize(
    ("written", "options", "meant"),
    [
        ("AUC", ["auc", "mcc"], "auc"),
        ("Log-Loss", ["auc", "log_loss"], "log_loss"),
        ("isotonic regression", ["isotonic", "platt"], "isotonic"),
        ("sigmoid", ["isotonic", "platt"], "platt"),
        ("n_estimators", ["n_bins", "n_trees"], "n_trees"),
    ],
)
def test_the_nearest_option_is_found_whatever_its_case_and_under_the_names_of_scikit_learn(
    written: str, options: list[str], meant: str
) -> None:
    assert nearest(written, options) == f" Did you mean {meant!r}?"


def test_the_names_of_scikit_learn_are_suggested_only_where_ours_exist() -> None:
    assert nearest("n_estimators", ["zzz"]) == ""
