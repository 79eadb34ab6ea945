"""Tables in chunks: every chunk is read as `read_table` reads the whole file."""

from __future__ import annotations

import gzip
import io
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from calibrant.data import read_table
from calibrant.data._frames.columns import fit_columns, match_columns
from calibrant.data._internal import TableChunks, WantedColumns
from calibrant.data._sources import csv_reader as module
from calibrant.data._sources.csv_blocks import RowBlocks
from calibrant.exceptions import ParameterError, ReadError, SchemaError

N_ROWS = 400


def mixed_text(seed: int = 0) -> str:
    """Return CSV text with numbers, padded cells, quoted line ends, digits as categories, booleans and dates."""
    rng = np.random.default_rng(seed)
    towns = ["Bern", '"Ro\nme"', '"Os""lo"', "", " Paris ", '5" pipe']
    classes = ["no", "yes"]
    rows = [
        f"{i},{rng.integers(18, 90) if rng.random() > 0.1 else rng.choice(['?', ' NA ', ''])},"
        f"{rng.choice(['007', '1', 'x2'] if i > N_ROWS // 2 else ['007', '1'])},{rng.choice(towns)},"
        f"{rng.choice(['true', 'false'])},20{rng.integers(10, 25)}-01-{rng.integers(10, 28)},{rng.choice(classes)}"
        for i in range(N_ROWS)
    ]
    return "\n".join(["id,age,zone,town,flag,since,y", *rows]) + "\n"


def wanted_of(X: Any, **options: Any) -> WantedColumns:
    schema = fit_columns(X).schema
    return WantedColumns(schema.names, len(schema.features), schema, **options)


def read_chunks(source: Any, wanted: WantedColumns, **options: Any) -> tuple[list[np.ndarray[Any, Any]], list[Any]]:
    """Return the matched columns of all chunks, and the kept columns."""
    with TableChunks.open(source, wanted, **options) as table:
        chunks = list(table.chunks)
    parts = [match_columns(chunk.X, wanted.schema).arrays for chunk in chunks]  # type: ignore[arg-type]
    kept = [None if chunk.kept is None else chunk.kept.to_pydict() for chunk in chunks]
    return [np.concatenate(column) for column in zip(*parts, strict=True)], kept


@pytest.mark.parametrize("block", [600, 1500, 2**22])
@pytest.mark.parametrize("as_text", [False, True])
def test_chunks_have_the_values_of_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, as_text: bool
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(mixed_text())
    table = read_table(path, target="y", drop_ids=True)
    assert table.kinds == {
        "age": "numeric",
        "zone": "nominal",
        "town": "nominal",
        "flag": "nominal",
        "since": "numeric",
    }
    monkeypatch.setattr(module, "BLOCK", block)
    found, _ = read_chunks(path, wanted_of(table.X, as_text=as_text))
    for actual, expected in zip(found, fit_columns(table.X).arrays, strict=True):
        assert_array_equal(actual, expected)


def test_kept_columns_are_the_text_of_the_file(tmp_path: Path) -> None:
    text = "id,age,note\n007,31.50,?\n008,?, NA \n"
    (tmp_path / "a.csv").write_text(text)
    wanted = wanted_of(pd.DataFrame({"age": [1.0]}), keep=("id", "age", "note"))
    _, kept = read_chunks(tmp_path / "a.csv", wanted)
    assert kept == [{"id": ["007", "008"], "age": ["31.50", "?"], "note": ["?", " NA "]}]


@pytest.mark.parametrize("text", ["age,town\n?,Bern\n?,Rome\n", "age,town\n31,1\n64,2\n", "age,town\n1.5,?\n2,?\n"])
def test_the_kinds_of_a_chunk_are_those_of_the_model(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    wanted = wanted_of(pd.DataFrame({"age": [31.0, 64.0], "town": ["1", "Bern"]}))
    with TableChunks.open(tmp_path / "a.csv", wanted) as table:
        X = next(table.chunks).X
    assert X["age"].dtype == np.float64
    assert X["town"].dtype == "category"


def test_categories_that_are_numbers_are_matched_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zone,x\n3,1\n7,1\n9,1\n")
    schema = fit_columns(pd.DataFrame({"zone": [3, 7], "x": [1, 2]}), nominal=["zone"]).schema
    (zone, _), _ = read_chunks(tmp_path / "a.csv", WantedColumns(schema.names, 2, schema))
    assert zone.tolist() == [0, 1, -1]


def test_numbers_in_parquet_match_categories_that_read_table_made_strings(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"zone": [3.0, 7.5, None, 10.0], "x": [1, 2, 3, 4]}).to_parquet(path, row_group_size=2)
    table = read_table(path, target=False, nominal=["zone"])
    found, _ = read_chunks(path, wanted_of(table.X), n_rows=1)
    assert_array_equal(found[0], [0, 1, -1, 2])  # 10.0 is "10.0" in a column with 7.5, and "10" in a chunk without


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_columnar_files_have_the_values_of_the_whole_table(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"a": [1.5, None, 3.0], "b": pd.Categorical(["x", "y", None]), "c": [True, False, True]})
    path = tmp_path / f"a.{suffix}"
    getattr(frame, f"to_{suffix}")(path)
    table = read_table(path, target=False)
    found, kept = read_chunks(path, wanted_of(table.X, keep=("a",)), n_rows=2)
    for actual, expected in zip(found, fit_columns(table.X).arrays, strict=True):
        assert_array_equal(actual, expected)
    assert [value for part in kept for value in part["a"]][::2] == [1.5, 3.0]


def test_compressed_and_encoded_files_and_streams_are_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 700)
    text = mixed_text()
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv", target="y", drop_ids=True)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "c.csv").write_bytes(text.encode("utf-16"))
    sources = [
        tmp_path / "b.csv.gz",
        tmp_path / "c.csv",
        io.BytesIO(text.encode()),
        io.BytesIO(gzip.compress(text.encode())),
    ]
    for source in sources:
        found, _ = read_chunks(source, wanted_of(table.X))
        for actual, expected in zip(found, fit_columns(table.X).arrays, strict=True):
            assert_array_equal(actual, expected)


def test_an_arff_stream_is_read_whole() -> None:
    text = b"@relation r\n@attribute age numeric\n@attribute y {no, yes}\n@data\n31,yes\n?,no\n"
    with TableChunks.open(io.BytesIO(text), WantedColumns(("age",), 1)) as table:
        assert not table.is_streamed
        assert_array_equal(next(table.chunks).X["age"], [31.0, np.nan])


def test_a_first_line_with_the_names_of_the_model_is_a_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("shape,colour\nshape,colour\nshape,red\n")
    wanted = wanted_of(pd.DataFrame({"shape": ["a"], "colour": ["red"]}))
    (_, colour), _ = read_chunks(tmp_path / "a.csv", wanted)
    assert colour.tolist() == [-1, 0]


def test_columns_are_taken_by_position_where_the_model_has_no_names(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("p,q\n1,2\n3,4\n")
    schema = fit_columns([[1.0, 2.0]]).schema
    with TableChunks.open(tmp_path / "a.csv", WantedColumns(None, 2, schema)) as table:
        assert list(next(table.chunks).X) == ["p", "q"]
    with (
        pytest.raises(SchemaError, match="has 2 columns, and the model was fitted with 3"),
        TableChunks.open(tmp_path / "a.csv", WantedColumns(None, 3)),
    ):
        pass


def test_a_row_of_another_width_is_named_by_its_line_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 64)
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2\n" * 100 + "1,2,3\n" + "1,2\n" * 10)
    with (
        pytest.raises(ReadError, match="line 102: has 3 field"),
        TableChunks.open(tmp_path / "a.csv", WantedColumns(("a",), 1)) as table,
    ):
        list(table.chunks)


def test_a_byte_that_is_not_text_is_named_by_its_line_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 64)
    (tmp_path / "a.csv").write_bytes(b"a,b\n" + b"1,x\n" * 100 + b"1,caf\xe9\n")
    with (
        pytest.raises(ReadError, match="line 102: byte 0xe9 is not UTF-8"),
        TableChunks.open(tmp_path / "a.csv", wanted_of(pd.DataFrame({"b": ["x"]})), encoding="utf-8") as table,
    ):
        list(table.chunks)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n", "has a header but no rows"),
        (b"%PDF-1.7 ...", "is a PDF document"),
        (b"\x1f\x8b broken", "damaged compressed"),
    ],
)
def test_files_that_hold_no_table_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    wanted = WantedColumns(("a",), 1)
    with pytest.raises(ReadError, match=message), TableChunks.open(tmp_path / "a.csv", wanted) as table:
        list(table.chunks)


def test_a_column_to_keep_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,b\n1,2\n")
    with (
        pytest.raises(ParameterError, match=r"no column 'agee'.* Did you mean 'age'"),
        TableChunks.open(tmp_path / "a.csv", WantedColumns(("age",), 1, keep=("agee",))),
    ):
        pass


@pytest.mark.parametrize("size", [1, 3, 7, 20, 64])
def test_blocks_end_with_rows_wherever_the_file_is_cut(size: int) -> None:
    raw = b'a,"x\ny"\n1,"5"" pipe"\n\n2,5" pipe\n3,"\n\n"\n4,z'
    parts = chain([raw[at : at + size] for at in range(0, len(raw), size)], [b""])
    blocks = RowBlocks(next(parts), lambda: next(parts), ",")
    found = [blocks.end_at_row() if b'"' in block else block for block in blocks]
    assert b"".join(found) == raw
    starts = (b'a,"x', b'1,"5""', b"\n", b"2,5", b'3,"', b"4,z")
    assert all(block.startswith(starts) for block in found)


def test_a_late_byte_that_is_not_utf_8_makes_a_file_cp1252(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 64)
    (tmp_path / "a.csv").write_bytes(b"a,b\n" + b"1,x\n" * 100 + b"1,caf\xe9\n")
    with TableChunks.open(tmp_path / "a.csv", wanted_of(pd.DataFrame({"b": ["x"]}))) as table:
        assert list(table.chunks)[-1].X["b"].iloc[-1] == "café"
        assert table.reading is not None
        assert table.reading.encoding == "cp1252"


@pytest.mark.parametrize("block", [1, 5, 64])
def test_utf_8_is_understood_wherever_a_block_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    (tmp_path / "a.csv").write_text("a,b\n" + "1,Zürich €\n" * 30, encoding="utf-8")
    with TableChunks.open(tmp_path / "a.csv", wanted_of(pd.DataFrame({"b": ["x"]}))) as table:
        assert set(chain.from_iterable(chunk.X["b"] for chunk in table.chunks)) == {"Zürich €"}


def test_letters_of_two_encodings_in_later_blocks_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(module, "_HEAD", 64)
    content = b"a,b\n" + b"1,x\n" * 30 + "1,Zürich\n".encode() + b"1,x\n" * 30 + b"1,caf\xe9\n"
    (tmp_path / "a.csv").write_bytes(content)
    with (
        pytest.raises(ReadError, match="mixes encodings"),
        TableChunks.open(tmp_path / "a.csv", wanted_of(pd.DataFrame({"b": ["x"]}))) as table,
    ):
        list(table.chunks)


def test_chunks_are_read_in_the_notation_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 128)
    rows = [f"{i}.{i:03d},50;{i % 28 + 1:02d}.03.2021;x" if i % 5 else "-;-;x" for i in range(1, 60)]
    (tmp_path / "a.csv").write_text("\n".join(["a;d;b", *rows]))
    whole = read_table(tmp_path / "a.csv", target=False).X
    with TableChunks.open(tmp_path / "a.csv", wanted_of(whole)) as table:
        found = pd.concat([chunk.X for chunk in table.chunks])
    assert_array_equal(found["a"], whole["a"])
    assert_array_equal(found["d"], whole["d"])
