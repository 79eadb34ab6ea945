"""`compare_table` by time, by a plan in words, and with a table kept apart."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.exceptions import DataError, ParameterError
from calibrant.studies import Study, TableComparison, compare_table

METHODS = ["naive Bayes", "tree"]


def table(n_rows: int = 240, seed: int = 0) -> pd.DataFrame:
    """Return rows in random order whose base rate rises with the year."""
    rng = np.random.default_rng(seed)
    year = rng.integers(2015, 2024, n_rows)
    late = rng.random(n_rows) < 0.1 + 0.08 * (year - 2015)
    return pd.DataFrame({"year": year, "x": late + rng.normal(size=n_rows), "late": np.where(late, "yes", "no")})


def compare(folder: Path, rows: Any, **options: Any) -> TableComparison:
    return compare_table(rows, target="late", methods=METHODS, store=folder / "s.db", **options)


def test_years_are_never_split_and_the_study_can_be_opened_again(tmp_path: Path) -> None:
    rows = table()
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = compare(tmp_path, tmp_path / "rows.csv", time="year")
    held_out = found.held_out
    by_part = rows["year"].to_numpy()[held_out["row"]]
    parts = [set(by_part[held_out["split"] == part]) for part in sorted(set(held_out["split"]))]
    assert all(max(one) < min(other) for one, other in itertools.pairwise(parts))
    assert list(found.table.X) == ["x"]
    assert found.latest is not None
    assert found.latest.n_rows == int((held_out["split"] == held_out["split"].max()).sum())
    assert Study.open(found.study.name, tmp_path / "s.db").status().n_missing == 0


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("4x2", "2 times 4-fold cross-validation, stratified"),
        (3, "3-fold cross-validation, stratified"),
        ("holdout 40%", "holdout of 40 % of the rows, stratified"),
        ("time 3", "trained on the past, tested on what follows, at 3 moments"),
        ("632", ".632 bootstrap, 50 draws"),
    ],
)
def test_the_plan_is_the_one_in_words(tmp_path: Path, plan: Any, words: str) -> None:
    assert compare(tmp_path, table(120), plan=plan).plan == words


def test_a_table_kept_apart_is_not_learned_from(tmp_path: Path) -> None:
    rows, apart = table(seed=1), table(80, seed=2)
    alone, tested = (compare(tmp_path, rows, test=test, plan="5") for test in (None, apart))
    assert [each.value for each in tested.ranking] == [each.value for each in alone.ranking]
    assert tested.test is not None
    assert tested.expected == (tested.test.value, tested.test.low, tested.test.high)
    proba = tested.model.predict_proba(apart[["year", "x"]])
    actual = proba[np.arange(80), (apart["late"] == "yes").to_numpy().astype(int)]
    assert tested.test.value == pytest.approx(-np.log(actual).mean())
    assert "kept apart; by the plan it was" in " ".join(repr(tested).split())


def test_a_class_that_comes_last_cannot_be_split_by_time(tmp_path: Path) -> None:
    rows = table().assign(late=lambda each: np.where(each["year"] == 2023, "yes", "no"))
    with pytest.raises(DataError, match="no moment before which every class has occurred"):
        compare(tmp_path, rows, time="year")
    with pytest.raises(ParameterError, match="mixes past and future"):
        compare(tmp_path, table(), time="year", plan=5)
    with pytest.raises(DataError, match="'year' has 1 missing values"):
        compare(
            tmp_path, table().assign(year=lambda each: each["year"].astype(float).where(each.index > 0)), time="year"
        )
