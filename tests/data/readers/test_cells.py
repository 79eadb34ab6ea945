"""Numbers and dates as everyday files write them, decided over all cells of a column."""

import pandas as pd
import pytest

from calibrant.data import read_table
from calibrant.exceptions import ReadError

NUMBERS = {
    "thousands": (['"1,234"', '"12,345"', "999"], [1234, 12345, 999]),
    "German": (['"1.234,56"', '"2.500,00"'], [1234.56, 2500]),
    "blanks": (["1 000", "20 000"], [1000, 20000]),
    "French": (['"1\u202f000,5"', '"20\xa0000,25"'], [1000.5, 20000.25]),
    "Swiss": (["1'000.50", "20’000.25"], [1000.5, 20000.25]),
    "decimal commas": (['"1,5"', '"2,25"'], [1.5, 2.25]),
    "percent": (["12%", "3.5 %"], [12, 3.5]),
    "dollars": (["$5.00", '"$1,200"', "-$3", "($7.50)"], [5, 1200, -3, -7.5]),
    "words for money": (["5 EUR", "7 EUR"], [5, 7]),
    "a minus behind": (['"1.234,56-"', "3"], [-1234.56, 3]),
    "marks for missing": (["5", "-", "7.5", "--", "."], [5, None, 7.5, None, None]),
    "late marks": ([*["1"] * 999, "-", "#DIV/0!"], [*[1] * 999, None, None]),
}


def read(write, cells, **options):
    return read_table(
        write("a,y\n" + "".join(f"{cell},{'np'[i % 2]}\n" for i, cell in enumerate(cells))), "y", **options
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_read_as_they_are_written(write, name):
    cells, numbers = NUMBERS[name]
    table = read(write, cells)
    assert table.kinds == {"a": "numeric"}
    pd.testing.assert_series_equal(table.X["a"].astype(float), pd.Series(numbers, dtype=float, name="a"))


DATES = {
    "points": (["31.12.2020", "1.2.2021"], ["2020-12-31", "2021-02-01"]),
    "days first": (["31/12/2020", "01/02/2021"], ["2020-12-31", "2021-02-01"]),
    "months first": (["12/31/2020 3:05 PM", "1/2/2021 12:01 AM"], ["2020-12-31 15:05", "2021-01-02 00:01"]),
    "SAS": (["31DEC2020:10:30:00", "."], ["2020-12-31 10:30", None]),
}


@pytest.mark.parametrize("name", DATES)
def test_dates_are_read_in_the_order_that_their_cells_show(write, name):
    cells, days = DATES[name]
    assert read(write, cells).X["a"].astype("M8[s]").tolist() == pd.to_datetime(days).astype("M8[s]").tolist()


def test_dates_of_two_possible_orders_are_asked_about(write):
    cells = ["03/04/2021", "05/06/2021"]
    with pytest.raises(ReadError, match=r"'03/04/2021' may be day or month first.*dmy"):
        read(write, cells)
    assert read(write, cells, dates="dmy").X["a"][0] == pd.Timestamp("2021-04-03")
    assert read(write, cells, dates="mdy").X["a"][0] == pd.Timestamp("2021-03-04")
    assert read(write, cells, types={"a": "nominal"}).kinds == {"a": "nominal"}


@pytest.mark.parametrize("cells", [["+", "-", "+"], ["$3", "€4"], ["12%", "0.5"], ["Bern", "-"]])
def test_marks_among_words_and_numbers_of_two_units_are_categories(write, cells):
    table = read(write, cells)
    assert table.kinds == {"a": "nominal"}
    assert not table.X["a"].isna().any()


def test_a_forced_number_names_the_cell_that_is_none(write):
    with pytest.raises(ReadError, match="column 'a': holds 'old', which is no number"):
        read(write, ["1", "old"], types={"a": "number"})
    assert read(write, ["1", "old"], missing=["old"]).X["a"].tolist()[0] == 1


def test_a_dropped_column_is_left_out_and_an_unknown_one_refused(write):
    path = write("a,b,y\n1,2,n\n3,4,p\n")
    assert list(read_table(path, types={"b": "drop"}).X) == ["a"]
    with pytest.raises(ReadError, match="Did you mean 'b'"):
        read_table(path, types={"bb": "drop"})


def test_the_line_says_what_was_understood_and_reads_the_next_file_alike(write):
    text = "ort;income;y\nZürich;20.000,00;n\nBern;-;p\n"
    reading = read_table(write(text.encode("cp1252"))).reading
    assert reading.text == "semicolons, decimal commas, cp1252; 'income' 20.000,00 is 20000"
    again = read_table(write(text.encode("cp1252")), **reading.options())
    assert again.X["income"][0] == 20000
    assert type(reading).from_dict(reading.to_dict()) == reading
