"""read_table finds the reader, and the same rows mean the same in every format."""

import pandas as pd
import pytest

from calibrant.data import read_table
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


def test_a_test_file_takes_the_names_beside_it_or_those_given(folder):
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


def test_the_class_of_interest_can_be_told(folder):
    assert read_table(folder / "t.arff", positive="yes").positive == "yes"
    with pytest.raises(DataError, match=r"has no class 'yess'. Did you mean 'yes'\?"):
        read_table(folder / "t.arff", positive="yess")


@pytest.mark.parametrize(
    ("target", "words"), [("twon", r"no column 'twon' .* Did you mean 'town'\?"), (9, "target=9 is none of them")]
)
def test_a_class_column_that_is_not_there_is_refused(folder, target, words):
    with pytest.raises(SchemaError, match=words):
        read_table(folder / "t.arff", target=target)


def test_another_column_can_be_the_class(folder):
    table = read_table(folder / "t.arff", target="town")
    assert list(table.X.columns) == ["age", "class"]


def test_numbers_told_nominal_are_categories_in_the_order_of_the_numbers(tmp_path):
    pd.DataFrame({"zone": [10, 9, None], "y": list("aba")}).to_parquet(tmp_path / "t.parquet")
    zone = read_table(tmp_path / "t.parquet", nominal=["zone"]).X["zone"]
    assert zone.cat.categories.tolist() == ["9", "10"]
    assert zone.isna().tolist() == [False, False, True]


def test_a_file_of_one_column_is_refused_unless_it_has_no_class(tmp_path):
    (tmp_path / "t.arff").write_text("@relation t\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(ReadError, match="has one column, 'a'"):
        read_table(tmp_path / "t.arff")
    assert read_table(tmp_path / "t.arff", target=False).n_features == 1


def test_a_nominal_column_of_100_000_values_is_read(tmp_path):
    rows = "".join(f"id{i},{i % 2}\n" for i in range(100_000))
    (tmp_path / "t.csv").write_text("who,y\n" + rows)
    assert read_table(tmp_path / "t.csv").X["who"].nunique() == 100_000
