"""Every form of source returns the same rows, in the same order, whatever its parts."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from calibrant.data._sources.open_source import is_source, open_source
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._validation.estimator_rows import read_training_rows
from calibrant.data._validation.labels_and_weights import code_labels
from calibrant.exceptions import DataError, MissingFileError, ReadError, SchemaError

N = 500


def make_frame(n: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    amount = rng.normal(size=n)
    amount[::17] = np.nan
    town = rng.choice(["Bern", "Rome", "Oslo"], n).astype(object)
    town[::13] = None
    town[-1] = "Zug"
    return pd.DataFrame(
        {
            "amount": amount,
            "age": rng.integers(18, 90, n),
            "town": town,
            "member": rng.random(n) < 0.5,
            "ill": rng.choice(["no", "yes", "maybe"], n),
            "w": rng.integers(0, 4, n).astype(float),
            "house": rng.integers(0, 40, n),
        }
    )


def parquet(frame: pd.DataFrame, folder: Path) -> Any:
    frame.to_parquet(folder / "rows.parquet", index=False, row_group_size=120)
    return folder / "rows.parquet"


def parquet_folder(frame: pd.DataFrame, folder: Path) -> Any:
    (folder / "rows").mkdir()
    for number, begin in enumerate(range(0, len(frame), 45)):  # part.10 follows part.9
        frame.iloc[begin : begin + 45].to_parquet(folder / "rows" / f"part.{number}.parquet", index=False)
    (folder / "rows" / "_SUCCESS").touch()
    return str(folder / "rows")


def csv(frame: pd.DataFrame, folder: Path) -> Any:
    frame.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def csv_folder(frame: pd.DataFrame, folder: Path) -> Any:
    (folder / "rows").mkdir()
    for number, begin in enumerate(range(0, len(frame), 150)):
        with gzip.open(folder / "rows" / f"{number}.csv.gz", "wt") as file:
            frame.iloc[begin : begin + 150].to_csv(file, index=False)
    return folder / "rows"


def lazy(frame: pd.DataFrame, _: Path) -> Any:
    return pl.from_pandas(frame).lazy()


def scan(frame: pd.DataFrame, folder: Path) -> Any:
    return pl.scan_parquet(parquet(frame, folder))


def dataset(frame: pd.DataFrame, folder: Path) -> Any:
    return ds.dataset(parquet(frame, folder))


def in_memory(frame: pd.DataFrame, _: Path) -> Any:
    return frame


def dask_frame(frame: pd.DataFrame, _: Path) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=4)


FORMS = [parquet, parquet_folder, csv, csv_folder, lazy, scan, dataset, in_memory, dask_frame]
Form = Callable[[pd.DataFrame, Path], Any]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_rows_of_the_table_in_memory(form: Form, tmp_path: Path) -> None:
    frame = make_frame()
    X = form(frame, tmp_path)
    assert is_source(X) == (form is not in_memory)
    expected = read_training_rows(
        frame[["amount", "age", "town", "member"]], frame["ill"], frame["w"], groups=frame["house"]
    )
    with open_source(X, target="ill", sample_weight="w", groups="house", batch_size=70) as source:
        survey, schema, parts = source.survey(), source.schema, list(source)
    assert len(parts) == len(survey.lengths) > 1 or form is csv_folder
    assert [part.first_row for part in parts] == survey.first_rows
    assert schema == expected.columns.schema
    for position, array in enumerate(expected.columns.arrays):
        found = [part.columns(schema).arrays[position] for part in parts]
        np.testing.assert_array_equal(np.concatenate(found), array)
    assert survey.labels is not None
    assert survey.labels.labels().classes.tolist() == expected.labels.classes.tolist()
    np.testing.assert_array_equal(np.concatenate([part.weights for part in parts]), expected.weights)
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]), frame["ill"][frame["w"] > 0])


def count_rows(part: SourcePart, unit: int) -> int:
    return part.n_rows * unit


@pytest.mark.parametrize("form", FORMS)
def test_map_and_reduce_visit_every_part_in_order(form: Form, tmp_path: Path) -> None:
    source = open_source(form(make_frame(), tmp_path), target="ill", batch_size=70)
    counts = source.map(count_rows, 2, description="Counting")
    assert len(counts) == source.n_parts
    assert sum(counts) == 2 * N == 2 * source.n_rows
    assert source.reduce(count_rows, 1, merge=int.__add__, description="Counting") == N


def test_columns_are_read_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    source = open_source(parquet(make_frame(), tmp_path), target=None, columns=["town", "age"])
    part = next(iter(source))
    assert part.X.columns.tolist() == ["town", "age"]
    assert part.y is None


def test_a_column_of_a_csv_file_has_one_type_in_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.data._sources.csv_reader.BLOCK", 2**10)
    n = 400
    late: list[Any] = [*range(n - 1), "none"]
    frame = pd.DataFrame(
        {"late": late, "half": [*range(n - 1), 0.5], "void": [None] * (n - 1) + ["a"], "y": [0, 1] * 200}
    )
    frame["when"] = ["2020-01-01"] * (n - 1) + ["2020-01-02 10:00:00"]
    frame["padded"] = [" 1"] * (n - 1) + ["x "]
    path = csv(frame, tmp_path)
    from calibrant.data import read_table

    with open_source(path, target="y") as source:
        assert source.n_parts > 3
        schema, parts = source.schema, list(source)
    table = read_table(path, target="y")
    expected = read_training_rows(table.X, table.y).columns
    assert schema == expected.schema
    for position, array in enumerate(expected.arrays):
        np.testing.assert_array_equal(np.concatenate([part.columns(schema).arrays[position] for part in parts]), array)


def test_classes_are_those_of_all_rows_whatever_their_type() -> None:
    for y in ([3, 1, 1, 2], [True, False, True, True], ["b", "a", "b", "c"], [2.0, 1.0, 1.0, 1.0]):
        labels = code_labels(pd.Series(y))
        survey = open_source(pd.DataFrame({"x": [1.0] * 4, "y": y}), target="y", batch_size=1).survey()
        assert survey.labels is not None
        found = survey.labels.labels()
        assert found.classes.tolist() == labels.classes.tolist()
        assert found.classes.dtype == labels.classes.dtype
        assert (found.declared, found.n_declared) == (labels.declared, labels.n_declared)


def test_declared_categories_keep_their_order(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": pd.Categorical(["s", "l", "s", "m"], ["s", "m", "l", "xl"]), "y": [0, 1, 0, 1]})
    frame["code"] = pd.Categorical([7, 3, 7, 3])
    for X in (frame, parquet(frame, tmp_path)):
        schema = open_source(X, target="y", batch_size=2).schema
        assert schema.features[0].categories[:3] == ("s", "m", "l")
        assert schema.features[0].declared
        assert schema.features[1].categories == (3, 7)


# --- bad input ----------------------------------------------------------------------------------------------------


def make_source(frame: pd.DataFrame, **options: Any) -> Source:
    return open_source(frame, **{"target": "y", "batch_size": 2, **options})


def test_columns_that_are_not_there_are_named() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0], "y": [0, 1]})
    with pytest.raises(SchemaError, match=r"no column 'yy'. Did you mean 'y'"):
        make_source(frame, target="yy")
    with pytest.raises(SchemaError, match="different"):
        make_source(frame, sample_weight="y")
    with pytest.raises(DataError, match="no feature"):
        make_source(frame[["y"]])


def test_files_of_other_columns_or_types_are_named(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, 2], "y": [0, 1]}).to_parquet(tmp_path / "0.parquet", index=False)
    pd.DataFrame({"a": [1.5, 2.5], "y": [0, 1]}).to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(SchemaError, match=r"column 'a' is double in .*1\.parquet and int64 in .*0\.parquet"):
        open_source(tmp_path, target="y")
    pd.DataFrame({"b": [1, 2], "y": [0, 1]}).to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(SchemaError, match=r"1\.parquet has no column 'a'"):
        open_source(tmp_path, target="y")


def test_partitions_of_other_types_are_named() -> None:
    dd, delayed = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask").delayed
    meta = pd.DataFrame({"a": [1], "y": [0]})
    parts = [delayed(meta), delayed(meta.astype({"a": float}))]
    frame = dd.from_delayed(parts, meta=meta, verify_meta=False)
    with pytest.raises((SchemaError, ValueError), match="a"):
        _ = open_source(frame, target="y").n_rows


def test_empty_parts_are_ordinary(tmp_path: Path) -> None:
    frame = make_frame(40)
    for number, rows in enumerate([frame[:0], frame[:25], frame[:0], frame[25:]]):
        table = pa.Table.from_pandas(rows, pa.Schema.from_pandas(frame), preserve_index=False)
        pq.write_table(table, tmp_path / f"{number}.parquet")
    source = open_source(tmp_path, target="ill", sample_weight="w")
    assert source.n_rows == (frame["w"] > 0).sum()
    zeros = frame.assign(w=np.where(np.arange(40) < 10, 0.0, 1.0))
    assert make_source(zeros, target="ill", sample_weight="w").survey().lengths[:6] == (0, 0, 0, 0, 0, 2)


def test_a_source_without_rows_is_an_error(tmp_path: Path) -> None:
    make_frame(3)[:0].to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="no row"):
        _ = open_source(tmp_path, target="ill").n_rows
    with pytest.raises(DataError, match="no row of weight above 0"):
        _ = make_source(pd.DataFrame({"x": [1.0], "y": [1], "w": [0.0]}), sample_weight="w").n_rows


@pytest.mark.parametrize("weights", [[1.0, np.nan], [1.0, -1.0], [1.0, 1e300], ["a", "b"]])
def test_bad_weights_are_errors(weights: list[Any]) -> None:
    with pytest.raises((DataError, TypeError), match="'w'"):
        _ = make_source(pd.DataFrame({"x": [1.0, 2.0], "y": [1, 0], "w": weights}), sample_weight="w").n_rows


def test_a_missing_class_or_group_is_an_error() -> None:
    frame = pd.DataFrame({"x": [1.0] * 4, "y": ["a", "b", "a", None], "g": [1, 2, None, 1]})
    with pytest.raises(DataError, match=r"'y' has 1 missing label.*row 1 of part 1"):
        _ = make_source(frame).n_rows
    with pytest.raises(DataError, match="'g' has missing"):
        _ = make_source(frame.assign(y=1), groups="g").n_rows


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    for form in (parquet, csv):
        path = form(make_frame(), tmp_path)
        source = open_source(path, target="ill", batch_size=100)
        assert source.n_rows == N
        parts = iter(source)
        next(parts)
        os.utime(path, ns=(1, 1))
        with pytest.raises(DataError, match="changed while it was read"):
            list(parts)
        path.unlink()
        with pytest.raises(DataError, match="removed while"):
            list(source)


def test_a_frame_that_grows_between_passes_is_an_error() -> None:
    rows = {"x": [1.0, 2.0], "y": [0, 1]}
    grown = [pl.DataFrame(rows), pl.DataFrame(rows), pl.concat([pl.DataFrame(rows)] * 2)]
    lazy_frame = pl.LazyFrame(rows).map_batches(lambda _: grown.pop(0) if len(grown) > 1 else grown[0])
    source = open_source(lazy_frame, target="y", batch_size=1)
    assert source.n_rows == 2
    list(source)
    with pytest.raises(DataError, match="had 2 rows, then 4"):
        list(source)


def test_folders_without_tables_and_missing_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no Parquet or CSV files"):
        open_source(tmp_path, target="y")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    pd.DataFrame({"x": [1], "y": [2]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ReadError, match="both"):
        open_source(tmp_path, target="y")
    with pytest.raises(MissingFileError):
        open_source(tmp_path / "c.csv", target="y")


def test_an_id_column_is_named() -> None:
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(70_000)], "y": np.arange(70_000) % 2})
    with pytest.raises(DataError, match=r"column 'id' has more than 65,536 categories"):
        _ = make_source(frame, batch_size=30_000).n_rows


@pytest.mark.parametrize("empty", ["0.csv", "5.csv"])
def test_a_csv_file_of_a_folder_may_have_a_header_alone(tmp_path: Path, empty: str) -> None:
    frame = make_frame(20).rename_axis("").reset_index()
    frame.to_csv(tmp_path / "1.csv", index=False)
    frame.to_csv(tmp_path / "2.csv", index=False)
    without = list(open_source(tmp_path, target="age"))
    frame.head(0).to_csv(tmp_path / empty, index=False)
    source = open_source(tmp_path, target="age")
    assert [part.X.shape for part in source] == [part.X.shape for part in without]
    assert source.n_rows == 40
    for path in tmp_path.glob("[12].csv"):
        path.unlink()
    with pytest.raises(ReadError, match="has a header but no rows"):
        open_source(tmp_path / empty, target="age")


def test_a_folder_of_files_and_folders_of_files_is_not_read_in_part(tmp_path: Path) -> None:
    make_frame(20).to_parquet(tmp_path / "1.parquet")
    (tmp_path / "logs").mkdir()
    (tmp_path / "_temporary").mkdir()
    make_frame(20).to_parquet(tmp_path / "_temporary" / "1.parquet")
    assert open_source(tmp_path, target="age").n_rows == 20
    make_frame(20).to_parquet(tmp_path / "logs" / "1.parquet")
    with pytest.raises(ReadError, match="has files and a folder of files, 'logs'"):
        open_source(tmp_path, target="age")
