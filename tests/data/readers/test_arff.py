"""ARFF files, against the description of the format and the behaviour of Weka."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.exceptions import ReadError

COLOURS = "colour {red, blue}"


def read(rows: str, *attributes: str) -> ParsedFile:
    header = "".join(f"@attribute {attribute}\n" for attribute in attributes)
    return read_arff("t.arff", f"@relation t\n{header}@data\n{rows}")


def column(rows: str, attribute: str) -> pd.Series[Any]:
    return read(rows, attribute).frame.iloc[:, 0]


def message(rows: str, *attributes: str) -> str:
    with pytest.raises(ReadError) as caught:
        read(rows, *attributes)
    return str(caught.value)


def header_message(text: str) -> str:
    with pytest.raises(ReadError) as caught:
        read_arff("t.arff", text)
    return str(caught.value)


def test_a_small_file_reads_as_written() -> None:
    frame = read("1.5,red\n-2e1,blue\n", "size numeric", COLOURS).frame
    assert frame["size"].tolist() == [1.5, -20.0]
    assert frame["colour"].tolist() == ["red", "blue"]
    assert frame.index.equals(pd.RangeIndex(2))


def test_keywords_and_types_are_read_in_any_case() -> None:
    text = "@RELATION r\n@Attribute a REAL\n@ATTRIBUTE b String\n@Data\n1,x\n"
    assert read_arff("t.arff", text).frame.values.tolist() == [[1.0, "x"]]


def test_comments_and_blank_lines_may_be_anywhere() -> None:
    text = "% one\n\n@relation r % two\n  @attribute a numeric % three\n%\n@data % four\n\n% five\n7 % six\n\n"
    assert read_arff("t.arff", text).frame["a"].tolist() == [7.0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_one(end: str) -> None:
    text = end.join(["\ufeff@relation r", "@attribute a numeric", "@data", "1", "x"])
    assert "line 5, column 'a'" in header_message(text)


@pytest.mark.parametrize("name", ["'eye colour'", '"eye colour"', r"'eye\u0020colour'"])
def test_names_with_blanks_are_quoted(name: str) -> None:
    assert list(read("1", f"{name} numeric").frame.columns) == ["eye colour"]


def test_a_brace_ends_an_attribute_name() -> None:
    assert column("b", "class{a,b}").cat.codes.tolist() == [1]


@pytest.mark.parametrize(
    ("quoted", "value"),
    [
        (r"'it\'s'", "it's"),
        (r'"say \"no\""', 'say "no"'),
        (r"'a\\b'", "a\\b"),
        (r"'a\nb\tc\rd'", "a\nb\tc\rd"),
        (r"'5\%'", "5%"),
        (r"'\u00e9'", "é"),
        (r"'\ud83d\ude00'", "😀"),
        ("'a, {b} % c'", "a, {b} % c"),
        ("''", ""),
        (r"a\b", r"a\b"),
    ],
)
def test_quotes_and_escapes(quoted: str, value: str) -> None:
    assert column(quoted, "s string").tolist() == [value]


def test_half_a_character_raises() -> None:
    assert "half of a character" in message(r"'\ud83d'", "s string")


def test_declared_values_are_categories_in_declared_order_seen_or_not() -> None:
    values = column("m\nl", "size { s , 'm', \"l\", 'x l'}")
    assert values.cat.categories.tolist() == ["s", "m", "l", "x l"]
    assert values.cat.codes.tolist() == [1, 2]


def test_values_in_braces_may_be_separated_by_blanks() -> None:
    assert column("b", "x {a b 'c d'}").cat.categories.tolist() == ["a", "b", "c d"]


def test_an_undeclared_value_names_file_line_column_and_the_nearest() -> None:
    expected = "t.arff, line 6, column 'colour': 'bleu' is not a declared value. Did you mean 'blue'?"
    assert message("1,red\n2,bleu", "size numeric", COLOURS) == expected


def test_an_unquoted_question_mark_is_a_missing_value_and_a_quoted_one_a_value() -> None:
    values = column("?\n'?'\n a ", "x {a, '?'}")
    assert values.cat.codes.tolist() == [-1, 1, 0]


def test_missing_values_of_every_type_are_read() -> None:
    frame = read("?,?,?,?\n1,red,s,2001-02-03T04:05:06", "n integer", COLOURS, "s string", "d date").frame
    assert frame.isna().values.tolist() == [[True] * 4, [False] * 4]
    assert frame["n"].dtype == np.float64


@pytest.mark.parametrize(
    "row", ["1,b c,3", "1\tb c\t3", " 1 , b c , 3 ", "1,\tb c\t,3", "1\tb c,3", "1,'b c',3,", "1 'b c' 3"]
)
def test_values_end_at_commas_and_tabs_and_blanks_around_them_are_dropped(row: str) -> None:
    assert read(row, "a numeric", "b string", "c numeric").frame.values.tolist() == [[1.0, "b c", 3.0]]


def test_values_end_at_blanks_where_there_are_no_commas() -> None:
    assert read("1  2 x\n3 4 y", "a numeric", "b numeric", "c {x,y}").frame["b"].tolist() == [2.0, 4.0]


def test_infinity_is_a_number_and_nan_is_a_missing_value() -> None:
    numbers = column("inf\n-Infinity\nNaN\n1e999", "a numeric")
    np.testing.assert_array_equal(numbers, [np.inf, -np.inf, np.nan, np.inf])


@pytest.mark.parametrize("word", ["1_000", "0x1F", "١", "1,5", "one", "1 000", "--1", "''", "1e"])
def test_what_is_not_a_number_raises(word: str) -> None:
    assert "line 4" in message(word, "a numeric")


def test_integers_are_int64_only_if_declared_integer_and_without_missing_values() -> None:
    frame = read("1,1,1\n2,2,2.5", "a integer", "b numeric", "c integer").frame
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", "float64", "float64"]


def test_strings_are_a_str_column() -> None:
    values = column("a\n'b c'\n?", "s string")
    assert pd.api.types.is_string_dtype(values.dropna())
    assert values.tolist()[:2] == ["a", "b c"]


def test_sparse_rows_omit_zeros_and_first_values() -> None:
    attributes = ("n numeric", COLOURS, "i integer", "d date", "s string")
    parsed = read("{1 blue, 4 'b c'}\n{}\n{0 7, 2 ?, 3 1999-12-31T23:59:59}", *attributes)
    frame = parsed.frame
    assert frame["n"].tolist() == [0.0, 0.0, 7.0]
    assert frame["colour"].tolist() == ["blue", "red", "red"]
    assert frame["i"].isna().tolist() == [False, False, True]
    assert frame["d"].dt.year.tolist() == [1970, 1970, 1999]
    assert frame["s"].isna().tolist() == [False, True, True]
    assert parsed.notes == ("Strings that sparse rows omit are read as missing values.",)


def test_dense_and_sparse_rows_may_alternate() -> None:
    frame = read("1,red\n{1 blue}\n2,blue\n{ 0  3 }", "n numeric", COLOURS).frame
    assert frame.values.tolist() == [[1.0, "red"], [0.0, "blue"], [2.0, "blue"], [3.0, "red"]]


def test_weights_are_at_the_end_of_a_row_and_1_by_default() -> None:
    parsed = read("1,red,{5}\n2,blue\n{0 3}, {0.5}\n'4',red {0} % zero", "n numeric", COLOURS)
    np.testing.assert_array_equal(parsed.sample_weight, [5, 1, 0.5, 0])
    assert parsed.frame["n"].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_without_weights_there_is_no_sample_weight() -> None:
    assert read("1", "n numeric").sample_weight is None


@pytest.mark.parametrize("weight", ["{-1}", "{x}", "{}", "{inf}", "{1", "{1}{2}", "{1} 2"])
def test_bad_weights_raise(weight: str) -> None:
    assert "line 4" in message(f"1, {weight}", "n numeric")


def test_weights_of_attributes_are_skipped_with_a_note() -> None:
    parsed = read("1,red", "n numeric {0.5}", COLOURS + " {2}")
    assert parsed.frame.shape == (1, 2)
    assert parsed.notes == ("Weights of attributes are ignored.",)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", "2024-02-29T13:05:09"),
        ('"yyyy-MM-dd HH:mm:ss"', "'2024-02-29 13:05:09'"),
        ("'d.M.yy, hh:mm:ss a'", "'29.2.24, 01:05:09 PM'"),
        ('"EEE, dd MMM yyyy HH:mm:ss Z"', "'Thu, 29 Feb 2024 15:05:09 +0200'"),
        ("\"yyyy'T'DDD HH:mm:ss.SSS\"", "'2024T060 13:05:09.000'"),
    ],
)
def test_dates_follow_their_java_pattern(pattern: str, text: str) -> None:
    dates = column(text, f"d date {pattern}")
    assert dates.dtype.kind == "M"
    assert dates[0] == pd.Timestamp("2024-02-29 13:05:09")


def test_a_date_pattern_without_year_means_1970() -> None:
    assert column("28.2.", "d date d.M.")[0] == pd.Timestamp("1970-02-28")


@pytest.mark.parametrize("pattern", ["'yyyy G'", "'k:mm'", '"yyyy \'o"', "'y y'", "'--'", "z"])
def test_date_patterns_that_cannot_be_translated_raise(pattern: str) -> None:
    assert "line 2, column 'd'" in message("1", f"d date {pattern}")


def test_an_invalid_date_raises_with_its_line_and_pattern() -> None:
    assert "line 5, column 'd': '2001-02-30' is not a date" in message("2001-02-28\n2001-02-30", "d date yyyy-MM-dd")


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("", "t.arff:", "empty"),
        (" \n\n", "t.arff:", "empty"),
        ("%PNG\x00\n", "line 2:", "ends before @data"),
        ("5.1,3.5\n", "line 1:", "neither @attribute nor @data"),
        ("@relation r\n@attribute a numeric\n", "line 3:", "ends before @data"),
        ("@relation r\n@attri", "line 2:", "not a keyword"),
        ("@relation r\n@attribute", "line 2:", "no name"),
        ("@relation r\n@attribute a", "line 2, column 'a':", "the type is missing"),
        ("@relation r\n@attribute a {x, y", "line 2, column 'a':", "no closing }"),
        ("@relation r\n@attribute a {x, 'y", "line 2, column 'a':", "quote is not closed"),
        ("@relation r\n@attribute 'a", "line 2:", "no name"),
        ("@relation 'r\n", "line 1:", "quote is not closed"),
        ("@relation r\n@relation s\n", "line 2:", "second @relation"),
        ("@attribute a numeric\n", "line 1:", "before @relation"),
        ("@relation r\n@data\n1\n", "line 2:", "no attributes"),
        ("@relation r\n@attribute a numeric\n@data 1\n", "line 3:", "follows @data"),
        ("@relation r\n@attribute a nummeric\n", "line 2, column 'a':", "Did you mean 'numeric'?"),
        ("@relation r\n@attribute eye colour string\n", "line 2, column 'eye':", "needs quotes"),
        ("@relation r\n@attribute a {x} y\n", "line 2, column 'a':", "follows the type"),
        ("@relation r\n@attribute a {}\n", "line 2, column 'a':", "no values are declared"),
        ("@relation r\n@attribute a {x,,y}\n", "line 2, column 'a':", "is empty"),
        ("@relation r\n@attribute a {x, y, 'x'}\n", "line 2, column 'a':", "'x' is declared 2 times"),
        ("@relation r\n@attribute a real\n@attribute 'a' real\n", "line 3, column 'a':", "second attribute"),
        ("@relation r\n@attribute a relational\n", "line 2, column 'a':", "relational"),
        ("@relation r\n@attribute a real\n@data\n% none\n", "line 5:", "no rows"),
        ("@relation r\n@attribute a real\ud800\n@data\n1\n", "line 2:", "not characters"),
    ],
)
def test_broken_headers_raise_with_their_line(text: str, place: str, word: str) -> None:
    said = header_message(text)
    assert place in said
    assert word in said


@pytest.mark.parametrize(
    ("row", "place", "word"),
    [
        ("1", "line 5, column 'colour':", "ends after 1 of 2 values"),
        ("1,", "line 5, column 'colour':", "ends after 1 of 2 values"),
        ("1,red,2", "line 5:", "3 values for 2 attributes"),
        ("1,,red", "line 5, column 'colour':", "value 2 is empty"),
        (",red", "line 5, column 'n':", "value 1 is empty"),
        ("1,'red", "line 5:", "quote is not closed"),
        ("1,re'd", "line 5:", "is inside a value"),
        ("1,'re'd", "line 5:", "follows a closing quote"),
        ("1,red}", "line 5:", "follows the row"),
        ("{0 1", "line 5:", "no closing }"),
        ("{0 1, 1}", "line 5:", "has no value"),
        ("{0 1, 2 3}", "line 5:", "Indices run from 0 to 1."),
        ("{0 1, 0 2}", "line 5, column 'n':", "occurs twice"),
        ("{1 red, 0 2}", "line 5:", "Sort the indices."),
        ("{-1 2}", "line 5:", "'-1' is not an index"),
        ("{1_0 2}", "line 5:", "'1_0' is not an index"),
        ("{99999999999999 2}", "line 5:", "is not an index"),
        ("{0 1} red", "line 5:", "follows the row"),
        ("{0 x}", "line 5, column 'n':", "not a number"),
    ],
)
def test_broken_rows_raise_with_their_line(row: str, place: str, word: str) -> None:
    said = message(row, "n numeric", COLOURS)
    assert place in said
    assert word in said


def test_a_tiny_sparse_file_of_an_absurd_table_raises() -> None:
    attributes = [f"a{i} numeric" for i in range(10_000)]
    assert "too many to fill in" in message("{}\n" * 30_000, *attributes)


def test_a_bad_value_far_down_is_found_at_its_line() -> None:
    rows = ["1,red"] * 100_000
    rows[99_998] = "1,rad"
    assert "line 100003, column 'colour': 'rad'" in message("\n".join(rows), "n numeric", COLOURS)


@pytest.mark.parametrize(
    "character", ["'", '"', ",", "{", "}", "%", "\\", "\t", " ", "?", "''", "',", "{}", "\\'", "0 1,"]
)
@pytest.mark.parametrize("start", ["", "1,", "{", "'"])
def test_a_line_of_ten_thousand_characters_is_handled_quickly(start: str, character: str) -> None:
    with suppress(ReadError):
        read(start + character * 10_000, "n numeric", "s string")


PIECES = [*"'\",{}%\\?@\t\n\r 01x", "\ufeff", "\x00", "\\u", "nan", "@data\n", "\n@attribute ", "date", "{5}"]


@given(st.booleans(), st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read_or_raises_a_read_error(header: bool, text: str) -> None:
    start = "@relation r\n@attribute n numeric\n@attribute d date yyyy\n@data\n" if header else "@relation r\n"
    with suppress(ReadError):
        read_arff("t.arff", start + text)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.floats() | st.integers(-(2**53), 2**53).map(float)


def quote(value: object, quote_mark: str) -> str:
    escapes = {"\\": "\\\\", quote_mark: "\\" + quote_mark, "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return quote_mark + "".join(escapes.get(character, character) for character in str(value)) + quote_mark


def write(table: Sequence[tuple[str, Sequence[str] | None, Sequence[Any]]], quote_mark: str) -> str:
    types = ["numeric" if v is None else "{" + ",".join(quote(x, quote_mark) for x in v) + "}" for _, v, _ in table]
    header = [f"@attribute {quote(table[i][0], quote_mark)} {kind}" for i, kind in enumerate(types)]
    rows = zip(*(["?" if x is None else quote(x, quote_mark) for x in cells] for _, _, cells in table), strict=True)
    return "\n".join(["@relation t", *header, "@data", *map(",".join, rows)])


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, list[str] | None, list[Any]]]:
    n_rows = draw(st.integers(1, 5))
    table: list[tuple[str, list[str] | None, list[Any]]] = []
    for name in draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True)):
        values = draw(st.none() | st.lists(TEXTS, min_size=1, max_size=4, unique=True))
        cell = NUMBERS if values is None else st.sampled_from(values)
        table.append((name, values, draw(st.lists(st.none() | cell, min_size=n_rows, max_size=n_rows))))
    return table


@given(tables(), st.sampled_from("'\""))
def test_any_table_written_with_quotes_reads_back_equal(
    table: list[tuple[str, list[str] | None, list[Any]]], quote_mark: str
) -> None:
    frame = read_arff("t.arff", write(table, quote_mark)).frame
    assert list(frame.columns) == [name for name, _, _ in table]
    for name, values, cells in table:
        if values is None:
            np.testing.assert_array_equal(frame[name], np.array(cells, dtype=float))
        else:
            assert frame[name].cat.categories.tolist() == values
            assert frame[name].cat.codes.tolist() == [-1 if x is None else values.index(x) for x in cells]
