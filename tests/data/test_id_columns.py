"""`read_table` names the class that it guessed and the columns that look like ids or free text, and leaves them out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from calibrant.data import Table, read_table
from calibrant.exceptions import DataError, ParameterError

FRAME = pd.DataFrame(
    {
        "client_id": range(1_000, 1_040),
        "code": [f"K{37 * row % 1_000:03}" for row in range(40)],
        "remark": [f"called on day {row}, was friendly" for row in range(40)],
        "paid": [3 * row * row + 5 for row in range(40)],
        "income": [20_000 + 7_919 * row % 40_000 for row in range(40)],
        "age": [20.5 + 0.25 * row for row in range(40)],
        "town": ["Bern", "Rome"] * 20,
        "won": ["no", "yes", "yes", "no"] * 10,
    }
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "clients.csv", index=False)
    return tmp_path / "clients.csv"


def notes(table: Table) -> str:
    return "\n".join(table.notes)


def test_the_class_that_was_guessed_is_named(path: Path) -> None:
    assert "The class is the last column, 'won'; pass target= for another." in notes(read_table(path))
    assert "'won'" in repr(read_table(path))


@pytest.mark.parametrize("target", ["won", -1, False])
def test_a_class_that_was_passed_is_not_called_guessed(path: Path, target: str | int) -> None:
    assert "The class is" not in notes(read_table(path, target=target))


def test_ids_are_named_and_kept(path: Path) -> None:
    table = read_table(path)
    assert list(table.X) == list(FRAME.columns[:-1])
    assert notes(table).endswith(
        "'client_id' (an id) and 'code' (an id) have a different value in every row, from which nothing can be "
        "learned; drop_ids=True leaves them out."
    )


def test_free_text_is_named_and_kept(path: Path) -> None:
    table = read_table(path, drop_ids=True)
    assert "remark" in table.X
    assert "'remark' is free text: ProbabilityClassifier learns from the words, for other classifiers it is" in notes(
        table
    )
    assert "free text" not in notes(read_table(path, nominal=["remark"]))


def test_two_words_that_never_repeat_are_an_id(tmp_path: Path) -> None:
    FRAME.assign(remark=[f"name{row} surname{row}" for row in range(40)]).to_csv(tmp_path / "t.csv", index=False)
    assert "remark" not in read_table(tmp_path / "t.csv", drop_ids=True).X


def test_ids_are_left_out_on_request(path: Path) -> None:
    table = read_table(path, drop_ids=True)
    assert list(table.X) == ["remark", "paid", "income", "age", "town"] == list(table.kinds)
    assert table.extra is not None
    assert list(table.extra) == ["client_id", "code"]
    assert "'client_id' (an id) and 'code' (an id) have a different value in every" in notes(table)
    assert notes(table).endswith("and are left out: they are in extra.")
    assert table.take([0, 1]).extra is not None


@pytest.mark.parametrize("write", ["to_parquet", "to_feather"])
def test_ids_are_found_in_files_of_any_format(tmp_path: Path, write: str) -> None:
    path = tmp_path / ("t.parquet" if write == "to_parquet" else "t.feather")
    getattr(FRAME, write)(path)
    assert list(read_table(path, drop_ids=True).X) == ["remark", "paid", "income", "age", "town"]


def test_a_column_with_a_repeated_value_or_of_a_short_table_is_no_id(tmp_path: Path) -> None:
    frame = FRAME.assign(code=[*FRAME["code"][:-1], FRAME["code"][0]])
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert "code" in read_table(tmp_path / "t.csv", drop_ids=True).X
    FRAME[:10].to_csv(tmp_path / "t.csv", index=False)
    assert list(read_table(tmp_path / "t.csv", drop_ids=True).X) == list(FRAME.columns[:-1])


def test_measurements_that_never_repeat_are_features(path: Path) -> None:
    assert {"income", "age"} <= set(read_table(path, drop_ids=True).X)


def test_what_nominal_lists_is_not_left_out(path: Path) -> None:
    assert "code" in read_table(path, nominal=["code"], drop_ids=True).X


def test_a_class_with_a_different_value_in_every_row_is_questioned(tmp_path: Path) -> None:
    FRAME[["age", "town", "code"]].to_csv(tmp_path / "t.csv", index=False)
    words = "'code' has a different value in every row: is it the class? Pass target= for another."
    assert words in notes(read_table(tmp_path / "t.csv"))


def test_a_table_of_ids_alone_cannot_lose_them(tmp_path: Path) -> None:
    FRAME[["client_id", "code", "won"]].to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match="every column looks like an id"):
        read_table(tmp_path / "t.csv", drop_ids=True)


def test_drop_ids_is_a_bool(path: Path) -> None:
    with pytest.raises(ParameterError, match="drop_ids must be a bool; got 'yes'"):
        read_table(path, drop_ids="yes")  # type: ignore[arg-type]


def test_ids_of_strings_with_missing_values_are_found(write_csv: Callable[[str], Path]) -> None:
    rows = "\n".join(f"{'' if row == 5 else f'k{row}'},{row % 3},{'yn'[row % 2]}" for row in range(30))
    assert list(read_table(write_csv(f"key,a,won\n{rows}\n"), drop_ids=True).X) == ["a"]


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        (tmp_path / "w.csv").write_text(text)
        return tmp_path / "w.csv"

    return write
