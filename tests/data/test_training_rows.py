"""Validated training rows, at once and in batches."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from calibrant.data._validation.estimator_rows import read_more_training_rows, read_training_rows
from calibrant.exceptions import DataError, SchemaError

FIRST = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})


@pytest.fixture
def schema():
    return read_training_rows(FIRST, [0, 1]).columns.schema


def test_rows_of_weight_0_are_gone_with_their_classes_and_categories():
    rows = read_training_rows(FIRST, ["a", "b"], [1, 0])
    assert rows.columns.n_rows == 1
    assert rows.labels.classes.tolist() == ["a"]
    assert rows.columns.schema.features[1].categories == ("red",)
    assert rows.weights is None


def test_new_categories_join_the_others_behind_them(schema):
    rows = read_more_training_rows(
        pl.DataFrame({"colour": ["green", None, "red"], "size": [3, 4, 5]}), [0, 1, 1], None, schema, "it"
    )
    assert rows.columns.schema.features[1].categories == ("blue", "red", "green")
    assert rows.columns.arrays[1].tolist() == [2, -1, 1]
    np.testing.assert_array_equal(rows.columns.arrays[0], [3.0, 4.0, 5.0])


def test_a_category_of_a_row_of_weight_0_does_not_join(schema):
    rows = read_more_training_rows(FIRST.assign(colour=["green", "red"]), [0, 1], [0, 2], schema, "it")
    assert rows.columns.schema.features[1].categories == ("blue", "red")
    assert rows.weights.tolist() == [2.0]


def test_what_a_column_cannot_be_raises(schema):
    with pytest.raises(SchemaError, match="none of the values seen in fit"):
        read_more_training_rows(FIRST.assign(colour=[True, False]), [0, 1], None, schema, "it")
    with pytest.raises(DataError, match="y has 1 labels for 2 rows"):
        read_more_training_rows(FIRST, [0], None, schema, "it")
