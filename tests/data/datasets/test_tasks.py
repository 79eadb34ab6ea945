"""The tables of the papers' tasks, against the figures that the papers report."""

from __future__ import annotations

import functools
from pathlib import Path

import pandas as pd
import pytest

from calibrant.data import Table, load
from calibrant.data._datasets.catalog import catalog
from calibrant.data._datasets.load import apply_task
from calibrant.data._datasets.tasks import TASKS, ReportedFigures, Task
from calibrant.exceptions import DataError, SchemaError

FIGURES = ("rows", "n_features", "positive_share")
PRINTED = [(name, figure) for name in TASKS for figure in FIGURES if getattr(TASKS[name].reported, figure) is not None]


@functools.cache
def loaded(name: str, home: Path) -> Table:
    return load(name, home)


def positive_share(table: Table) -> float:
    return float(table.class_counts[table.positive] / table.n_rows)


def ours(table: Table, figure: str) -> float:
    if figure == "positive_share":
        return positive_share(table)
    return table.n_rows if figure == "rows" else table.n_features


def as_printed(value: float, reported: float) -> float:
    decimals = len(str(reported).partition(".")[2]) if isinstance(reported, float) else 0
    return round(value, decimals)


def table_of(**columns: list[object]) -> Table:
    frame = pd.DataFrame(columns)
    X = frame.drop(columns=["y", "split"], errors="ignore")
    y, split = frame["y"].astype("category"), frame.get("split")
    return Table(X=X, y=y, name="made", split=split, kinds={str(column): "nominal" for column in X})


def task_of(**steps: object) -> Task:
    return Task(source="made", rows=0, n_features=0, reported=ReportedFigures(), **steps)  # type: ignore[arg-type]


def test_there_are_twenty_five_six_and_two_tasks() -> None:
    papers = [name.partition(".")[0] for name in TASKS]
    counts = {paper: papers.count(paper) for paper in dict.fromkeys(papers)}
    assert counts == {"nielsen": 20, "chawla": 5, "caruana": 6, "zadrozny": 2}


def test_every_task_is_made_from_a_known_set() -> None:
    assert {task.source for task in TASKS.values()} <= set(catalog())


@pytest.mark.parametrize("name", TASKS)
def test_a_task_has_two_classes_and_the_declared_size(name: str, data_home: Path) -> None:
    table, task = loaded(name, data_home), TASKS[name]
    assert (table.name, table.n_rows, table.n_features) == (name, task.rows, task.n_features)
    assert table.y is not None
    assert list(table.class_counts) == list(table.y.cat.categories)
    assert len(table.class_counts) == 2


@pytest.mark.parametrize(("name", "figure"), PRINTED)
def test_a_reported_figure_is_matched_or_the_task_explains_why_not(name: str, figure: str, data_home: Path) -> None:
    reported = getattr(TASKS[name].reported, figure)
    met = as_printed(ours(loaded(name, data_home), figure), reported) == reported
    assert met == (figure not in TASKS[name].differences)


@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("nielsen.")])
def test_nielsens_examples_and_attributes_are_met_for_all_twenty_but_one(name: str, data_home: Path) -> None:
    table, reported = loaded(name, data_home), TASKS[name].reported
    attributes = 15 if name == "nielsen.credit_screening" else reported.n_features
    assert (table.n_rows, table.n_features) == (reported.rows, attributes)


@pytest.mark.parametrize("name", ["phoneme", "adult", "satimage", "covertype"])
def test_chawlas_rows_are_ours_rounded_down_to_tens(name: str, data_home: Path) -> None:
    table = loaded(f"chawla.{name}", data_home)
    assert table.n_rows // 10 * 10 == TASKS[f"chawla.{name}"].reported.rows


@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("chawla.")])
def test_chawlas_positive_class_is_the_minority(name: str, data_home: Path) -> None:
    table = loaded(name, data_home)
    assert table.positive == min(table.class_counts, key=lambda label: table.class_counts[label])


@pytest.mark.parametrize("name", [name for name in TASKS if name.startswith("caruana.")])
def test_caruanas_training_and_test_rows_fit_into_ours(name: str, data_home: Path) -> None:
    reported = TASKS[name].reported
    assert reported.train is not None
    assert reported.test is not None
    assert loaded(name, data_home).n_rows >= reported.train + reported.test == reported.rows


@pytest.mark.parametrize(("name", "n_features"), [("caruana.adult", 14), ("caruana.adult_104", 104)])
def test_caruanas_adult_has_the_complete_rows(name: str, n_features: int, data_home: Path) -> None:
    table = loaded(name, data_home)
    assert (table.n_rows, table.n_features) == (45222, n_features)
    assert table.X.notna().all(axis=None)
    assert table.class_counts == {"<=50K": 34014, ">50K": 11208}
    assert round(positive_share(table), 3) == 0.248


def test_the_104_columns_of_adult_are_its_numbers_and_one_hot_codes(data_home: Path) -> None:
    table, coded = loaded("caruana.adult", data_home), loaded("caruana.adult_104", data_home)
    assert set(coded.kinds.values()) == {"numeric"}
    assert list(coded.kinds)[:3] == ["age", "workclass=State-gov", "workclass=Self-emp-not-inc"]
    nominal = [column for column, kind in table.kinds.items() if kind == "nominal"]
    expected = pd.get_dummies(table.X[nominal].astype(object), columns=nominal, prefix_sep="=")
    numeric = [column for column in table.kinds if column not in nominal]
    pd.testing.assert_frame_equal(
        coded.X[[*numeric, *expected]], table.X[numeric].join(expected), check_dtype=False, check_index_type=False
    )


def test_a_missing_value_has_no_indicator() -> None:
    table = apply_task(task_of(indicators=True), table_of(u=["p", None, "q"], y=["a", "a", "b"]), "task")
    assert table.X.to_dict("list") == {"u=p": [1, 0, 0], "u=q": [0, 0, 1]}
    assert table.kinds == {"u=p": "numeric", "u=q": "numeric"}


def test_the_letters_are_grouped_one_against_the_rest_and_in_halves(data_home: Path) -> None:
    assert loaded("caruana.letter_p1", data_home).class_counts == {"O": 753, "rest": 19247}
    assert loaded("caruana.letter_p2", data_home).class_counts == {"A-M": 9940, "N-Z": 10060}


def test_classes_kept_keep_the_order_of_the_file(data_home: Path) -> None:
    assert list(loaded("nielsen.vehicle", data_home).class_counts) == ["saab", "opel"]


def test_nielsens_vowels_are_numbered_from_0_and_a_note_explains_why(data_home: Path) -> None:
    table = loaded("nielsen.vowel", data_home)
    assert table.class_counts == {"had": 90, "hOd": 90}
    assert list(catalog()["vowel"].class_counts)[5:7] == ["had", "hOd"]
    assert any("from 0" in note for note in table.notes)


def test_coil_keeps_its_official_split(data_home: Path) -> None:
    table = loaded("zadrozny.coil", data_home)
    assert (table.part("train").n_rows, table.part("test").n_rows) == (5822, 4000)
    assert (table.part("train").class_counts["1"], table.part("test").class_counts["1"]) == (348, 238)


def test_kdd98_has_the_amounts_beside_the_features(data_home: Path) -> None:
    table = loaded("zadrozny.kdd98", data_home)
    assert table.extra is not None
    assert table.extra["TARGET_D"].sum() == pytest.approx(75668.7)
    assert "TARGET_D" not in table.X


def test_what_differs_from_the_paper_is_among_the_notes(data_home: Path) -> None:
    notes = loaded("nielsen.credit_screening", data_home).notes
    assert any("44" in note for note in notes)
    assert any("credit-german" in note for note in notes)


def test_a_pair_of_classes_has_no_positive_one_and_a_two_class_set_keeps_its_own(data_home: Path) -> None:
    assert loaded("nielsen.iris", data_home).positive is None
    assert loaded("nielsen.pima", data_home).positive == "pos"


def test_rows_of_other_classes_are_dropped_with_their_categories() -> None:
    table = apply_task(task_of(classes=("c", "a")), table_of(x=[1, 2, 3], y=["a", "b", "c"]), "task")
    assert table.class_counts == {"a": 1, "c": 1}
    assert list(table.X["x"]) == [1, 3]


def test_the_others_become_the_rest() -> None:
    groups = {"b": ("b",), "rest": ()}
    table = apply_task(task_of(groups=groups, positive="b"), table_of(x=[1, 2, 3], y=["a", "b", "c"]), "task")
    assert table.y is not None
    assert (list(table.y), table.positive) == (["rest", "b", "rest"], "b")


def test_constant_columns_are_found_after_incomplete_rows_are_dropped() -> None:
    made = table_of(u=["p", "q", "q"], v=[None, "s", "t"], y=["a", "a", "b"])
    table = apply_task(task_of(complete_rows=True, drop_constant=True), made, "task")
    assert (list(table.X), table.n_rows, table.kinds) == (["v"], 2, {"v": "nominal"})


def test_missing_values_of_a_dropped_column_cost_no_rows() -> None:
    made = table_of(u=["p", "q"], v=[None, "s"], y=["a", "b"])
    assert apply_task(task_of(drop_columns=("v",), complete_rows=True), made, "task").n_rows == 2


def test_a_part_is_selected_and_the_split_removed() -> None:
    made = table_of(x=[1, 2, 3], y=["a", "b", "b"], split=["train", "train", "test"])
    table = apply_task(task_of(part="train"), made, "task")
    assert (table.n_rows, table.split) == (2, None)


def test_a_copy_without_split_class_or_column_raises() -> None:
    made = table_of(x=[1, 2], y=["a", "b"])
    with pytest.raises(DataError, match="no official split in this copy; set CALIBRANT_DATA"):
        apply_task(task_of(part="train"), made, "task")
    with pytest.raises(DataError, match="made has no class 'z' in this copy"):
        apply_task(task_of(groups={"z": ("z",), "rest": ()}), made, "task")
    with pytest.raises(SchemaError, match="made has no column 'xx'"):
        apply_task(task_of(drop_columns=("xx",)), made, "task")


def test_a_class_called_none_is_not_the_positive_one() -> None:
    made = apply_task(task_of(), table_of(v=["a", "b"], y=["None", "some"]), "made")
    assert made.positive is None
