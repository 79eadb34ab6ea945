"""Rows have the same predictions, to the bit, whatever rows come with them, and in arrays of any layout."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrant.ensembles import BaggedTreesClassifier

N_ROWS = 296


@pytest.fixture(scope="module")
def numbers():
    random = np.random.default_rng(5)
    X = random.normal(size=(N_ROWS, 6))
    return X, np.digitize(X[:, 0] + random.normal(size=N_ROWS), [-0.5, 0.5])


@pytest.fixture(scope="module", params=["ignore", "count"])
def forest(request, numbers):
    return BaggedTreesClassifier(n_trees=21, out_of_bag=request.param, max_features="sqrt", random_state=0).fit(
        *numbers
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 3, 8, 256])
def test_few_rows_have_the_predictions_of_many(forest, numbers, n_rows, dtype):
    X = numbers[0].astype(dtype)
    many = forest.predict_proba(X)
    for first in (0, 17):
        np.testing.assert_array_equal(forest.predict_proba(X[first : first + n_rows]), many[first : first + n_rows])


def test_any_strides_do(forest, numbers):
    X = numbers[0]
    many = forest.predict_proba(X)
    np.testing.assert_array_equal(forest.predict_proba(np.asfortranarray(X)[:9]), many[:9])
    np.testing.assert_array_equal(forest.predict_proba(X[8::-2]), many[8::-2])
    wide = np.repeat(X, 2, axis=1)[:5]
    np.testing.assert_array_equal(forest.predict_proba(wide[:, ::2]), many[:5])


def test_a_row_with_missing_values_has_the_same_prediction_alone(forest, numbers):
    X = numbers[0].copy()
    X[1, 0] = np.nan
    np.testing.assert_array_equal(forest.predict_proba(X[:2]), forest.predict_proba(X)[:2])


def test_infinite_values_are_beyond_every_cut(forest, numbers):
    X = numbers[0].copy()
    X[0, :3], X[1, 2:] = np.inf, -np.inf
    np.testing.assert_array_equal(forest.predict_proba(X[:2]), forest.predict_proba(X)[:2])


def test_rows_of_categories_have_the_same_predictions_alone():
    X = pd.DataFrame({"word": ["u", "v", "w"] * 20, "number": np.arange(60.0)})
    y = (X["word"] == "u") ^ (X["number"] > 30)
    model = BaggedTreesClassifier(n_trees=5, random_state=0, min_leaf=5).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:3]), model.predict_proba(pd.concat([X] * 9))[:3])


def test_a_pickle_packs_its_trees_again(forest, numbers):
    row = numbers[0][:1]
    before = forest.predict_proba(row)
    again = pickle.loads(pickle.dumps(forest))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(row), before)
