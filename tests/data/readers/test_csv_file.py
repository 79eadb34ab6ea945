"""Values, types and encodings of CSV and TSV files."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibrant.data import read_table
from calibrant.exceptions import ReadError


def test_numbers_strings_and_missing_values_are_distinguished(write):
    table = read_table(write("age,town,gives\n31,Bern,yes\n?,Rome,no\n64,,no\n"))
    assert table.kinds == {"age": "numeric", "town": "nominal"}
    np.testing.assert_array_equal(table.X["age"], [31, np.nan, 64])
    assert table.X["town"].isna().tolist() == [False, False, True]
    assert table.y.tolist() == ["yes", "no", "no"]


@pytest.mark.parametrize("word", ["", "?", "NA", "NaN", "null", "NULL", "None", "N/A"])
def test_the_usual_words_for_missing_values_are_missing(write, word):
    X = read_table(write(f"a,b,y\n1,x,0\n{word},{word},1\n")).X
    assert X["a"].isna().tolist() == X["b"].isna().tolist() == [False, True]


def test_integers_of_few_values_stay_numeric_unless_specified(write):
    path = write("zone,size,y\n1,5,a\n2,5,b\n1,6,a\n")
    assert read_table(path).kinds == {"zone": "numeric", "size": "numeric"}
    assert read_table(path, nominal=["zone"]).kinds == {"zone": "nominal", "size": "numeric"}
    assert set(read_table(path, nominal="all").kinds.values()) == {"nominal"}


@pytest.mark.parametrize("nominal", [["code"], [0], [True, False], "all"])
def test_columns_specified_as_nominal_are_read_as_text(write, nominal):
    assert read_table(write("code,n,y\n007,1,a\n010,2,b\n"), nominal=nominal).X["code"].tolist() == ["007", "010"]


def test_booleans_are_nominal_and_dates_numeric(write):
    table = read_table(write("ok,when,at,y\ntrue,2020-01-01,10:30,a\n,2021-01-01,,b\nfalse,,11:00,b\n"))
    assert table.kinds == {"ok": "nominal", "when": "numeric", "at": "numeric"}
    assert table.X["at"].tolist()[0] == 37_800_000_000


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("a;b;y\n1,5;x;u\n2,5;z;v\n", "t.csv"),
        ("a\tb\ty\n1.5\tx\tu\n2.5\tz\tv\n", "t.tsv"),
        ("a|b|y\n1.5|x|u\n2.5|z|v\n", "t.txt"),
    ],
)
def test_the_separator_is_inferred_from_the_first_lines(write, content, name):
    table = read_table(write(content, name))
    assert table.X["a"].tolist() == [1.5, 2.5]
    assert table.X["b"].tolist() == ["x", "z"]


def test_a_separator_passed_is_used(write):
    assert read_table(write("a:b\n1:x\n"), sep=":").X["a"].tolist() == [1]


def test_blanks_beside_separators_are_dropped_and_values_behind_them_are_read(write):
    table = read_table(
        write("age, work, hours, income\n39, State-gov, 40, <=50K\n 50, ?, ?, >50K\n?, Private, 13 , <=50K\n")
    )
    assert table.X["work"].dropna().tolist() == ["State-gov", "Private"]
    np.testing.assert_array_equal(table.X["hours"], [40, np.nan, 13])
    assert table.class_counts == {"<=50K": 2, ">50K": 1}


def test_quotes_hold_separators_and_line_ends(write):
    table = read_table(write('"a, b",y\n"x\ny",1\n"say ""hi""",2\n'))
    assert table.X["a, b"].tolist() == ["x\ny", 'say "hi"']


def test_header_and_names_can_be_passed(write):
    assert list(read_table(write("1,2\n3,4\n"), header=True).X.columns) == ["1"]
    assert read_table(write("a,b\nc,d\n"), header=False).n_rows == 2
    assert list(read_table(write("1,2\n3,4\n"), names=["p", "q"]).X.columns) == ["p"]


def test_a_nameless_first_column_that_counts_the_rows_is_not_a_feature(write):
    table = read_table(write(",a,y\n0,1.5,n\n1,2.5,p\n2,3.5,p\n"))
    assert list(table.X.columns) == ["a"]
    assert list(table.extra.columns) == ["column_0"]


@pytest.mark.parametrize("target", ["a", 0, -3])
def test_the_class_is_the_last_column_by_default(write, target):
    path = write("a,b,c\n1,2,3\n4,5,6\n")
    assert read_table(path).y.name == "c"
    assert read_table(path, target=target).y.name == "a"


def test_a_table_may_have_no_class(write):
    table = read_table(write("a,b\n1,2\n"), target=False)
    assert table.y is None
    assert list(table.X.columns) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_recognised(write, encoding):
    assert read_table(write("a,y\ncafé,1\n".encode(encoding))).X["a"].tolist() == ["café"]


def test_an_encoding_passed_is_used(write):
    assert read_table(write("café,y\nthé,1\n".encode("latin-1")), encoding="latin-1").X["café"].tolist() == ["thé"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_an_encoding_is_found_by_its_mark_utf_8_zero_bytes_or_else_cp1252(write, encoding):
    table = read_table(write("Straße,y\nZürich,1\nGenève,2\n".encode(encoding)))
    assert table.X["Straße"].tolist() == ["Zürich", "Genève"]
    named = encoding.replace("-sig", "")
    assert table.reading.encoding == named
    assert (named == "utf-8") == (table.reading.text == "")


def test_a_very_long_line_is_read(write):
    assert len(read_table(write("a,y\n" + "x" * 5_000_000 + ",1\ny,2\n")).X["a"][0]) == 5_000_000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_and_blank_lines_are_fine(write, end):
    table = read_table(write(f"{end}a,y{end}1,u{end}{end}2,v{end}"))
    assert table.X["a"].tolist() == [1, 2]


WRONG = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "comments only": (b"#-\n\r\t", "is empty"),
    "odd blanks only": (b"\x1e\x1e ", "is empty"),
    "header only": (b"a,b\n", "has a header but no rows"),
    "one column": (b"a\n1\n", "has one column, 'a'"),
    "doubled": (b"a,b,a\n1,2,3\n", r"column 'a' twice \(columns 1 and 3\)"),
    "short row": (b"a,b,c\n1,2,3\n4,5\n", r"line 3: has 2 field\(s\) where the first row has 3"),
    "long row": (b"a,b\n1,2\n3,4\n5,6,7\n", r"line 4: has 3 field\(s\)"),
    "two encodings": (
        "a,b\n1,ü\n".encode() + "2,ü\n".encode("cp1252"),
        "line 3: byte 0xfc is not UTF-8, and line 2 has",
    ),
    "random bytes": (np.random.default_rng(0).bytes(4096), "holds random or binary bytes, not text"),
    "too wide": (b",".join(b"c" for _ in range(200_000)) + b"\n", "has 200,000 columns"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_names_the_file_the_line_and_a_remedy(write, name):
    content, words = WRONG[name]
    with pytest.raises(ReadError, match=words) as caught:
        read_table(write(content))
    assert "t.csv" in str(caught.value)


def test_an_unknown_encoding_raises(write):
    with pytest.raises(ReadError, match="there is no encoding 'klingon'"):
        read_table(write("a,b\n1,2\n"), encoding="klingon")


cells = st.one_of(
    st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5).map(str.strip)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.integers(-(2**53), 2**53), cells), min_size=1, max_size=20))
def test_what_pandas_writes_is_read_back(write, rows):
    frame = pd.DataFrame(rows, columns=["f", "i", "s"]).assign(y=[f"c{k % 2}" for k in range(len(rows))])
    read = read_table(write(frame.to_csv(index=False)), nominal=["s"], header=True).X
    np.testing.assert_array_equal(read["f"], frame["f"])
    np.testing.assert_array_equal(read["i"], frame["i"])
