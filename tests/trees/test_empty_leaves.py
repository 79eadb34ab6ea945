"""Leaves without training rows predict by the rule of their dialect (ALGORITHMS.md 10.19)."""

import numpy as np
import pandas as pd
import pytest

from calibrant.trees import ProbabilityTreeClassifier

COLOUR = pd.Categorical(["red"] * 4 + ["blue"] * 2, categories=["red", "blue", "never"])
X, Y = pd.DataFrame({"colour": COLOUR}), ["a"] * 4 + ["b"] * 2
NEVER = pd.DataFrame({"colour": pd.Categorical(["never"], categories=["red", "blue", "never"])})


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"estimate": "frequency"}, [1, 0]),
        ({"estimate": "laplace"}, [5 / 8, 3 / 8]),
        ({"estimate": "frequency", "dialect": "j48"}, [4 / 6, 2 / 6]),
        ({"estimate": "laplace", "dialect": "j48"}, [5 / 8, 3 / 8]),
        ({"estimate": "frequency", "empty_leaf": "parent"}, [4 / 6, 2 / 6]),
        ({"estimate": "laplace", "empty_leaf": "majority"}, [1, 0]),
    ],
)
def test_an_empty_leaf_predicts_as_the_dialect_does_unless_specified(params, expected):
    model = ProbabilityTreeClassifier(**params).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(NEVER)[0], expected)


def test_a_declared_category_without_rows_has_a_leaf_that_counts_in_the_size():
    model = ProbabilityTreeClassifier().fit(X, Y)
    assert (model.n_nodes_, model.n_leaves_, model.depth_) == (4, 3, 1)
    assert model.tree_.weight.tolist() == [6, 4, 2, 0]


def test_the_vote_of_an_empty_leaf_follows_the_declared_order_of_classes():
    y = pd.Categorical(["b", "b", "a", "a"], categories=["b", "a"])
    tied = pd.DataFrame({"colour": COLOUR[[0, 1, 4, 5]]})
    model = ProbabilityTreeClassifier(estimate="frequency").fit(tied, y)
    assert model.predict_proba(NEVER).tolist() == [[0, 1]]
