"""Extreme and degenerate tables: a documented result or a clear error, never NaN, never a probability beyond [0, 1]."""

import numpy as np
import pandas as pd
import pytest

from calibrant.exceptions import DataError, ParameterError, SchemaError
from calibrant.neighbors import NeighborsClassifier

WAYS = ["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]
NORMAL = np.random.default_rng(0).normal(size=(40, 2))
Y = np.array(["no", "yes"] * 20)
WORDS = pd.DataFrame({"a": ["u", "v", None, "w"] * 10, "b": NORMAL[:, 0]})
TABLES = {
    "constant": (np.ones((40, 2)), np.array([[1.0, 1.0], [2.0, -2.0]])),
    "all missing": (np.full((40, 2), np.nan), NORMAL),
    "a missing column": (np.column_stack([NORMAL[:, 0], np.full(40, np.nan)]), NORMAL),
    "missing queries": (NORMAL, np.full((2, 2), np.nan)),
    "huge": (NORMAL * 1e300, NORMAL * 1e300),
    "huge queries": (NORMAL, NORMAL * 1e300),
    "the ends of float64": (np.where(NORMAL > 0, 1.7e308, -1.7e308), NORMAL * 1e300),
    "tiny": (NORMAL * 1e-300, NORMAL * 1e-300),
    "subnormal": (NORMAL * 1e-310, NORMAL),
    "duplicates": (np.repeat(NORMAL[:2], 20, axis=0), NORMAL),
    "far from 0": (NORMAL + 1e12, NORMAL + 1e12),
    "unseen categories": (WORDS, pd.DataFrame({"a": ["zz", None], "b": [0.0, np.nan]})),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("scale", ["standard", "range", None])
@pytest.mark.parametrize("weights", WAYS)
@pytest.mark.parametrize("name", TABLES)
def test_probabilities_are_probabilities(name, weights, scale):
    X, queries = TABLES[name]
    for params in ({}, {"smoothing": 0, "attribute_weights": None}):
        p = NeighborsClassifier(weights=weights, scale=scale, **params).fit(X, Y).predict_proba(queries)
        assert ((p >= 0) & (p <= 1)).all()
        np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("weights", WAYS)
def test_one_row_one_class_and_more_neighbours_than_rows(weights):
    model = NeighborsClassifier(weights=weights, n_neighbors=99)
    assert model.fit([[1.0, "a"]], ["only"]).predict_proba([[7.0, "b"], [None, None]]).tolist() == [[1.0], [1.0]]
    assert model.kneighbors([[7.0, "b"]])[1].tolist() == [[0]]


def test_a_query_of_which_nothing_is_known_gets_the_base_rates():
    model = NeighborsClassifier(attribute_weights=None, scale="range", smoothing=0, nominal=[0, 1])
    model.fit(np.random.default_rng(1).integers(0, 3, (40, 2)), ["a"] * 30 + ["b"] * 10)
    np.testing.assert_allclose(model.predict_proba([[None, None]]), [[0.75, 0.25]])


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 1e9, 1e300])
def test_the_unit_of_a_column_does_not_matter(factor):
    model = NeighborsClassifier(attribute_weights=None)
    one = model.fit(NORMAL, Y).predict_proba(NORMAL)
    np.testing.assert_allclose(model.fit(NORMAL * factor, Y).predict_proba(NORMAL * factor), one, atol=1e-9)


def test_a_column_without_values_changes_nothing():
    model = NeighborsClassifier(attribute_weights=None, weights="inverse")
    one = model.fit(NORMAL, Y).predict_proba(NORMAL)
    wide = np.column_stack([NORMAL, np.full(40, np.nan)])
    np.testing.assert_allclose(model.fit(wide, Y).predict_proba(wide), one, atol=1e-12)
    assert model.attribute_weights_.tolist() == [1, 1, 0]


def test_columns_without_any_gain_have_equal_weights():
    assert NeighborsClassifier().fit(NORMAL, Y).attribute_weights_.tolist() == [1, 1]


def test_relative_attribute_weights_change_distances_and_no_probability():
    one, other = (
        NeighborsClassifier(attribute_weights=[2, 8], relative_attribute_weights=relative).fit(NORMAL, Y)
        for relative in (False, True)
    )
    assert other.attribute_weights_.tolist() == [0.25, 1]
    np.testing.assert_allclose(one.predict_proba(NORMAL), other.predict_proba(NORMAL), atol=1e-12)
    np.testing.assert_allclose(one.kneighbors(NORMAL)[0], other.kneighbors(NORMAL)[0] * np.sqrt(8))


def test_known_limits_are_the_range():
    params = {"attribute_weights": None, "weights": "similarity"}
    by_range = NeighborsClassifier(scale="range", **params).fit(NORMAL, Y)
    by_limits = NeighborsClassifier(scale=[NORMAL.min(axis=0), NORMAL.max(axis=0)], **params).fit(NORMAL, Y)
    np.testing.assert_array_equal(by_range.predict_proba(NORMAL), by_limits.predict_proba(NORMAL))


def test_infinity_raises_in_fit_and_later():
    with pytest.raises(DataError, match=r"column 'x1' contains infinity \(first at row 1\)"):
        NeighborsClassifier().fit([[1.0, 2.0], [3.0, np.inf]], ["a", "b"])
    with pytest.raises(DataError, match="column 'x0' contains infinity"):
        NeighborsClassifier().fit(NORMAL, Y).predict([[-np.inf, 1.0]])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an int >= 1 or 'all'; got 0"),
        ({"weights": "inverse_sqared"}, "Did you mean 'inverse_squared'"),
        ({"attribute_weights": "gainratio"}, "Did you mean 'gain_ratio'"),
        ({"attribute_weights": [1.0]}, "attribute_weights has 1 numbers for 2 columns"),
        ({"attribute_weights": [0, 0]}, "not all 0; got 0 to 0"),
        ({"attribute_weights": [1, np.nan]}, "attribute_weights must be in"),
        ({"scale": [[0.0], [1.0]]}, r"scale has shape \(2, 1\); expected \(2, 2\)"),
        ({"scale": [[0.0, 9.0], [1.0, 1.0]]}, "finite lower and upper limit for column 'x1'; got 9.0 and 1.0"),
        ({"bandwidth": 0}, "bandwidth must be"),
        ({"tie_tolerance": 1}, "tie_tolerance must be"),
    ],
)
def test_wrong_parameters_are_named(params, message):
    with pytest.raises(ParameterError, match=message):
        NeighborsClassifier(**params).fit(NORMAL, Y)


def test_other_columns_than_in_fit_raise():
    with pytest.raises(SchemaError, match="expecting 2 features"):
        NeighborsClassifier().fit(NORMAL, Y).predict_proba(NORMAL[:, :1])
