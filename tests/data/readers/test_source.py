"""The bytes of a file: missing, compressed, with a byte order mark, or of another format than its name."""

import bz2
import contextlib
import gzip
import io
import lzma
import sqlite3
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow
import pytest

from calibrant.data import read_table
from calibrant.data._readers import compression, source
from calibrant.data._readers.source import read_bytes
from calibrant.exceptions import MissingFileError, ReadError


def test_gzip_is_decompressed_with_all_members_and_without_padding(write):
    compressed = gzip.compress(b"a,y\n1,x\n") + gzip.compress(b"2,z\n") + bytes(8)
    table = read_table(write(compressed, "t.csv.gz"))
    assert (table.name, table.n_rows) == ("t", 2)


def test_damaged_gzip_raises(write):
    with pytest.raises(ReadError, match="damaged compressed"):
        read_table(write(gzip.compress(b"a,b\n1,2\n" * 500)[:30], "t.csv.gz"))


def test_a_gzip_bomb_does_not_fill_the_memory(write, monkeypatch):
    monkeypatch.setattr(compression, "_MIN_BOMB_SIZE", 2**20)
    monkeypatch.setattr(compression, "_CHUNK", 2**16)
    with pytest.raises(ReadError, match=r"t.csv.gz: expands to more than \d+ MB, over 200 times the bytes read"):
        read_table(write(gzip.compress(b"1,2\n" * 2**22), "t.csv.gz"))


def test_a_gzip_bomb_is_refused_after_100_mb_however_large_it_is(write):
    """Of these 20 MB, which hold 20 GB, a file of the same ratio used to be expanded to 200 times its size."""
    member = gzip.compress(bytes(2**28), compresslevel=9)
    bomb = write(member * (20_000_000 // len(member)), "t.csv.gz")
    tracemalloc.start()
    try:
        with pytest.raises(ReadError, match=r"expands to more than 1\d\d MB, over 200 times the bytes read"):
            read_bytes(bomb)
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()


def test_a_table_that_compresses_well_is_not_a_bomb(write):
    text = b"a,y\n" + b"1234567,x\n" * 2_000_000
    assert read_bytes(write(gzip.compress(text), "t.csv.gz")) == text


@pytest.mark.parametrize("size", [1_000, 50_000])
@pytest.mark.parametrize("name", ["t.csv", "t.arff", "t.names", "t", "t.txt"])
@pytest.mark.parametrize("encoding", [None, "latin-1", "cp1252"])
def test_random_bytes_are_called_that(write, size, name, encoding):
    path = write(np.random.default_rng(size).bytes(size), name)
    write("a,y\n", "t.data")
    with pytest.raises(
        ReadError, match=r"holds random or binary bytes, not text.*Check that it is the right file"
    ) as caught:
        read_table(path, encoding=encoding)
    assert "latin-1" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251", "shift_jis", "gb18030", "koi8-r", "cp1252", "euc_kr"])
def test_text_of_another_encoding_is_not_called_random(write, encoding):
    words = {"latin-1": "café", "cp1252": "café", "shift_jis": "日本語", "gb18030": "汉字", "euc_kr": "한국어"}
    text = f"{words.get(encoding, 'город')},y\n" + "1,2\n" * 50
    with contextlib.suppress(ReadError):  # cp1252 lacks five bytes
        assert read_table(write(text.encode(encoding))).n_rows == 50
    assert read_table(write(text.encode(encoding)), encoding=encoding).n_rows == 50


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_not_called_random(write, encoding):
    content = ("город,y\n" + "да,нет\n" * 50).encode(encoding)
    with pytest.raises(ReadError, match="encoding"):
        read_table(write(content))
    assert read_table(write(content), encoding=encoding).n_rows == 50


def test_a_large_file_is_read_completely(write):
    text = "a,y\n" + "1234567,x\n" * 2_000_000
    assert read_bytes(write(text)) == text.encode()


def test_a_file_larger_than_the_memory_raises_a_read_error(write, monkeypatch):
    path = write("a,y\n1,x\n")

    def full(_):
        raise MemoryError

    monkeypatch.setattr("pathlib.Path.read_bytes", full)
    with pytest.raises(ReadError, match=r"t.csv: is larger than the memory"):
        read_table(path)


def test_a_missing_file_is_also_file_not_found(tmp_path):
    with pytest.raises(MissingFileError, match="no such file") as caught:
        read_table(tmp_path / "nowhere.csv")
    assert isinstance(caught.value, FileNotFoundError)


def test_a_folder_raises(tmp_path):
    with pytest.raises(ReadError, match="is a folder, not a file"):
        read_table(tmp_path)


@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF-8", "utf_8", "utf-8-sig"])
def test_a_byte_order_mark_is_not_part_of_the_first_name(write, encoding):
    path = write("\ufeffa,y\n1,x\n".encode())
    assert list(read_table(path, encoding=encoding).X.columns) == ["a"]


def excel():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
    return buffer.getvalue()


def archive(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as compressed:
        for name in names:
            compressed.writestr(name, "a,y\n1,2\n3,4\n")
    return buffer.getvalue()


def database(path):
    sqlite3.connect(path).execute("create table t (a)").connection.close()
    return path.read_bytes()


def columnar(write):
    buffer = io.BytesIO()
    getattr(pd.DataFrame({"a": [1], "y": ["u"]}), write)(buffer)
    return buffer.getvalue()


FOREIGN = {
    "xlsx": (lambda _: excel(), "is no complete workbook"),
    "xls": (lambda _: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "is no complete workbook"),
    "zip": (lambda _: archive("a.csv", "b.csv"), "is a zip archive of 2 files, such as 'a.csv'"),
    "cut off zip": (lambda _: archive("a.csv")[:40], "is a damaged compressed file"),
    "bz2": (lambda _: bz2.compress(b"a,y\n1,2\n"), "is compressed with bzip2"),
    "xz": (lambda _: lzma.compress(b"a,y\n1,2\n"), "is compressed with xz"),
    "zstd": (lambda _: b"\x28\xb5\x2f\xfd" + b"\xff" * 99, r"is a damaged compressed file \(zstd\)"),
    "sqlite": (lambda folder: database(folder / "d"), "is an SQLite database"),
    "pdf": (lambda _: b"%PDF-1.7\n", "is a PDF document"),
    "html": (lambda _: b"<!DOCTYPE html><html>", "is a web page"),
    "parquet": (
        lambda _: columnar("to_parquet"),
        r"is a Parquet file, by its first bytes. Rename it to end in .parquet",
    ),
    "feather": (
        lambda _: columnar("to_feather"),
        r"is a Feather file, by its first bytes. Rename it to end in .feather",
    ),
}


@pytest.mark.parametrize("name", ["t.csv.zip", "t.csv.zst", "t.zip"])
def test_zip_and_zstd_are_decompressed(write, name):
    zstd = pyarrow.compress(b"a,y\n1,2\n3,4\n", "zstd", asbytes=True)
    hidden = archive("t.csv", "__MACOSX/._t.csv", "folder/")
    table = read_table(write(zstd if name.endswith("zst") else hidden, name))
    assert (table.name, table.n_rows) == ("t", 2)


def test_an_encrypted_archive_is_named(write):
    damaged = bytearray(archive("t.csv"))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        damaged[damaged.index(magic) + at] |= 1  # the flag of an encrypted member
    with pytest.raises(ReadError, match="is an encrypted zip archive"):
        read_table(write(bytes(damaged), "t.zip"))


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", ["t.csv", "t.arff"])
def test_a_file_of_another_format_is_recognized_by_its_first_bytes(write, tmp_path, kind, name):
    make, words = FOREIGN[kind]
    with pytest.raises(ReadError, match=f"{name}: {words}"):
        read_table(write(make(tmp_path), name))


def test_text_that_begins_like_another_format_is_text(write):
    assert read_table(write("BZh,PAR1\n1,2\n")).n_rows == 1


@pytest.mark.parametrize("options", [{}, {"nominal": ["b"]}])
def test_one_byte_that_is_not_utf_8_deep_in_a_file_makes_it_cp1252(write, options):
    content = b"a,b,y\n" + b"1,xxxx,z\n" * 300_000 + b"1,caf\xe9,z\n"
    table = read_table(write(content), **options)
    assert table.X["b"].iloc[-1] == "café"
    assert table.reading.encoding == "cp1252"


def test_text_called_parquet_is_text(write):
    with pytest.raises(ReadError, match=r"is text, not a Parquet file. Rename it to end in .csv"):
        read_table(write("a,y\n1,ü\n2,z\n", "t.parquet"))
    with pytest.raises(ReadError, match="is a PNG image"):
        read_table(write(b"\x89PNG\r\n\x1a\n\0\0", "t.csv"))


def test_text_that_does_not_fit_memory_is_refused_before_it_is_read(write, monkeypatch):
    path = write("a,y\n" + "1,x\n2,z\n" * 1_000, "t.csv")
    monkeypatch.setattr(source, "machine_memory", lambda: 40_000)
    with pytest.raises(ReadError, match=r"holds 8e-06 GB of text, which takes about .* to be read whole. This machine"):
        read_table(path)
    monkeypatch.setattr(source, "machine_memory", lambda: 50_000)
    assert read_table(path).n_rows == 2_000


def test_a_table_of_20_000_columns_is_read(write):
    names = [f"x{j}" for j in range(20_000)]
    table = read_table(write(",".join([*names, "y"]) + "\n" + ",".join(["1.5"] * 20_000 + ["a"]) + "\n"))
    assert table.n_features == 20_000
