"""Rows of data sets: where they are read from, the columns with a role, fingerprints."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.data import Table, load
from calibrant.data._internal import fingerprint_rows
from calibrant.exceptions import CalibrantError, ParameterError, StudyError
from calibrant.studies import Dataset
from calibrant.studies._definition.datasets import read_datasets, read_rows
from calibrant.studies._definition.definition import StudyDefinition, define_study

FRAME = pd.DataFrame(
    {
        "age": [31.5, None, 64.0, 18.0],
        "visits": [1, 2, 3, 4],
        "town": ["Bern", "Rome", None, "Bern"],
        "member": [True, False, True, True],
        "level": pd.Categorical(["low", "high", "low", "low"], categories=["low", "mid", "high"]),
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-02-01"]),
        "household": ["a", "a", "b", "c"],
        "times": [1.0, 2.0, 0.5, 1.0],
        "gift": [0.0, 5.0, 0.0, 7.5],
        "gives": ["no", "yes", "no", "yes"],
    }
)


def polars_frame(frame: pd.DataFrame) -> pl.DataFrame:
    level = pl.Series("level", frame["level"].astype(str).tolist(), dtype=pl.Enum(["low", "mid", "high"]))
    return pl.from_pandas(frame).with_columns(level)


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": polars_frame,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def dataset(source: Any, **roles: Any) -> Dataset:
    return Dataset(source, name="d", **({"groups": "household", "weight": "times"} | roles))


@pytest.mark.parametrize("library", FRAMES)
def test_columns_with_a_role_are_no_features(library: str) -> None:
    amount = {"profit": {"amount": {"column": "gift"}, "cost": 0.68}}
    rows = read_rows(dataset(FRAMES[library](FRAME), metric_params=amount))
    names = rows.X.column_names if library == "pyarrow" else list(rows.X.columns)
    assert names == ["age", "visits", "town", "member", "level", "day"]
    assert list(rows.groups) == ["a", "a", "b", "c"]
    assert list(rows.sample_weight) == [1, 2, 0.5, 1]
    assert list(rows.metric_params["profit"]["amount"]) == [0, 5, 0, 7.5]
    assert rows.metric_params["profit"]["cost"] == 0.68


def test_the_fingerprint_is_the_same_for_pandas_polars_and_pyarrow() -> None:
    found = {name: read_rows(dataset(make(FRAME))).fingerprint for name, make in FRAMES.items()}
    assert len(set(found.values())) == 1


def test_the_fingerprint_is_pinned_and_the_same_in_another_process() -> None:
    code = (
        "import pandas as pd\n"
        "from calibrant.data._internal import fingerprint_rows\n"
        "frame = pd.DataFrame({'a': [1.5, None], 's': ['x', 'y']})\n"
        "print(fingerprint_rows(frame, ['no', 'yes'], groups=['g', 'h'], positive='\"yes\"'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    frame = pl.DataFrame({"a": [1.5, None], "s": ["x", "y"]})
    again = fingerprint_rows(frame, np.array(["no", "yes"]), groups=["g", "h"], positive='"yes"')
    assert done.stdout.strip() == again == "383584b64d872d69e2767f48215f728c"


def changed(column: str, values: Any) -> pd.DataFrame:
    return FRAME.assign(**{column: values})


CHANGES = {
    "a value": changed("age", [31.5, None, 64.0, 18.5]),
    "a missing value": changed("age", [31.5, 0.0, 64.0, 18.0]),
    "a float32 column": changed("age", FRAME["age"].astype(np.float32)),
    "a string": changed("town", ["Bern", "Roma", None, "Bern"]),
    "numbers as strings": changed("visits", ["1", "2", "3", "4"]),
    "categories in another order": changed("level", FRAME["level"].cat.reorder_categories(["high", "mid", "low"])),
    "a further category": changed("level", FRAME["level"].cat.add_categories(["top"])),
    "no declared categories": changed("level", FRAME["level"].astype(str)),
    "a class": changed("gives", ["no", "no", "no", "yes"]),
    "the order of classes": changed("gives", pd.Categorical(FRAME["gives"], categories=["yes", "no"])),
    "a group": changed("household", ["a", "b", "b", "c"]),
    "the name of a group": changed("household", ["a", "a", "b", "d"]),
    "a weight": changed("times", [1.0, 2.0, 0.5, 1.5]),
    "a day": changed("day", FRAME["day"] + pd.Timedelta(days=1)),
    "the name of a column": FRAME.rename(columns={"age": "years"}),
    "the order of columns": FRAME[["visits", "age", *FRAME.columns[2:]]],
    "the order of rows": FRAME.iloc[::-1],
    "one row less": FRAME.iloc[:-1],
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_fingerprint_changes_with(what: str) -> None:
    assert read_rows(dataset(CHANGES[what])).fingerprint != read_rows(dataset(FRAME)).fingerprint


def test_the_fingerprint_changes_with_the_positive_class_and_the_amounts_of_metrics() -> None:
    plain = read_rows(dataset(FRAME)).fingerprint
    assert read_rows(dataset(FRAME, positive="no")).fingerprint != plain
    amounts = [
        read_rows(
            dataset((FRAME[["age"]], FRAME["gives"]), groups=None, weight=None, metric_params={"profit": {"amount": a}})
        )
        for a in ([1, 2, 3, 4], [1, 2, 3, 5])
    ]
    assert amounts[0].fingerprint != amounts[1].fingerprint


def test_the_fingerprint_does_not_change_with_row_index_copies_or_weights_of_one() -> None:
    plain = read_rows(dataset(FRAME, weight=None)).fingerprint
    assert read_rows(dataset(FRAME.set_index(np.arange(10, 14)), weight=None)).fingerprint == plain
    ones = read_rows(Dataset(FRAME, name="d", groups="household", weight=np.ones(4))).fingerprint
    assert ones == plain
    fortran = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    assert fingerprint_rows(fortran, [0, 1, 0]) == fingerprint_rows(np.ascontiguousarray(fortran), [0, 1, 0])


def test_missing_values_count_alike_whatever_their_bits() -> None:
    odd = np.array([np.nan, 1.0])
    odd.view(np.uint64)[0] |= 5
    assert fingerprint_rows(odd[:, None], [0, 1]) == fingerprint_rows(np.array([[np.nan], [1.0]]), [0, 1])


def test_large_integer_classes_are_told_apart() -> None:
    assert fingerprint_rows([[1], [2]], [2**60, 2**60 + 1]) != fingerprint_rows([[1], [2]], [2**60, 2**60 + 2])


def test_a_number_to_predict_may_be_continuous() -> None:
    assert fingerprint_rows([[1], [2]], [0.5, 1.25]) != fingerprint_rows([[1], [2]], [0.5, 1.5])


# --- sources ------------------------------------------------------------------------------------------------------


def test_rows_come_from_names_files_tables_frames_and_arrays(tmp_path: Path) -> None:
    iris = load("iris")
    path = tmp_path / "iris.csv"
    iris.X.assign(kind=iris.y).to_csv(path, index=False)
    frame = iris.X.assign(kind=iris.y)
    sources = {"name": "iris", "table": iris, "file": path, "text": str(path), "frame": frame, "pair": (iris.X, iris.y)}
    for name, each in read_datasets(sources).items():
        rows = read_rows(each)
        assert rows.X.shape == (150, 4), name
        assert len(rows.y) == 150
    assert read_rows(Dataset((iris.X.to_numpy(), iris.y.tolist()), name="a")).X.shape == (150, 4)


def test_a_table_brings_its_weights_positive_class_and_extra_columns() -> None:
    table = Table(
        X=FRAME[["age"]],
        y=FRAME["gives"],
        name="t",
        positive="no",
        sample_weight=np.array([1.0, 2, 3, 4]),
        extra=FRAME[["household"]],
    )
    rows = read_rows(Dataset(table, groups="household", name="t"))
    assert rows.pos_label == "no"
    assert list(rows.sample_weight) == [1, 2, 3, 4]
    assert list(rows.groups) == ["a", "a", "b", "c"]
    assert read_rows(Dataset(table, positive="yes", weight=[1, 1, 1, 2], name="t")).pos_label == "yes"


def test_names_of_columns_may_be_numbers() -> None:
    rows = read_rows(Dataset(pd.DataFrame(np.arange(6).reshape(3, 2)), name="d"))
    assert rows.X.shape == (3, 1)
    assert list(rows.y) == [1, 3, 5]


def test_a_record_batch_is_a_frame() -> None:
    batch = pa.RecordBatch.from_pandas(FRAME[["age", "gives"]])
    assert (
        read_rows(Dataset(batch, name="d")).fingerprint
        == read_rows(Dataset(FRAME[["age", "gives"]], name="d")).fingerprint
    )


def test_the_target_may_be_any_column() -> None:
    assert list(read_rows(Dataset(FRAME, target="member", name="d")).y) == [True, False, True, True]


def test_the_positive_class_of_a_number_may_be_text() -> None:
    assert read_rows(Dataset((FRAME[["age"]], [0, 1, 0, 1]), positive="1", name="d")).pos_label == 1


def test_options_go_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("1;x\n2;y\n")
    rows = read_rows(Dataset(path, options={"names": ["n", "c"], "sep": ";", "header": False}, name="odd"))
    assert list(rows.X.columns) == ["n"]


def test_nothing_is_read_before_the_study_runs(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(b"\x00\x01\x02")
    study = define_study("s", datasets=[path], methods={"nb": "sklearn.naive_bayes.GaussianNB"})
    with pytest.raises(StudyError, match="data set 'broken'"):
        read_rows(study.datasets["broken"])


def test_a_relative_path_is_kept_as_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("a.csv", index=False)
    each = Dataset("a.csv", name="a")
    monkeypatch.chdir("/")
    assert read_rows(each).X.shape == (4, 9)
    assert Dataset.from_document(each.document()).source == tmp_path / "a.csv"


def test_rows_that_were_passed_as_objects_are_not_in_the_document() -> None:
    study = define_study("s", datasets={"mine": FRAME}, methods={"nb": "sklearn.naive_bayes.GaussianNB"})
    again = StudyDefinition.from_document(study.document)
    assert again.document == study.document
    with pytest.raises(
        StudyError, match=r"data set 'mine': its rows were passed to the study as objects, <DataFrame: 4 x 10>"
    ):
        read_rows(again.datasets["mine"])


def test_groups_and_weights_that_were_passed_are_in_the_document() -> None:
    each = Dataset("iris", groups=np.arange(150), weight=[1.0] * 150)
    again = Dataset.from_document(each.document())
    np.testing.assert_array_equal(again.groups, each.groups)
    np.testing.assert_array_equal(again.weight, each.weight)


def test_long_groups_are_told_apart_but_not_kept() -> None:
    documents = [Dataset("iris", groups=np.arange(200_000) + first).document() for first in (0, 1)]
    assert documents[0]["groups"]["digest"] != documents[1]["groups"]["digest"]
    assert len(str(documents[0])) < 1000
    again = Dataset.from_document(documents[0])
    with pytest.raises(StudyError, match="which the store does not hold"):
        read_rows(again)


BAD = [
    (lambda: Dataset(3), "source must be the name of a data set"),
    (lambda: Dataset(""), "source is empty text"),
    (lambda: Dataset(["iris"]), "source must be"),
    (lambda: Dataset(pl.LazyFrame({"a": [1]})), "is a lazy frame; call collect"),
    (lambda: read_rows(Dataset((FRAME[["age"]], None), name="d")), "y must hold a class, or a number, for each row"),
    (lambda: read_rows(Dataset((FRAME[["age"]], [[1], [2, 3]]), name="d")), "its rows cannot be read"),
    (lambda: read_rows(Dataset(pd.DataFrame(), name="d")), "the frame has no columns"),
    (lambda: read_rows(Dataset(FRAME[["age", "age", "gives"]], name="d")), "unique column names"),
    (lambda: read_rows(Dataset((np.array([1, 2]), [0, 1]), name="d")), "two-dimensional"),
    (lambda: Dataset("iris", groups=3), "groups must be a column, or a value for each row; got 3"),
    (lambda: Dataset("iris", weight=[[1], [2, 3]]), "weight must be a column, or a value for each row"),
    (lambda: Dataset("iris", target="x"), "target is for files and frames"),
    (lambda: Dataset("iris", name=""), "name must be text"),
    (lambda: Dataset("iris", metric_params={"profit": 3}), "metric_params must be a dict"),
    (lambda: Dataset("iris", options={"sep": ";"}), "options must be a dict of keywords of read_table, for a file"),
    (lambda: Dataset("a.csv", options={"encodng": ";"}), "Did you mean 'encoding'"),
    (lambda: read_rows(Dataset(FRAME, target="give", name="d")), "target 'give' is not a column. Did you mean 'gives'"),
    (
        lambda: read_rows(Dataset(FRAME, groups="hosehold", name="d")),
        "groups is 'hosehold', which is not a column. Did you",
    ),
    (lambda: read_rows(Dataset(FRAME, weight="town", name="d")), "sample_weight must hold numbers"),
    (lambda: read_rows(Dataset(FRAME, weight="visits", groups=[1, 2], name="d")), "groups has 2 rows, X 4"),
    (lambda: read_rows(Dataset(FRAME, weight=[1, -1, 1, 1], name="d")), "negative"),
    (lambda: read_rows(Dataset(FRAME, positive="maybe", name="d")), "positive is 'maybe', which no row has"),
    (lambda: read_rows(Dataset("irsi", name="d")), "'irsi' is not a known data set"),
    (lambda: read_rows(Dataset("no.csv", name="d")), "data set 'd'"),
    (lambda: read_rows(Dataset(FRAME.iloc[:0], name="d")), "0 sample"),
    (lambda: read_rows(Dataset((FRAME[["age"]], ["a"]), name="d")), "y has 1"),
    (lambda: read_rows(Dataset(Table(X=FRAME[["age"]], y=None, name="t"), name="d")), "has no class column"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_wrong_data_sets_are_errors_that_say_what_to_do(make: Callable[[], object], message: str) -> None:
    with pytest.raises(CalibrantError, match=message) as caught:
        make()
    assert isinstance(caught.value, ParameterError) or "data set 'd'" in str(caught.value)


def test_importing_studies_imports_none_of_its_optional_packages() -> None:
    # scikit-learn and joblib import pandas, rich and psutil themselves where these are installed
    heavy = ("polars", "yaml", "jsonschema", "sqlalchemy", "loky", "distributed")
    code = f"import sys, calibrant.studies; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
