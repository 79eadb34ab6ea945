"""Whatever can be fitted can be saved: tables with the columns that people have, by every method of `compare`."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from calibrant import load_model, save
from calibrant.studies._table_comparison.table_study import candidates

_EXAMPLES = 25 if os.environ.get("CALIBRANT_THOROUGH") else 1
_WORDS = ["late", "paid", "twice", "call", "again", "never", "asked", "refund", "sent", "lost", "parcel"]


def _text(random: np.random.Generator, n: int) -> list[str]:
    return [" ".join(random.choice(_WORDS, size=random.integers(3, 9))) for _ in range(n)]


def _with_gaps(values: pd.Series, random: np.random.Generator) -> pd.Series:
    return values.where(random.random(len(values)) > 0.2)


# The kinds of columns, each made of random numbers and a number of rows
_COLUMNS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "number": lambda random, n: random.normal(size=n),
    "number_with_gaps": lambda random, n: _with_gaps(pd.Series(random.normal(size=n)), random),
    "constant_number": lambda _, n: np.full(n, 7.0),
    "missing_number": lambda _, n: np.full(n, np.nan),
    "nominal": lambda random, n: random.choice(["u", "v", "w"], size=n),
    "constant": lambda _, n: ["USD"] * n,
    "constant_with_gaps": lambda random, n: _with_gaps(pd.Series(["USD"] * n), random),
    "empty_strings": lambda _, n: [""] * n,
    "missing_text": lambda _, n: pd.Series([None] * n, dtype=object),
    "missing_category": lambda _, n: pd.Categorical([None] * n),
    "unseen_category": lambda _, n: pd.Categorical(["a"] * n, ["a", "b", "c"]),
    "boolean": lambda random, n: random.random(n) < 0.5,
    "constant_boolean": lambda _, n: np.ones(n, dtype=bool),
    "boolean_with_gaps": lambda random, n: _with_gaps(pd.Series(random.random(n) < 0.5, dtype="boolean"), random),
    "date": lambda random, n: pd.Timestamp("2019-03-01") + pd.to_timedelta(random.integers(0, 900, n), unit="D"),
    "date_with_gaps": lambda random, n: _with_gaps(
        pd.Series(pd.Timestamp("2019-03-01 07:30") + pd.to_timedelta(random.integers(0, 90_000, n), unit="min")), random
    ),
    "constant_date": lambda _, n: pd.Series([pd.Timestamp("2020-02-29")] * n),
    "missing_date": lambda _, n: pd.Series([pd.NaT] * n, dtype="datetime64[ns]"),
    "text": lambda random, n: _text(random, n),
    "text_with_gaps": lambda random, n: _with_gaps(pd.Series(_text(random, n)), random),
}


@st.composite
def _tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    kinds = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=6))
    n_rows = draw(st.integers(24, 80))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = {f"{kind}{number}": _COLUMNS[kind](random, n_rows) for number, kind in enumerate(kinds)}
    if draw(st.booleans()):
        columns["copy"] = next(iter(columns.values()))
    y = np.resize(["no", "yes", "no"], n_rows)
    random.shuffle(y)
    return pd.DataFrame(columns), y


def _small(estimator: Any) -> Any:
    """Return a clone with few trees and a seed, so that many tables are tried."""
    few = {name: 8 for name in estimator.get_params() if name.endswith("n_trees")}
    seeds = {name: 0 for name in estimator.get_params() if name.endswith("random_state")}
    return clone(estimator).set_params(**few, **seeds)


def _check(estimator: Any, X: pd.DataFrame, y: np.ndarray) -> None:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        model = _small(estimator).fit(X, y)
        save(model, Path(folder) / "m.calibrant")
        before, after = model.predict_proba(X), load_model(Path(folder) / "m.calibrant").predict_proba(X)
    assert np.isfinite(before).all()
    assert np.array_equal(before, after)


@pytest.mark.parametrize("method", candidates())
@given(_tables())
@settings(max_examples=_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_fitted_is_saved_loaded_and_predicts_alike(method: str, table: tuple[pd.DataFrame, Any]) -> None:
    _check(candidates()[method], *table)


def _check_kinds(method: str, kinds: tuple[str, ...]) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({kind: _COLUMNS.get(kind, _COLUMNS["missing_date"])(random, 48) for kind in kinds})
    _check(candidates()[method], X, np.resize(["no", "yes", "no", "no"], 48))


@pytest.mark.parametrize("method", candidates())
def test_a_table_of_every_kind_is_fitted_and_saved(method: str) -> None:
    _check_kinds(method, tuple(_COLUMNS))


# A calibrated method fits the method itself to the same columns.
@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=pytest.mark.long if "calibrated" in name else ()) for name in candidates()]
)
@pytest.mark.parametrize("kinds", [("constant",), ("missing_text",), ("missing_date", "copy_of_it")])
def test_a_table_of_nothing_but_one_kind_is_fitted_and_saved(method: str, kinds: tuple[str, ...]) -> None:
    _check_kinds(method, kinds)
