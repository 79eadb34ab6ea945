"""`read_table` chooses the reader, and the same rows give the same table in every format."""

import gzip
import time

import numpy as np
import pandas as pd
import pytest

from calibrant.data import read_table
from calibrant.data._tables.assemble import as_nominal
from calibrant.exceptions import DataError, ReadError, SchemaError

NAMES = "yes, no.\nage: continuous.\ntown: Bern, Rome, Oslo.\n"
DATA = "31, Bern, yes\n?, Rome, no\n"
ARFF = """@relation t
@attribute age numeric
@attribute town {Bern,Rome,Oslo}
@attribute class {yes,no}
@data
31,Bern,yes
?,Rome,no
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.names").write_text(NAMES)
    (tmp_path / "t.data").write_text(DATA)
    (tmp_path / "t.test").write_text("64, Oslo, no.\n")
    (tmp_path / "t.arff").write_text(ARFF)
    (tmp_path / "t").write_text("% a comment\n\n" + ARFF)
    return tmp_path


@pytest.mark.parametrize("name", ["t.names", "t.data", "t.arff", "t"])
def test_the_same_rows_mean_the_same_in_every_format(folder, name):
    table = read_table(folder / name)
    assert table.kinds == {"age": "numeric", "town": "nominal"}
    assert table.X["town"].cat.categories.tolist() == ["Bern", "Rome", "Oslo"]
    assert table.y.cat.categories.tolist() == ["yes", "no"]
    assert table.X.isna().sum().tolist() == [1, 0]


def test_a_test_file_uses_the_names_file_in_its_folder_or_the_one_passed(folder):
    assert read_table(folder / "t.test").class_counts == {"no": 1}
    other = (folder / "t.test").rename(folder / "later.test")
    assert read_table(other, names=folder / "t.names").class_counts == {"no": 1}


def test_a_data_file_without_names_is_read_as_csv(tmp_path):
    (tmp_path / "iris.data").write_text("5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n")
    assert read_table(tmp_path / "iris.data").kinds == {"x0": "numeric", "x1": "numeric"}


def test_names_without_data_names_the_missing_file(folder):
    (folder / "t.data").unlink()
    with pytest.raises(FileNotFoundError, match=r"t.data: no such file"):
        read_table(folder / "t.names")


def test_the_class_of_interest_can_be_specified(folder):
    assert read_table(folder / "t.arff", positive="yes").positive == "yes"
    with pytest.raises(DataError, match=r"has no class 'yess'. Did you mean 'yes'\?"):
        read_table(folder / "t.arff", positive="yess")


@pytest.mark.parametrize(
    ("target", "words"), [("twon", r"no column 'twon' .* Did you mean 'town'\?"), (9, "target=9 is out of range")]
)
def test_a_class_column_that_does_not_exist_raises(folder, target, words):
    with pytest.raises(SchemaError, match=words):
        read_table(folder / "t.arff", target=target)


def test_another_column_can_be_the_class(folder):
    table = read_table(folder / "t.arff", target="town")
    assert list(table.X.columns) == ["age", "class"]


def test_numbers_specified_as_nominal_are_categories_in_the_order_of_the_numbers(tmp_path):
    pd.DataFrame({"zone": [10, 9, None], "y": list("aba")}).to_parquet(tmp_path / "t.parquet")
    zone = read_table(tmp_path / "t.parquet", nominal=["zone"]).X["zone"]
    assert zone.cat.categories.tolist() == ["9", "10"]
    assert zone.isna().tolist() == [False, False, True]


def test_a_file_of_one_column_raises_unless_it_has_no_class(tmp_path):
    (tmp_path / "t.arff").write_text("@relation t\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(
        ReadError, match=r"has one column, 'a', .* feature. Pass target=False if the table has no class"
    ):
        read_table(tmp_path / "t.arff")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(ReadError, match="Pass sep= if another character separates the columns"):
        read_table(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.arff", target=False).n_features == 1


def test_a_nominal_column_of_100_000_values_is_read(tmp_path):
    rows = "".join(f"id{i},{i % 2}\n" for i in range(100_000))
    (tmp_path / "t.csv").write_text("who,y\n" + rows)
    assert read_table(tmp_path / "t.csv").X["who"].nunique() == 100_000


@pytest.mark.parametrize(
    "endings", [(".NAMES", ".DATA"), (".names", ".DATA"), (".Names", ".data"), (".names", ".data.gz")]
)
def test_endings_in_capitals_and_compressed_data_are_found(tmp_path, endings):
    names, data = (tmp_path / f"t{ending}" for ending in endings)
    names.write_text(NAMES)
    data.write_bytes(gzip.compress(DATA.encode()) if data.suffix == ".gz" else DATA.encode())
    for path in (names, data):
        assert read_table(path).X["town"].cat.categories.tolist() == ["Bern", "Rome", "Oslo"]


@pytest.mark.parametrize(
    ("numbers", "categories"),
    [
        ([2.0**63, 1.0], ["1", "9.223372036854776e+18"]),
        ([1e300, 2.0], ["2", "1e+300"]),
        ([np.inf, 1.0, -np.inf], ["-inf", "1", "inf"]),
        ([np.inf, 1.5], ["1.5", "inf"]),
        ([0.1, 2.0], ["0.1", "2.0"]),
    ],
)
def test_large_and_infinite_numbers_can_be_nominal(numbers, categories):
    assert as_nominal(pd.Series([*numbers, None])).cat.categories.tolist() == categories


@pytest.mark.long
@pytest.mark.parametrize(("cell", "nominal"), [("1", None), ("x", None), ("1", "names")])
def test_a_wide_csv_file_is_read_in_time_that_grows_with_its_width(tmp_path, cell, nominal):
    names = [f"c{j}" for j in range(30_001)]
    rows = [",".join([value] * len(names)) for value in (cell, "2", cell)]
    (tmp_path / "t.csv").write_text("\n".join([",".join(names), *rows]))
    start = time.process_time()
    assert read_table(tmp_path / "t.csv", nominal=names[:-1] if nominal else None).n_features == 30_000
    assert time.process_time() - start < 60  # quadratic time takes many minutes


def test_too_many_attributes_raise_in_every_format(tmp_path):
    attributes = "".join(f"@attribute a{j} numeric\n" for j in range(100_002))
    (tmp_path / "t.arff").write_text("@relation r\n" + attributes)
    (tmp_path / "t.names").write_text("u, v.\n" + "".join(f"a{j}: continuous.\n" for j in range(100_002)))
    (tmp_path / "t.data").write_text("1\n")
    for name in ("t.arff", "t.names"):
        with pytest.raises(ReadError, match=f"{name}: has 100,001 columns. calibrant reads at most 100,000"):
            read_table(tmp_path / name)
