"""Separator, header, preamble and unnamed columns of CSV files."""

import csv
import math

import pytest

from calibrant.data import read_table
from calibrant.data._readers.csv_layout import split_rows
from calibrant.exceptions import DataError, ReadError


def columns(table):
    return [*table.X.columns, *([] if table.y is None else [table.y.name])]


# --- header -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("country,2019,2020,cls\nFR,1,2,a\nDE,3,4,b\nFR,5,6,a\n", ["country", "2019", "2020", "cls"]),
        ("a,class\n1,class\n2,other\n", ["a", "class"]),
        ("0,1,target\n5.1,3.5,7\n4.9,3.0,8\n", ["0", "1", "target"]),
        ("id,5,y\n1,2,u\n2,9,v\n", ["id", "5", "y"]),
        ("age,town\n?,Bern\n31,Rome\n", ["age", "town"]),
    ],
)
def test_words_above_numbers_and_distant_years_are_a_header(write, content, names):
    assert columns(read_table(write(content))) == names


@pytest.mark.parametrize(
    "content",
    [
        "5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n7.0,3.2,Iris-virginica\n",
        "y,n,dem\ny,y,rep\nn,y,dem\n",
        "2019,a\n2020,b\n2021,c\n",
        "?,red,1\n5,blue,2\n",
        "5,1;3,2;a\n4,9;3,1;b\n",
    ],
)
def test_a_first_line_of_data_is_not_a_header(write, content):
    table = read_table(write(content))
    assert table.n_rows == content.count("\n")
    assert columns(table)[0] == "x0"
    assert "looks like data" in table.notes[0]


def test_a_header_that_was_ruled_out_needs_no_note(write):
    assert read_table(write("a,b\nc,d\n"), header=False, target=-1).notes == ()


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\n\n", "# c\na,b"])
def test_a_header_without_rows_is_named(write, content):
    with pytest.raises(ReadError, match="has a header but no rows"):
        read_table(write(content))


# --- separator ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b;c,d\n1,x;y,z\n2,u;v,w\n", ["a", "b;c", "d"]),
        ("a,b;c,d\n1,2;3,4\n5,6;7,8\n", ["a", "b;c", "d"]),
        ("a;b;c\n1,5;2,5;x\n3;4,5;y\n", ["a", "b", "c"]),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", ["x0", "x1", "x2"]),
        ("a;b;c\n1;2;x\n3;4;y\n", ["a", "b", "c"]),
        ('a;b\n"1;2;3";x\n"4\n5";y\n', ["a", "b"]),
        ("a b c\n1 2 x\n3 4 y\n", ["a", "b", "c"]),
    ],
)
def test_the_separator_that_gives_the_most_fields_on_every_line_is_used(write, content, names):
    assert columns(read_table(write(content))) == names


def test_a_ragged_file_is_split_by_the_separator_of_its_header(write):
    with pytest.raises(ReadError, match=r"line 3: has 2 field\(s\) where the first row has 3"):
        read_table(write("a;b;c\n1;2;x\n3;y\n"))


# --- preamble and unnamed columns -------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_the_separator_line_of_excel_is_used(write, first):
    assert columns(read_table(write(f"{first}\na;b,c;y\n1;2;u\n"))) == ["a", "b,c", "y"]


def test_blank_lines_are_skipped(write):
    table = read_table(write('  \n\na,b,y\n \n1,"u",x\n   \n2,v,z\n  '))
    assert columns(table) == ["a", "b", "y"]
    assert table.X["a"].tolist() == [1, 2]


@pytest.mark.parametrize("header", [None, False])
def test_comments_before_the_table_are_skipped_with_a_note(write, header):
    table = read_table(write("# from the clinic, 2020\n#\n\n5,6,x\n3,4,y\n"), header=header)
    assert table.n_rows == 2
    assert table.notes[0] == "Lines that start with # before the table are skipped: '# from the clinic, 2020'."


@pytest.mark.parametrize("name", ["#", "#id"])
def test_a_column_may_be_named_like_a_comment(write, name):
    assert columns(read_table(write(f"{name},b,y\n7,2,u\n9,4,v\n"))) == [name, "b", "y"]


@pytest.mark.parametrize(
    "content",
    [
        '"mpg" "gear" "am"\n"Mazda RX4" 21 4 "yes"\n"Fiat 128" 32.4 4 "no"\n',
        "mpg,gear,am\nMazda,21,4,yes\nFiat,32.4,4,no\n",
    ],
)
def test_the_row_names_of_r_are_not_a_feature(write, content):
    table = read_table(write(content))
    assert columns(table) == ["mpg", "gear", "am"]
    assert list(table.extra.columns) == ["row_names"]
    assert "one name fewer" in table.notes[0]


def test_a_separator_at_the_end_of_every_line_makes_no_column(write):
    table = read_table(write("a,b,c,\n1,2,x,\n3,4,y,\n"), target="c")
    assert columns(table) == ["a", "b", "c"]
    assert table.notes == ("Every line ends in a separator; the unnamed, empty column after it is dropped.",)
    assert columns(read_table(write("1;2;x;\n3;4;y;\n"))) == ["x0", "x1", "x2"]


def test_a_last_column_without_a_name_but_with_values_stays(write):
    rows = "1,x,\n" * 600
    assert columns(read_table(write("a,b,\n" + rows + "3,y,z\n"))) == ["a", "b", "column_2"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b,c\n1,2,x,\n3,4,y,\n", r"line 2: has 4 field\(s\) where the first row has 3, because it ends in a ','"),
        ("a,b,c,\n1,2,x\n", r"line 2: has 3 field\(s\) where the first row has 4, because the header ends in a ','"),
    ],
)
def test_a_separator_at_the_end_of_some_lines_is_named(write, content, words):
    with pytest.raises(ReadError, match=words):
        read_table(write(content))


def test_a_class_that_is_missing_everywhere_raises_by_name(write):
    with pytest.raises(DataError, match=r"t: the class column 'y' is missing in every row. Pass target="):
        read_table(write("a,y\n1,?\n2,\n"))


# --- nominal by position ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nominal", [[1], [-1], [False, True], ["b"]])
@pytest.mark.parametrize(
    "content", [",a,b,c\n0,1,5,x\n1,2,6,y\n", "a,b,c,\n1,5,x,\n2,6,y,\n", "a,b,c\nr,1,5,x\ns,2,6,y\n"]
)
def test_positions_refer_to_the_features_of_the_table(write, content, nominal):
    assert read_table(write(content), nominal=nominal).kinds == {"a": "numeric", "b": "nominal"}


def test_positions_count_a_first_column_that_stops_counting_the_rows(write):
    rows = "".join(f"{i % 600},0{i},5,x\n" for i in range(1200))
    table = read_table(write(",a,b,c\n" + rows), nominal=[False, True, False])
    assert table.kinds == {"column_0": "numeric", "a": "nominal", "b": "numeric"}
    assert table.X["a"][1] == "01"


# --- cells --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['a,b\n"x,1","y\nz"\n', 'a,"b""c"\n,""\n', '"a"b,c\n1,2"\n', '5",6\n7,8\n'])
def test_rows_are_split_as_by_the_csv_module(text):
    assert [row.cells for row in split_rows(text, ",")] == list(csv.reader(text.splitlines(keepends=True)))


def test_reading_does_not_change_the_csv_module(write):
    before = csv.field_size_limit()
    read_table(write("a,y\n" + "x" * 200_000 + ",1\n"))
    assert csv.field_size_limit() == before


def test_a_blank_missing_value_leaves_dates_and_times_what_they_are(write):
    X = read_table(write("d,t,s,y\n2020-01-02,10:30, 2020-01-02 10:00,a\n , ,   ,b\n2021-01-02,11:00,2021-01-02,b\n")).X
    assert X["d"].dtype.kind == X["s"].dtype.kind == "M"
    assert X["t"].tolist()[0] == 37_800_000_000
    assert math.isnan(X["t"][1])
