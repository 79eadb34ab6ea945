"""Constant classifiers: base rates, all zero, all one."""

import numpy as np
import pytest

from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import ParameterError

X, Y = [[1.0], [2.0], [None], [4.0]], ["a", "b", "b", "c"]


def said(**params):
    return ConstantClassifier(**params).fit(X, Y).predict_proba([[0.0], [None]])


def test_base_rates_are_shares_of_weight():
    model = ConstantClassifier().fit(X, Y, [2, 1, 1, 0])
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict_proba(X), [[0.5, 0.5]] * 4)


def test_one_is_certain_of_the_last_class_and_zero_leaves_the_others_their_base_rates():
    np.testing.assert_allclose(said(strategy="one"), [[0, 0, 1]] * 2)
    np.testing.assert_allclose(said(strategy="zero"), [[1 / 3, 2 / 3, 0]] * 2)


def test_positive_names_the_class():
    np.testing.assert_allclose(said(strategy="one", positive="b"), [[0, 1, 0]] * 2)
    np.testing.assert_allclose(said(strategy="zero", positive="b"), [[0.5, 0, 0.5]] * 2)


@pytest.mark.parametrize("strategy", ["base_rate", "zero", "one"])
def test_a_single_class_is_certain(strategy):
    model = ConstantClassifier(strategy=strategy).fit([[1], [2]], ["only", "only"])
    assert model.predict_proba([[3]]).tolist() == [[1.0]]


def test_an_unknown_positive_class_raises():
    with pytest.raises(ParameterError, match=r"positive must be a class of y or None; got 'bb'\. Did you mean 'b'"):
        said(strategy="one", positive="bb")
    with pytest.raises(ParameterError, match="strategy must be 'base_rate', 'zero' or 'one'"):
        said(strategy="prior")
