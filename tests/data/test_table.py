"""The table, and its text and HTML views."""

import copy
import dataclasses
import datetime as dt
import pickle
import warnings
from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from calibrant.data import Table, load
from calibrant.exceptions import DataError, DataTypeError, SchemaError


def table(**changes):
    X = pd.DataFrame({"age": [31.0, None, 64.5, 20.0], "town": ["Bern", "Rome", None, "Bern"]})
    made = Table(
        X=X,
        y=pd.Series(["no", "yes", "no", "no"]),
        name="tiny",
        positive="yes",
        kinds={"age": "numeric", "town": "nominal"},
    )
    return dataclasses.replace(made, **changes)


def test_a_table_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        table().name = "other"


def test_the_view_shows_rows_columns_kinds_missing_and_class_balance():
    shown = repr(table())
    assert shown.splitlines()[0] == "tiny: 4 rows, 2 features (1 numeric, 1 nominal)"
    assert "class no          3  75.0% ██████████████████" in shown
    assert "class yes         1  25.0% ██████  (positive)" in shown
    assert "missing: 2 cells in 2 rows" in shown
    assert "age     numeric        1  20 to 64.5, median 31, 3 distinct" in shown
    assert "town    nominal        1  Bern (2), Rome (1)" in shown


def test_the_view_shows_split_weights_extra_and_notes():
    shown = repr(
        table(
            split=pd.Series(["train", "train", "test", "test"]),
            sample_weight=np.array([1.0, 2.0, 0.5, 1.0]),
            extra=pd.DataFrame({"amount": [0, 5, 0, 0]}),
            notes=("The first line looks like data.",),
        )
    )
    for words in ("split: train 2, test 2", "weights: 0.5 to 2", "not features: amount", "note: The first line"):
        assert words in shown


def test_declared_classes_come_in_their_order_and_unseen_values_are_counted():
    y = pd.Series(pd.Categorical(["no", "yes", "no", "no"], categories=["yes", "no", "maybe"]))
    X = table().X.assign(town=pd.Categorical(["Bern", "Rome", None, "Bern"], categories=["Oslo", "Bern", "Rome"]))
    shown = repr(table(y=y, X=X))
    assert list(table(y=y).class_counts) == ["yes", "no"]
    assert "Bern (2), Rome (1); 1 declared but unseen" in shown


def test_missing_classes_are_shown():
    assert "class missing: 1 row\n" in repr(table(y=pd.Series(["no", None, "yes", "no"])))


def test_one_is_in_the_singular():
    X = pd.DataFrame([[1.0] * 21], columns=[f"c{j}" for j in range(21)])
    assert "\n  … and 1 more column" in repr(Table(X=X, y=None, name="wide"))
    assert "\n  … and 1 more class\n" in repr(Table(X=pd.DataFrame({"a": range(9)}), y=pd.Series(range(9)), name="q"))
    shown = repr(Table(X=pd.DataFrame({"a": [None]}, dtype=float), y=None, name="one"))
    assert shown.startswith("one: 1 row, 1 feature (1 numeric, 0 nominal)\n  missing: 1 cell in 1 row\n")


def test_many_columns_and_classes_are_cut():
    X = pd.DataFrame(np.eye(40), columns=[f"c{j}" for j in range(40)])
    wide = Table(X=X, y=pd.Series(range(40)), name="wide", kinds=dict.fromkeys(X, "numeric"))
    assert "… and 20 more columns" in repr(wide)
    assert "… and 32 more classes" in repr(wide)


def test_a_table_without_class_or_features_shows_itself():
    assert "class" not in repr(table(y=None, name="rows"))
    assert "0 features" in repr(table(X=pd.DataFrame(index=range(4)), kinds={}))


DAY, DAYS = dt.timedelta(1), dt.timedelta(3, 7200)
NEW_YEAR, LATER = dt.datetime(2020, 1, 1), dt.datetime(2021, 2, 3, 4, 5)


def arrow(values, kind):
    return pd.Series(values, dtype=pd.ArrowDtype(kind))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pd.Series([DAY, None, DAYS]), "1 day to 3 days 02:00:00, 2 distinct"),
        (pd.Series([NEW_YEAR, None, LATER]), "2020-01-01 to 2021-02-03 04:05:00, 2 distinct"),
        (pd.Series([NEW_YEAR, LATER]).dt.tz_localize("UTC"), "2020-01-01 00:00:00+00:00 to 2021-02-03 04:05:00+00:00"),
        (pd.Series(np.array(["20000-01-01", "NaT"], dtype="M8[s]")), "20000-01-01 to 20000-01-01, 1 distinct"),
        (pd.Series([None, None], dtype="datetime64[ns]"), "no values"),
        (pd.Series([None, None], dtype="timedelta64[ns]"), "no values"),
        (pd.Series([1, None, 4], dtype="Int64"), "1 to 4, median 2.5, 2 distinct"),
        (pd.Series([None, 0.5], dtype="Float64"), "0.5 to 0.5, median 0.5, 1 distinct"),
        (pd.Series([True, None, True], dtype="boolean"), "True (2)"),
        (pd.Series(["a", None], dtype="string"), "a (1)"),
        (pd.Series([Decimal("1.5"), None], dtype=object), "1.5 to 1.5, median 1.5, 1 distinct"),
        (pd.Series([10**400, 1], dtype=object), "too large for a float, 2 distinct"),
        (pd.Series([1, 2, 3], dtype="float16"), "1 to 3, median 2, 3 distinct"),
        (pd.Series([0, 2**64 - 1], dtype="uint64"), "0 to 1.845e+19, median 9.223e+18, 2 distinct"),
        (arrow([1, None, 4], pa.int8()), "1 to 4, median 2.5, 2 distinct"),
        (arrow([Decimal("1.50"), None], pa.decimal128(9, 2)), "1.5 to 1.5, median 1.5, 1 distinct"),
        (arrow([DAY, None, DAYS], pa.duration("us")), "2:00:00, 2 distinct"),
        (arrow([NEW_YEAR, None], pa.timestamp("us", "UTC")), "2020-01-01 00:00:00+00:00 to 2020-01-01 00:00:00+00:00"),
        (arrow([dt.date(2020, 1, 1), None], pa.date32()), "2020-01-01 to 2020-01-01, 1 distinct"),
        (arrow([dt.time(1), dt.time(2)], pa.time64("us")), "01:00:00 to 02:00:00, 2 distinct"),
        (arrow([None, None], pa.null()), "no values"),
        (arrow(["a", None], pa.string()), "a (1)"),
        (arrow(["a", None], pa.dictionary(pa.int32(), pa.string())), "a (1)"),
        (arrow([True, None], pa.bool_()), "True (1)"),
    ],
    ids=lambda part: str(part.dtype) if isinstance(part, pd.Series) else "",
)
def test_columns_of_every_type_show_themselves(column, values):
    of_type = Table(X=pd.DataFrame({"a": column}), y=None, name="types")
    assert values in repr(of_type).splitlines()[-1]
    assert values in Tags(of_type._repr_html_()).text


@pytest.mark.parametrize(
    ("numbers", "median"),
    [
        ([np.inf, -np.inf], "-inf"),
        ([np.inf, -np.inf, 3], "3"),
        ([np.inf, np.inf, 3], "inf"),
        ([np.inf, 3], "inf"),
        ([1.25e308, 1.75e308], "1.5e+308"),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "Float64", "double[pyarrow]"])
def test_infinities_have_a_median_and_make_no_warning(numbers, median, dtype):
    with warnings.catch_warnings(action="error"):
        assert f", median {median}, " in repr(Table(X=pd.DataFrame({"a": numbers}, dtype=dtype), y=None, name="inf"))


def test_names_with_line_breaks_and_names_that_are_not_strings_show_themselves():
    assert "\n  a b     nominal        ·  x y (1)" in repr(Table(X=pd.DataFrame({"a\nb": ["x\ny"]}), y=None, name="q"))
    numbered = Table(X=pd.DataFrame([[1, "a"]]), y=None, name="q")
    assert numbered.kinds == {0: "numeric", 1: "nominal"}
    assert "0       numeric" in repr(numbered)
    assert "0numeric" in Tags(numbered._repr_html_()).text


def test_a_table_without_rows_shows_itself():
    weighted = table(sample_weight=np.ones(4), split=pd.Series(list("aabb")))
    assert repr(weighted.take([])).startswith("tiny: 0 rows, 2 features")


def test_labels_that_have_no_order_are_counted_in_order_of_appearance():
    mixed = table(y=pd.Series([1, "a", 1, None], dtype=object))
    assert mixed.class_counts == {1: 2, "a": 1}
    assert "class a" in repr(mixed)


def test_kinds_are_inferred_from_the_types_by_default():
    made = Table(X=table().X, y=None, name="q")
    assert made.kinds == {"age": "numeric", "town": "nominal"}
    assert repr(made).startswith("q: 4 rows, 2 features (1 numeric, 1 nominal)")


def test_kinds_come_in_the_order_of_the_columns():
    assert list(table(kinds={"town": "nominal", "age": "numeric"}).kinds) == ["age", "town"]


def test_kinds_cannot_be_changed():
    kinds = {"age": "numeric", "town": "nominal"}
    made = table(kinds=kinds)
    with pytest.raises(TypeError, match="does not support item assignment"):
        made.kinds["age"] = "nominal"
    kinds["age"] = "nominal"
    assert made.kinds["age"] == "numeric"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])  # noqa: S301
def test_a_table_can_be_copied_and_pickled(again):
    twin = again(table())
    assert twin.kinds == table().kinds == {"age": "numeric", "town": "nominal"}
    assert {"age": "numeric", "town": "nominal"} == twin.kinds != {"age": "numeric"}
    assert repr(twin) == repr(table())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kinds": {"age": "numeric", "twon": "nominal"}}, "kinds contains 'twon', .*Did you mean 'town'"),
        ({"kinds": {"age": "numeric"}}, "kinds does not contain 'town', which is a column of X"),
        ({"X": pd.DataFrame([[1, 2]], columns=["age", "age"])}, "X has the column 'age' more than once"),
    ],
)
def test_kinds_that_are_not_those_of_the_columns_raise(changes, problem):
    with pytest.raises(SchemaError, match=problem):
        table(**changes)


def test_features_that_are_not_a_frame_raise():
    with pytest.raises(DataTypeError, match="X must be a pandas DataFrame; got ndarray"):
        table(X=np.eye(2))


class Tags(HTMLParser):
    """Collects the tags left open: none in a well-formed page."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_notebook_view_is_well_formed_and_shows_the_same():
    page = Tags(load("appeal")._repr_html_())
    assert page.open == []
    for words in ("appeal", "1,500 rows", "months_since_last_gift", "positive", "1 declared but unseen"):
        assert words in page.text


def test_the_notebook_view_escapes_the_text_of_the_file():
    evil = "<script>alert(1)</script>"
    page = table(name=evil, notes=(evil,), y=pd.Series([evil, "a", "a", "a"]))._repr_html_()
    assert "<script>" not in page


def test_take_picks_rows_everywhere_and_counts_from_0_again():
    picked = table(sample_weight=np.arange(4.0), split=pd.Series(list("aabb"))).take([3, 1])
    assert picked.X["age"].tolist()[0] == 20
    assert picked.y.tolist() == ["no", "yes"]
    assert picked.sample_weight.tolist() == [3, 1]
    assert picked.X.index.tolist() == [0, 1]
    assert table().take(np.array([True, False, False, True])).n_rows == 2


@pytest.mark.parametrize(
    "rows", [[0, 3], [-4, -1], np.array([0, 3], dtype="uint64"), pd.Series([True, False, False, True], dtype="boolean")]
)
def test_take_accepts_positions_from_either_end_and_masks(rows):
    assert table().take(rows).X["age"].tolist() == [31, 20]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([1.7], r"integers, or booleans for a mask; got \[1\.7\]"),
        (["1"], r"integers, .*; got \['1'\]"),
        (pd.Series([True, None, True, True], dtype="boolean"), r"integers, .*; got \[True, <NA>"),
        ([True, False], "rows is a mask of length 2 for a table of 4 rows"),
        ([0, 10**9], "rows contains 1000000000, but the table has 4 rows"),
        ([-5], "rows contains -5, but the table has 4 rows"),
        (2, "a list of positions or a mask; got 2"),
        ([[0], [1, 2]], "a list of positions or a mask; got "),
        (slice(2), "a list of positions or a mask; got slice"),
    ],
)
def test_take_raises_with_the_rows_that_do_not_exist(rows, problem):
    with pytest.raises(DataError, match=problem):
        table().take(rows)


def test_rows_without_a_part_are_in_none():
    assert table(split=pd.Series(["a", None, "b", "a"], dtype="string")).part("a").n_rows == 2


def test_part_gives_one_part_of_the_split():
    assert table(split=pd.Series(list("aabb"))).part("b").n_rows == 2
    with pytest.raises(DataError, match=r"has the parts \['train', 'test'\]; got 'trian'. Did you mean 'train'\?"):
        table(split=pd.Series(["train", "train", "test", "test"])).part("trian")
    with pytest.raises(DataError, match="no official split"):
        table().part("train")
