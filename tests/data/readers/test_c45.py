"""Files of C4.5: names, data and their errors."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data._readers.c45 import Names, read_c45, read_names
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.exceptions import ReadError

GOLF = """| a small example
Play, Don't Play.

outlook:     sunny, overcast, rain.
temperature: continuous.
town:        discrete 2.
case number: ignore.
"""


def read(data: str, names: str = GOLF) -> ParsedFile:
    return read_c45("t.data", data, read_names("t.names", names))


def names_message(names: str) -> str:
    with pytest.raises(ReadError) as caught:
        read_names("t.names", names)
    return str(caught.value)


def data_message(data: str, names: str = GOLF) -> str:
    with pytest.raises(ReadError) as caught:
        read(data, names)
    return str(caught.value)


def test_names_give_classes_and_attributes_in_order() -> None:
    names = read_names("t.names", GOLF)
    assert names.classes == ("Play", "Don't Play")
    assert names.attributes == (
        ("outlook", ("sunny", "overcast", "rain")),
        ("temperature", "continuous"),
        ("town", 2),
        ("case number", "ignore"),
    )


def test_a_small_file_reads_as_written() -> None:
    parsed = read("sunny, 85, Bern, 1, Don't Play\nrain, ?, ?, 2, Play\n")
    frame = parsed.frame
    assert frame["outlook"].cat.codes.tolist() == [0, 2]
    np.testing.assert_array_equal(frame["temperature"], [85, np.nan])
    assert frame["case number"].tolist() == ["1", "2"]
    assert frame["class"].tolist() == ["Don't Play", "Play"]
    assert (parsed.target, parsed.extra) == ("class", ("case number",))


def test_declared_values_and_classes_are_categories_seen_or_not() -> None:
    frame = read("rain,1,Bern,1,Play").frame
    assert frame["outlook"].cat.categories.tolist() == ["sunny", "overcast", "rain"]
    assert frame["class"].cat.categories.tolist() == ["Play", "Don't Play"]


def test_discrete_values_are_collected_in_order_of_appearance() -> None:
    town = read("rain,1,Rome,1,Play\nrain,1,?,1,Play\nrain,1,Bern,1,Play\nrain,1,Rome,1,Play").frame["town"]
    assert town.cat.categories.tolist() == ["Rome", "Bern"]
    assert town.cat.codes.tolist() == [0, -1, 1, 0]


def test_more_discrete_values_than_declared_raise() -> None:
    said = data_message("rain,1,a,1,Play\nrain,1,b,1,Play\nrain,1,c,1,Play")
    assert "line 3, column 'town': 'c' is value number 3 of 'discrete 2'" in said


def test_a_missing_class_is_kept_as_a_missing_value() -> None:
    assert read("rain,1,Bern,1,?").frame["class"].isna().tolist() == [True]


@pytest.mark.parametrize(
    "names",
    [
        "a,b.\nx: p,q.\ny: continuous.",
        "a,b\nx: p,q\ny: continuous\n",
        "a, | first\n  b.| second\nx:\n p,\n q. y: continuous",
        " a ,b . \n\n x : p ,q|\ny:continuous.|",
        "a,b.\r\nx: p,q.\r\ny: CONTINUOUS.\r\n",
    ],
)
def test_periods_are_optional_and_lists_continue_after_a_comma(names: str) -> None:
    assert read_names("t.names", names) == Names(("a", "b"), (("x", ("p", "q")), ("y", "continuous")))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("1.5", "1.5"),
        ("a.b", "a.b"),
        ("very   sunny\tday", "very sunny day"),
        (r"10\:30", "10:30"),
        (r"a\,b", "a,b"),
        (r"a\|b", "a|b"),
        (r"Dr\. No", "Dr. No"),
        (r"a\\b", "a\\b"),
        ("don't", "don't"),
    ],
)
def test_where_a_name_ends(written: str, name: str) -> None:
    names = read_names("t.names", f"a, b.\nx: {written}, other.")
    assert names.attributes == (("x", (name, "other")),)
    assert read_c45("t.data", f"{written}, a.", names).frame["x"].tolist() == [name]


@pytest.mark.parametrize(
    "rows",
    [
        "1.5,a\n2.,b\n",
        "1.5,a.\n2.,b.",
        "1.5,a.|395\n\n| nothing\n2.,b.|x\\y",
        "1.5, a. 2., b.",
        "1.5,\na\n2., | more\nb",
    ],
)
def test_rows_end_with_the_line_or_a_period(rows: str) -> None:
    frame = read(rows, "a,b.\nx: continuous.").frame
    assert frame.values.tolist() == [[1.5, "a"], [2.0, "b"]]


def test_a_colon_in_data_is_part_of_the_value() -> None:
    assert read("rain,1,Bern,10:30,Play").frame["case number"].tolist() == ["10:30"]


def test_the_class_column_avoids_the_names_of_attributes() -> None:
    parsed = read("1,2,a", "a,b.\nclass: continuous.\nclass_1: continuous.")
    assert parsed.target == "class_2"
    assert list(parsed.frame.columns) == ["class", "class_1", "class_2"]


def test_the_first_entry_may_name_the_attribute_that_is_the_class() -> None:
    parsed = read("1,hi,x7\n2,lo,x8", "income.\nage: continuous.\nincome: lo, hi.\nid: label.")
    assert (parsed.target, parsed.extra) == ("income", ("id",))
    assert parsed.frame["income"].cat.codes.tolist() == [1, 0]


def test_an_undeclared_value_names_file_line_column_and_the_nearest() -> None:
    expected = "t.data, line 2, column 'outlook': 'suny' is not a declared value. Did you mean 'sunny'?"
    assert data_message("rain,1,a,1,Play\nsuny,1,a,1,Play") == expected


@pytest.mark.parametrize(
    ("data", "place", "word"),
    [
        ("", "t.data:", "empty"),
        ("| only this\n", "t.data:", "no rows"),
        ("rain,1,a,1", "line 1, column 'class':", "ends after 4 of 5 fields"),
        ("rain,1,a,1,Play\n\nrain,1,a,1,Play,2", "line 3:", "6 fields for 5 columns"),
        ("rain,1,a,1,\nPlay,rain", "line 1:", "6 fields for 5 columns"),
        ("rain,hot,a,1,Play", "line 1, column 'temperature':", "'hot' is not a number"),
        ("rain,1_0,a,1,Play", "line 1, column 'temperature':", "'1_0' is not a number"),
        ("rain,,a,1,Play", "line 1, column 'temperature':", "is empty"),
        (",1,a,1,Play", "line 1, column 'outlook':", "is empty"),
        ("rain,1,,1,Play", "line 1, column 'town':", "is empty"),
        ("rain,1,a,1,Plya", "line 1, column 'class':", "Did you mean 'Play'?"),
        ("ra\ud800in,1,a,1,Play", "line 1:", "not characters"),
    ],
)
def test_broken_data_raises_with_its_line(data: str, place: str, word: str) -> None:
    said = data_message(data)
    assert place in said
    assert word in said


@pytest.mark.parametrize(
    ("names", "place", "word"),
    [
        ("", "t.names:", "empty"),
        ("| only this", "line 1:", "classes are missing"),
        ("age: continuous.", "line 1:", "classes are missing"),
        ("a, b.", "line 1:", "no attributes"),
        ("a, b, a.\nx: p, q.", "line 1:", "'a' is declared 2 times"),
        ("a,, b.\nx: p, q.", "line 1:", "empty"),
        ("a, b,", "line 1:", "ends in a comma"),
        ("a, b.\nx p, q.", "line 2:", "no colon follows 'x p'"),
        ("a, b.\n: p, q.", "line 2:", "no name"),
        ("a, b.\nx: p, q.\nx: p, q.", "line 3, column 'x':", "second attribute"),
        ("a, b.\nx: p, q, p.", "line 2, column 'x':", "'p' is declared 2 times"),
        ("a, b.\nx:", "line 2, column 'x':", "no values"),
        ("a, b.\nx: p,", "line 2, column 'x':", "only value"),
        ("a, b.\nx: p, q,", "line 2, column 'x':", "ends in a comma"),
        ("a, b.\nx:\ny: p, q.", "line 3, column 'x':", "a colon follows"),
        ("a, b.\nx: continous.", "line 2, column 'x':", "Did you mean 'continuous'?"),
        ("a, b.\nx: discrete.", "line 2, column 'x':", "number of discrete values is missing"),
        ("a, b.\nx: discrete 1.", "line 2, column 'x':", "number of discrete values is 1"),
        ("a, b.\nx: discrete 99999999999.", "line 2, column 'x':", "99999999999"),
        ("inc.\nincome: lo, hi.", "line 1:", "Did you mean 'income'?"),
        ("age.\nage: continuous.", "line 1, column 'age':", "the class is continuous"),
        ("a, b.\nx: p, q.\nattributes included: x.", "line 3:", "See5"),
    ],
)
def test_broken_names_raise_with_their_line(names: str, place: str, word: str) -> None:
    said = names_message(names)
    assert place in said
    assert word in said


@pytest.mark.parametrize("character", [",", ".", ":", "|", "\\", "?", " ", "\n", ". ", "\\,", "a,\n", ".|"])
@pytest.mark.parametrize("start", ["", "a", "rain,"])
def test_ten_thousand_characters_are_handled_quickly(start: str, character: str) -> None:
    with suppress(ReadError):
        read(start + character * 10_000)
    with suppress(ReadError):
        read_names("t.names", "a, b.\nx: " + start + character * 10_000)


PIECES = [
    *",.:|\\?\t\n\r 01ab",
    "\ufeff",
    "\x00",
    "continuous",
    "discrete 2",
    "ignore",
    "rain",
    "Play",
    ".\n",
    ".|",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read_or_raises_a_read_error(text: str) -> None:
    with suppress(ReadError):
        read_names("t.names", "a, b.\nx:" + text)
    with suppress(ReadError):
        read(text)


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
KEYWORDS = re.compile(r"\?|continuous|ignore|label|discrete ?\d*|attributes (in|ex)cluded", re.I)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join).filter(lambda name: not KEYWORDS.fullmatch(name))
LISTS = st.lists(NAMES, min_size=2, max_size=4, unique=True)


def escape(name: str) -> str:
    return re.sub(r"([\\,:|.])", r"\\\1", name)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[str, list[str] | None]], list[list[Any]]]:
    attributes = [
        (name, draw(st.none() | LISTS)) for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    ]
    cells = [st.floats(allow_nan=False) if values is None else st.sampled_from(values) for _, values in attributes]
    row = st.tuples(*(st.none() | cell for cell in cells)).map(list)
    return attributes, draw(st.lists(row, min_size=1, max_size=5))


@given(LISTS, tables(), st.sampled_from([".\n", "\n", " . | note\n"]))
def test_any_table_written_with_escapes_reads_back_equal(
    classes: list[str], table: tuple[list[tuple[str, list[str] | None]], list[list[Any]]], end: str
) -> None:
    attributes, rows = table
    kinds = ["continuous" if values is None else ", ".join(map(escape, values)) for _, values in attributes]
    entries = [f"{escape(name)}: {kind}{end}" for (name, _), kind in zip(attributes, kinds, strict=True)]
    names = read_names("t.names", ", ".join(map(escape, classes)) + end + "".join(entries))
    data = [",".join("?" if x is None else escape(str(x)) for x in [*row, classes[-1]]) + end for row in rows]
    frame = read_c45("t.data", "".join(data), names).frame
    assert frame[names.class_name].tolist() == [classes[-1]] * len(rows)
    for (name, values), cells in zip(attributes, zip(*rows, strict=True), strict=True):
        if values is None:
            np.testing.assert_array_equal(frame[name], np.array(cells, dtype=float))
        else:
            assert frame[name].cat.categories.tolist() == values
            assert frame[name].cat.codes.tolist() == [-1 if x is None else values.index(x) for x in cells]
