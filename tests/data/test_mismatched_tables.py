"""Tables that do not match a fitted one: the error lists all that differs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import SchemaError


def test_a_table_that_does_not_match_says_all_that_differs():
    fitted = pd.DataFrame({"age": [1.0, 2], "sex": ["f", "m"], "day": pd.to_datetime(["2024-01-01"] * 2), "n": [1, 2]})
    model = ConstantClassifier().fit(fitted, [0, 1])
    other = pd.DataFrame({"aged": [1.0], "sexe": ["f"], "day": [3.5], "n": ["many"], "town": ["Bern"]})
    with pytest.raises(SchemaError) as caught:
        model.predict(other)
    assert str(caught.value) == (
        "fitted with 4 columns; 'age' and 'sex' are missing. Found 'aged': the same column? Found 'sexe': the same "
        "column? Not in fit: 'town'. Column 'day' held dates in fit and holds numbers now; pass dates. Column 'n' was "
        "numeric in fit and holds 'many' now; pass numbers."
    )


def test_columns_of_other_kinds_in_an_array_are_all_listed():
    model = ConstantClassifier().fit([[1.0, 2.0, 3.0]], [0])
    with pytest.raises(SchemaError, match=r"^column 'x0' was numeric .* numbers\. Column 'x2' was numeric"):
        model.predict([["a", 2.0, "b"]])


def test_many_differences_are_counted():
    model = ConstantClassifier().fit(np.zeros((1, 30)), [0])
    with pytest.raises(SchemaError, match=r"20 more columns are of another kind\.$"):
        model.predict([["a"] * 30])
