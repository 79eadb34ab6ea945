"""Columns that are nearly numbers get a note that explains the decision and a remedy."""

import pytest

from calibrant.data import read_table


def note(path, **options):
    table = read_table(path, target=-1, **options)
    assert table.kinds == {"a": "nominal"}
    return " ".join(table.notes)


@pytest.mark.parametrize("n", [20, 5_000])
def test_one_word_among_numbers_is_noted_at_any_position(write, n):
    path = write("a,y\n" + "".join(f"{i},n\n" for i in range(n)) + "abc,p\n")
    assert f"'a' is nominal because of values such as 'abc' (1 of {n + 1:,}); the others are numbers" in note(path)


def test_words_and_columns_specified_as_nominal_get_no_note(write):
    assert read_table(write("a,y\nx,u\ny,v\n7,u\n"), target="y").notes == ()
    assert note(write("a,y\n1,u\n2,v\nx,u\n"), nominal=["a"]) == ""


@pytest.mark.parametrize("last_line", ["", "?,p\n"])
def test_leading_zeros_are_noted_unless_they_are_kept(write, last_line):
    path = write("a,y\n00123,n\n4567,p\n" + last_line)
    assert read_table(path, target=-1).notes == (
        "'a' has leading zeros, such as '00123', and is read as numbers; nominal=['a'] keeps them.",
    )
    assert note(path, nominal=["a"]) == ""
