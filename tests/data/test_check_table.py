"""The check of a table: what it finds on known tables, and how often it errs on simulated ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.data import Table, TableCheck, check_table, list_datasets, load, read_table
from calibrant.exceptions import DataError, DataTypeError

REVIEWED = json.loads((Path(__file__).parent / "check_findings.json").read_text(encoding="utf-8"))
Rng = np.random.Generator


def kinds(frame: pd.DataFrame) -> set[str]:
    return {finding.kind for finding in check_table(frame).findings}


def evidence(frame: pd.DataFrame, kind: Any) -> dict[tuple[str, ...], str]:
    return {finding.columns: finding.evidence for finding in check_table(frame).of_kind(kind)}


def noise(rng: Rng) -> pd.DataFrame:
    """A table from which nothing can be learned, of any size and kinds of columns."""
    n = int(rng.choice([60, 150, 400, 1500]))
    columns: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(rng.integers(1, 8))}
    columns |= {f"k{j}": rng.integers(0, rng.integers(2, 30), n) for j in range(rng.integers(0, 5))}
    columns |= {f"c{j}": rng.choice(list("abcdefgh"), n) for j in range(rng.integers(0, 5))}
    columns = {
        name: pd.Series(values).where(rng.random(n) > 0.3) if rng.random() < 0.3 else values
        for name, values in columns.items()
    }
    n_classes = int(rng.choice([2, 2, 3, 5]))
    return pd.DataFrame(columns | {"y": rng.choice(n_classes, n, p=rng.dirichlet(np.full(n_classes, 3.0))).astype(str)})


def honest(rng: Rng, n: int) -> pd.DataFrame:
    """A table of honest columns, of which two say something of the class."""
    x = rng.normal(size=(n, 5))
    y = rng.random(n) < 1 / (1 + np.exp(-(x[:, 0] + 0.7 * x[:, 1] - rng.uniform(0, 1.5))))
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(5)])
    return frame.assign(town=rng.choice(list("abcd"), n), y=np.where(y, "bad", "good"))


def copy_with_noise(rng: Rng, y: Any) -> Any:
    """A score that was computed from the class, or the class with up to 1 % of errors."""
    is_bad = (y == "bad").to_numpy() ^ (rng.random(len(y)) < rng.uniform(0, 0.01))
    return is_bad * rng.uniform(2, 9) + rng.normal(scale=0.3, size=len(y)) if rng.random() < 0.5 else is_bad.astype(int)


def filled_for_one_class(rng: Rng, y: Any) -> Any:
    """An amount that is entered for most bad rows, and for no other."""
    is_filled = (y == "bad") & (rng.random(len(y)) < rng.uniform(0.6, 1.0))
    return pd.Series(rng.gamma(2, 300, len(y))).where(is_filled, 0.0 if rng.random() < 0.5 else np.nan)


def missing_says_it(rng: Rng, y: Any) -> Any:
    """A measurement that next to no bad row has."""
    is_missing = (y == "bad") ^ (rng.random(len(y)) < rng.uniform(0, 0.01))
    return pd.Series(rng.normal(size=len(y))).mask(is_missing)


@pytest.mark.parametrize("name", REVIEWED)
def test_the_findings_on_known_tables_are_the_reviewed_ones(name: str) -> None:
    folder = os.environ.get("CALIBRANT_DATA")
    if folder is None:
        pytest.skip("needs the data folder: set CALIBRANT_DATA to it")
    table = read_table(Path(folder, name), target="target") if name.endswith(".parquet") else load(name)
    found = [[finding.kind, list(finding.columns)[:4], finding.evidence] for finding in check_table(table).findings]
    assert found == REVIEWED[name]


def test_no_known_table_has_a_leak_but_the_two_of_kdd98() -> None:
    leaks = {(name, *columns) for name, found in REVIEWED.items() for kind, columns, _ in found if kind == "leak"}
    assert leaks == {("kdd98_case_control.parquet", "TARGET_D"), ("kdd98_case_control.parquet", "sample_weight")}
    shared = {name for name in list_datasets() if "." not in name and name in REVIEWED}
    assert {"iris", "segment", "soybean", "wine", "zoo", "adult", "covertype", "votes"} <= shared


@pytest.mark.parametrize(("n", "most"), [(60, 1), pytest.param(200, 2, marks=pytest.mark.long)])
def test_noise_is_hardly_ever_called_a_leak_or_time(n: int, most: int) -> None:
    wrong = [kinds(noise(np.random.default_rng(seed))) & {"leak", "time"} for seed in range(n)]
    assert sum(map(bool, wrong)) <= most


@pytest.mark.parametrize(("n", "least"), [(25, 22), pytest.param(67, 64, marks=pytest.mark.long)])
@pytest.mark.parametrize("plant", [copy_with_noise, filled_for_one_class, missing_says_it])
def test_planted_leaks_are_found(plant: Callable[[Rng, Any], Any], n: int, least: int) -> None:
    found = 0
    for seed in range(n):
        rng = np.random.default_rng(seed)
        frame = honest(rng, int(rng.choice([200, 500, 2000])))
        frame.insert(int(rng.integers(0, 6)), "planted", plant(rng, frame["y"]))
        suspects = check_table(frame).suspects
        found += suspects == ("planted",)
    assert found >= least  # 64 of 67 are 190 of 200


@pytest.mark.parametrize(("n_tables", "least"), [(40, 30), pytest.param(100, 80, marks=pytest.mark.long)])
def test_tables_in_order_of_time_are_found(n_tables: int, least: int) -> None:
    found = 0
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([300, 1000, 3000]))
        frame = honest(rng, n)
        drift = np.linspace(0, rng.uniform(0.5, 2), n)
        if rng.random() < 0.5:
            frame["x2"] += drift  # a column grows
        else:
            frame["y"] = np.where(rng.random(n) < 1 / (1 + np.exp(1.5 - drift)), "bad", "good")  # the base rate grows
        found += "time" in kinds(frame)
    assert found >= least


@pytest.mark.parametrize("seed", range(10))
def test_shuffled_rows_are_not_in_order_of_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = honest(rng, 1000)
    frame["x2"] += np.linspace(0, 2, 1000)
    assert "time" not in kinds(frame.iloc[rng.permutation(1000)].reset_index(drop=True))


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["USD"] * 300, "constant"),
        ([None] * 300, "constant"),
        (["USD"] * 299 + ["EUR"], "nearly constant"),
        ([f"C{i:04d}" for i in range(300)], "id"),
        (list(range(1000, 1300)), "id"),
        (pd.date_range("2020-01-01", periods=300), "date"),
        ([f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.2021{' or so' * (i == 5)}" for i in range(300)], "date"),
        ([f"the parcel number {i} came late and was wet" for i in range(300)], "text"),
        ([f"M{i % 140}" for i in range(300)], "many values"),
        ([f"{i % 40},{i % 7}0" for i in range(300)], "number as text"),
        (["-" if i % 5 == 0 else "ab"[i % 2] for i in range(300)], "looks missing"),
        ([999 if i % 10 == 0 else i % 90 for i in range(300)], "looks missing"),
        (["unknown" if i % 5 == 0 else "ab"[i % 2] for i in range(300)], "looks missing"),
    ],
)  # fmt: skip
def test_a_column_is_found_by_what_it_holds(column: Any, kind: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "c": column, "y": rng.choice(["n", "p"], 300)})
    assert [finding.columns for finding in check_table(frame).of_kind(kind)] == [("c",)]  # type: ignore[arg-type]


def test_an_id_that_repeats_asks_for_groups() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=300), "patient_id": rng.integers(0, 60, 300), "y": rng.choice(["n", "p"], 300)}
    )
    assert "--groups patient_id" in check_table(frame).of_kind("repeated id")[0].advice


def test_copies_are_found_among_rows_and_columns() -> None:
    rng = np.random.default_rng(0)
    frame = honest(rng, 300)
    frame.insert(0, "x0_in_cents", 100 * frame["x0"])
    frame.insert(0, "city", frame["town"].map({"a": "Aarau", "b": "Bern", "c": "Chur", "d": "Davos"}))
    doubled = pd.concat(
        [frame, frame[:30].assign(y=frame["y"][:30].map({"bad": "good", "good": "bad"}))], ignore_index=True
    )
    assert {*evidence(doubled, "copy")} == {("x0_in_cents", "x0"), ("city", "town")}
    assert evidence(doubled, "duplicate rows") == {
        (): "30 of 330 rows copy an earlier one; 60 rows have a copy of another class"
    }


def test_protected_groups_are_named_once() -> None:
    rng = np.random.default_rng(0)
    names = ["age", "Sex", "applicantRace", "wage", "essex", "x"]
    frame = pd.DataFrame(rng.normal(size=(100, 6)), columns=names).assign(y=rng.choice(["n", "p"], 100))
    assert [*evidence(frame, "protected")] == [("age", "Sex", "applicantRace")]
    assert "--by age" in check_table(frame).of_kind("protected")[0].advice


def test_a_rare_class_is_named() -> None:
    frame = pd.DataFrame({"x": np.arange(100) % 7, "y": ["a"] * 96 + ["b"] * 4})
    assert evidence(frame, "rare class") == {(): "fewer than 10 rows of b (4)"}


def test_the_result_prints_as_text_frame_and_document() -> None:
    rng = np.random.default_rng(0)
    found = check_table(honest(rng, 300).assign(c="USD")[["x0", "x1", "c", "y"]])
    assert isinstance(found, TableCheck)
    assert repr(found).startswith("table: 300 rows, 3 columns; 1 finding.\n- 'c' is constant: one value in every row.")
    assert found.to_frame()["kind"].tolist() == ["constant"]
    assert found.to_dict()["findings"][0]["columns"] == ["c"]
    assert "is constant" in found._repr_html_()
    assert "nothing to look at" in repr(check_table(honest(rng, 300)))


def test_a_long_table_is_sampled_in_order() -> None:
    rng = np.random.default_rng(0)
    frame = honest(rng, 250_000)
    frame["x2"] += np.linspace(0, 1, len(frame))
    found = check_table(frame)
    assert found.n_checked == 200_000
    assert "time" in {finding.kind for finding in found.findings}
    assert "columns checked on 200,000" in repr(found)


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(DataTypeError, match="Table or a pandas DataFrame; got list"):
        check_table([[1, 2]])
    with pytest.raises(DataError, match="has no class column"):
        check_table(Table(pd.DataFrame({"a": [1, 2]}), None, "t"))
    with pytest.raises(Exception, match="has no column 'z' for the class"):
        check_table(pd.DataFrame({"a": [1, 2], "y": ["n", "p"]}), target="z")


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_tiny_tables_are_no_error(n_rows: int) -> None:
    frame = pd.DataFrame({"a": range(n_rows), "b": [None] * n_rows, "y": ["n"] * n_rows})
    check_table(frame)
