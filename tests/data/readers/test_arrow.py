"""Parquet, Feather and Arrow files, and round trips between the libraries."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from calibrant.data import read_table
from calibrant.data._frames.columns import fit_columns
from calibrant.exceptions import ReadError


def frame():
    return pd.DataFrame(
        {
            "n": [1, 2, None],
            "s": ["x", None, "y"],
            "c": pd.Categorical(["u", "v", "u"], categories=["w", "v", "u"]),
            "b": [True, None, False],
            "d": pd.to_datetime(["2020", "2021", None]),
            "y": ["no", "yes", "no"],
        }
    )


def as_parquet(table, path):
    pa.parquet.write_table(table, path)


def as_feather(table, path):
    pa.feather.write_feather(table, path)


def as_stream(table, path):
    with pa.ipc.new_stream(str(path), table.schema) as sink:
        sink.write_table(table)


WRITERS = {
    "t.parquet": as_parquet,
    "t.pq": as_parquet,
    "t.feather": as_feather,
    "t.arrow": as_stream,
    "t.unknown": as_parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_columnar_file_reads_alike(tmp_path, name):
    WRITERS[name](pa.Table.from_pandas(frame()), tmp_path / name)
    table = read_table(tmp_path / name)
    assert table.kinds == {"n": "numeric", "s": "nominal", "c": "nominal", "b": "nominal", "d": "numeric"}
    assert table.X["c"].cat.categories.tolist() == ["w", "v", "u"]
    assert table.X.isna().sum().tolist() == [1, 1, 0, 1, 1]
    assert table.class_counts == {"no": 2, "yes": 1}


def test_a_stored_index_is_dropped(tmp_path):
    frame().set_index(pd.Index([5, 6, 9])).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", target=-1)
    assert list(table.X.columns) == ["n", "s", "c", "b", "d"]
    assert table.notes == ("The stored pandas index is dropped.",)


def test_polars_files_read_as_pandas_files_do(tmp_path):
    pl.from_pandas(frame()).write_parquet(tmp_path / "polars.parquet")
    frame().to_parquet(tmp_path / "pandas.parquet")
    one, other = (read_table(tmp_path / f"{name}.parquet").X for name in ("polars", "pandas"))
    pd.testing.assert_frame_equal(one.drop(columns="c"), other.drop(columns="c"), check_dtype=False)


def test_round_trips_between_the_libraries_are_equal(tmp_path):
    frame().to_parquet(tmp_path / "t.parquet")
    X = read_table(tmp_path / "t.parquet").X
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    there_and_back = pl.from_arrow(arrow).with_columns(pl.col("c").cast(pl.Enum(["w", "v", "u"])))
    expected = fit_columns(X)
    for other in (arrow, there_and_back, there_and_back.to_arrow().to_pandas()):
        found = fit_columns(other)
        assert found.schema == expected.schema
        for ours, theirs in zip(found.arrays, expected.arrays, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_unusual_number_types_become_floats(tmp_path):
    columns = {
        "d": pa.array([1, 2]).cast(pa.decimal128(20, 1)),
        "h": pa.array([1.5, None], pa.float16()),
        "y": ["a", "b"],
    }
    pa.parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").X.dtypes.tolist() == [np.float64, np.float64]


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_truncated_file_raises(tmp_path, name, keep):
    WRITERS[name](pa.Table.from_pandas(frame()), tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(raw[: int(len(raw) * keep)])
    with pytest.raises(ReadError, match=f"{name}: is not a complete"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_random_bytes_raise(tmp_path, name):
    (tmp_path / name).write_bytes(np.random.default_rng(0).bytes(4096))
    with pytest.raises(ReadError, match="is not a complete"):
        read_table(tmp_path / name)


def test_nested_columns_raise_by_name(tmp_path):
    pa.parquet.write_table(pa.table({"a": [[1]], "y": ["u"]}), tmp_path / "t.parquet")
    with pytest.raises(ReadError, match="column 'a': holds values of type list"):
        read_table(tmp_path / "t.parquet")


def test_no_rows_and_repeated_columns_raise(tmp_path):
    pa.parquet.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty.parquet")
    with pytest.raises(ReadError, match="has 0 rows and 1 columns"):
        read_table(tmp_path / "empty.parquet")
    pa.feather.write_feather(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "b"]), tmp_path / "t.feather"
    )
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    as_stream(doubled, tmp_path / "t.arrow")
    with pytest.raises(ReadError, match="has the column 'a' twice"):
        read_table(tmp_path / "t.arrow")


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_a_named_index_is_not_a_feature_and_not_the_class(tmp_path, name):
    stored = frame().assign(id=[7, 9, 8], who=list("abc")).set_index(["id", "who"])
    WRITERS[name](pa.Table.from_pandas(stored), tmp_path / name)
    table = read_table(tmp_path / name)
    assert table.y.name == "y"
    assert list(table.X.columns) == ["n", "s", "c", "b", "d"]
    assert list(table.extra.columns) == ["id", "who"]
    assert table.notes[0] == "'id' is the stored pandas index, so it is not a feature."


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_categories_that_are_numbers_stay_nominal(tmp_path, name):
    categories = pd.DataFrame(
        {"c": pd.Categorical([3, 1, None]), "f": pd.Categorical([0.5, 2.0, 0.5]), "y": list("aba")}
    )
    WRITERS[name](pa.Table.from_pandas(categories), tmp_path / name)
    table = read_table(tmp_path / name)
    assert table.kinds == {"c": "nominal", "f": "nominal"}
    assert table.X["c"].cat.categories.tolist() == [1, 3]


def test_damaged_pandas_metadata_is_ignored(tmp_path):
    for number, stored in enumerate([b"{", b"\xff", b"[]", b'{"index_columns": 3, "columns": [1]}']):
        table = pa.table({"a": [1], "y": ["u"]}).replace_schema_metadata({"pandas": stored})
        as_stream(table, tmp_path / f"{number}.arrow")
        assert read_table(tmp_path / f"{number}.arrow").y.name == "y"


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_day_are_microseconds_whatever_their_unit(tmp_path, unit):
    kind = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    at = pa.array([36_000_000_000, None], pa.time64("us")).cast(kind)
    as_feather(pa.table({"at": at, "y": ["u", "v"]}), tmp_path / "t.feather")
    (tmp_path / "t.csv").write_text("at,y\n10:00:00,u\n,v\n")
    for name in ("t.feather", "t.csv"):
        np.testing.assert_array_equal(read_table(tmp_path / name).X["at"], [36e9, np.nan])


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        (pa.array(["a", None, "b", "a"]), [0, 1, 2, 3, None], ["a", None, "b", "a", None]),
        (pa.array([1.5, float("nan"), 1.5, None]), [0, 1, 2, 3, None], [1.5, None, 1.5, None, None]),
        (pa.array(["a", "b"], pa.string_view()), [1, 0, None, 1, 1], ["b", "a", None, "b", "b"]),
    ],
)
def test_dictionaries_with_missing_and_repeated_values_are_repaired(tmp_path, values, codes, expected):
    column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.uint32()), values)
    as_stream(pa.table({"c": column, "y": list("uvuvu")}), tmp_path / "t.arrow")
    read = read_table(tmp_path / "t.arrow").X["c"]
    assert read.dtype == "category"
    assert [None if pd.isna(value) else value for value in read] == expected


@pytest.mark.long
@pytest.mark.parametrize("cell", [1, None, "x", True])
def test_time_grows_no_faster_than_the_number_of_columns(tmp_path, cell):
    columns = {f"c{j}": [cell, None if cell is True else cell] for j in range(20_000)}
    as_stream(pa.table(columns | {"y": ["u", "v"]}), tmp_path / "t.arrow")
    start = time.process_time()
    assert read_table(tmp_path / "t.arrow").n_features == 20_000
    assert time.process_time() - start < 60  # quadratic time takes many minutes
