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


WRITTEN = {
    "thousands separators, such as '1,234' (2 of 3 values)": ['"1,234"', '"12,345"', "999"],
    "thousands separators, such as '1.234,56'": ['"1.234,56"', '"2.500,00"'],
    "thousands separators, such as '1 000'": ["1 000", "20 000"],
    "decimal commas, such as '1,5'": ['"1,5"', '"2,25"'],
    "percent signs, such as '12%'": ["12%", "3.5 %"],
    "currency signs, such as '$5.00'": ["$5.00", '"$1,200"'],
    "currency signs, such as '5 EUR'": ["5 EUR", "7 EUR"],
    "dates of that form, such as '31.12.2020'": ["31.12.2020", "1.2.2021"],
}


@pytest.mark.parametrize("words", WRITTEN)
def test_formatted_numbers_stay_strings_and_are_noted(write, words):
    rows = "".join(f"{cell},{'np'[i % 2]}\n" for i, cell in enumerate(WRITTEN[words]))
    assert f"'a' is nominal because of {words}" in note(write("a,y\n" + rows))


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
