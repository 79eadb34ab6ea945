"""The table that has been understood, and how it shows itself."""

import dataclasses
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from calibrant.data import Table, load
from calibrant.exceptions import DataError


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


def test_the_view_tells_rows_columns_kinds_missing_and_class_balance():
    shown = repr(table())
    assert shown.splitlines()[0] == "tiny: 4 rows, 2 features (1 numeric, 1 nominal)"
    assert "class no          3  75.0% ██████████████████" in shown
    assert "class yes         1  25.0% ██████  (positive)" in shown
    assert "missing: 2 cells in 2 rows" in shown
    assert "age     numeric        1  20 to 64.5, median 31, 3 distinct" in shown
    assert "town    nominal        1  Bern (2), Rome (1)" in shown


def test_the_view_tells_split_weights_extra_and_notes():
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


def test_missing_classes_are_told():
    assert "class missing: 1 rows" in repr(table(y=pd.Series(["no", None, "yes", "no"])))


def test_many_columns_and_classes_are_cut():
    X = pd.DataFrame(np.eye(40), columns=[f"c{j}" for j in range(40)])
    wide = Table(X=X, y=pd.Series(range(40)), name="wide", kinds=dict.fromkeys(X, "numeric"))
    assert "… and 20 more columns" in repr(wide)
    assert "… and 32 more classes" in repr(wide)


def test_a_table_without_class_or_features_shows_itself():
    assert "class" not in repr(table(y=None, name="rows"))
    assert "0 features" in repr(table(X=pd.DataFrame(index=range(4)), kinds={}))


class Tags(HTMLParser):
    """Collects what is open at the end: nothing, in a well-formed page."""

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


def test_the_notebook_view_is_well_formed_and_says_the_same():
    page = Tags(load("appeal")._repr_html_())
    assert page.open == []
    for words in ("appeal", "1,500 rows", "months_since_last_gift", "positive", "1 declared but unseen"):
        assert words in page.text


def test_the_notebook_view_escapes_what_the_file_says():
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


def test_part_gives_one_part_of_the_split():
    assert table(split=pd.Series(list("aabb"))).part("b").n_rows == 2
    with pytest.raises(DataError, match=r"has the parts \['train', 'test'\]; got 'trian'. Did you mean 'train'\?"):
        table(split=pd.Series(["train", "train", "test", "test"])).part("trian")
    with pytest.raises(DataError, match="no official split"):
        table().part("train")
