"""Costs in all the forms that users have them: matrices, dicts, files, numbers by row, regressors."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression

from calibrant.decisions import CostMatrix, ExampleCosts, HeckmanRegressor, best_decision, expected_cost
from calibrant.exceptions import CalibrantError, DataError, MissingFileError, ParameterError, ReadError

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(2, 5), st.integers(2, 6))
def test_the_best_decision_is_that_of_brute_force(seed, n_classes, n_actions):
    rng = np.random.default_rng(seed)
    matrix, proba = rng.normal(size=(n_classes, n_actions)), rng.dirichlet(np.ones(n_classes), 4)
    costs = CostMatrix(matrix, actions=range(n_actions))
    for row, chosen in zip(proba, best_decision(proba, costs), strict=True):
        expected = [sum(p * matrix[k, a] for k, p in enumerate(row)) for a in range(n_actions)]
        assert expected[chosen] == pytest.approx(min(expected), abs=1e-12)


@given(SEEDS)
def test_no_other_decisions_are_cheaper_by_the_true_probabilities(seed):
    """All 3 ** 4 plans for four kinds of rows, each with its probabilities."""
    rng = np.random.default_rng(seed)
    costs, proba = CostMatrix(rng.random((3, 3))), rng.dirichlet(np.ones(3), 4)
    table = expected_cost(proba, costs)
    plans = [
        sum(table[row, action] for row, action in enumerate(plan)) for plan in itertools.product(range(3), repeat=4)
    ]
    assert table[np.arange(4), best_decision(proba, costs)].sum() == pytest.approx(min(plans))


@given(SEEDS, st.floats(0, 1))
def test_elkans_threshold_is_where_the_decision_changes(seed, p):
    low, high = np.random.default_rng(seed).random((2, 2)), np.random.default_rng(seed + 1).random(2)
    costs = CostMatrix([[low[0, 0], low[0, 0] + high[0] + 0.01], [low[1, 1] + high[1] + 0.01, low[1, 1]]])
    if abs(p - costs.threshold()) > 1e-9:
        assert best_decision([p], costs)[0] == (p > costs.threshold())


def test_ties_are_broken_in_favour_of_the_first_action():
    assert best_decision([0.5], [[0, 1], [1, 0]]).tolist() == [0]
    assert best_decision([0.1], ExampleCosts(cost=0.68, benefit=6.8)).tolist() == [
        "leave"
    ]  # strictly greater, as Z & E


def test_looking_closer_pays_in_between():
    costs = CostMatrix([[0, 1], [20, 0]], labels=["fine", "faulty"]).with_action("look closer", 0.6)
    assert best_decision([0.02, 0.04, 0.3, 0.5], costs).tolist() == ["fine", "look closer", "look closer", "faulty"]
    assert costs.with_action("ask", {"fine": 0.1, "faulty": 5}).matrix[:, 3].tolist() == [0.1, 5]


def test_a_dict_a_file_and_benefits_are_the_same_matrix(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("actual,leave,mail\nno,0,0.8\nyes,0,-15\n")
    by_dict = CostMatrix.from_dict({"no": {"leave": 0, "mail": 0.8}, "yes": {"leave": 0, "mail": -15}})
    gained = CostMatrix.from_benefits([[0, -0.8], [0, 15]], labels=["no", "yes"], actions=["leave", "mail"])
    for costs in (CostMatrix.from_csv(path), gained):
        assert costs.to_frame().equals(by_dict.to_frame())
    assert CostMatrix.from_csv(path, benefits=True).benefits.tolist() == by_dict.matrix.tolist()


def test_names_in_a_file_match_classes_that_are_numbers(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("actual,0,1\n1,10,0\n0,0,2\n")
    costs = CostMatrix.from_csv(path).for_classes([0, 1])
    assert costs.matrix.tolist() == [[0, 2], [10, 0]]
    assert costs.actions == (0, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [("actual,a\n", "no costs"), ("x,a,b\na,0\n", "line 2: has 2 fields"), ("x,a\na,much\n", "line 2: has 'much'")],
)
def test_a_file_that_cannot_be_read_is_reported_with_its_line(tmp_path, text, message):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=message):
        CostMatrix.from_csv(path)
    with pytest.raises(MissingFileError):
        CostMatrix.from_csv(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    "make",
    [
        lambda: CostMatrix([[0, 1], [1]]),
        lambda: CostMatrix([[0, np.nan], [1, 0]]),
        lambda: CostMatrix([[0, 1, 2], [1, 0, 2]]),
        lambda: CostMatrix([[0, 1], [1, 0]], labels=["a", "a"]),
        lambda: CostMatrix([[0, 1], [1, 0]], labels=["a", "b"]).for_classes(["a", "c"]),
        lambda: CostMatrix([[0, 1], [1, 0]]).for_classes(["a", "b", "c"]),
        lambda: CostMatrix([[0, 0], [1, 0]]).threshold(),
        lambda: CostMatrix([[0, 1], [1, 0]]).with_action("ask", 1),
        lambda: CostMatrix.from_dict({"a": {"x": 1}, "b": {"y": 2}}),
        lambda: CostMatrix.from_dict({"a": 1}),
        lambda: ExampleCosts(cost=LinearRegression(), benefit=1),
        lambda: ExampleCosts(cost=None, benefit=1),
        lambda: ExampleCosts(cost=1, benefit=1, actions=("same", "same")),
        lambda: best_decision([[0.2, 0.2]], [[0, 1], [1, 0]]),
        lambda: best_decision([[0.2, 0.3, 0.5]], [[0, 1], [1, 0]]),
        lambda: best_decision([0.5], ExampleCosts(1, "gift")),
        lambda: best_decision([0.5, 0.5], ExampleCosts([1, 2, 3], 4)),
    ],
)
def test_invalid_arguments_raise(make):
    with pytest.raises(CalibrantError):
        make()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_costs_by_row_are_columns_functions_or_numbers(frame):
    X = frame({"postage": [0.5, 1.0], "last": [4.0, 8.0]})
    costs = ExampleCosts(cost="postage", benefit=lambda rows: np.asarray(rows["last"]) * 2).for_rows(X)
    assert costs.benefit.tolist() == [8, 16]
    assert expected_cost([0.5, 0.1], costs)[:, 1].tolist() == pytest.approx([0.5 - 4, 1 - 1.6])
    with pytest.raises(ParameterError, match=r"'lst', which X does not have. Did you mean 'last'\?"):
        ExampleCosts(1, "lst").for_rows(X)


def test_benefits_are_learned_from_positive_rows_only():
    X, y, gift = np.arange(6.0)[:, None], np.array([1, 0, 1, 0, 1, 1]), np.array([1.0, np.nan, 5.0, 99.0, 9.0, 11.0])
    costs = ExampleCosts(0.68, LinearRegression())
    fitted = costs.learn(X, y, gift)
    np.testing.assert_allclose(fitted.for_rows(X).benefit, 1 + 2 * X[:, 0])
    assert fitted.actions == costs.actions
    with pytest.raises(DataError, match="no positive row"):
        costs.learn(X, y, gift, sample_weight=1 - y)


def test_heckmans_regression_is_fitted_to_all_rows_and_corrects_for_selection():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    noise = rng.normal(size=(4000, 2))
    y = (X[:, 0] + 2 * X[:, 1] + noise[:, 0] > 0).astype(int)
    gift = np.where(y == 1, 10 + X[:, 0] + 0.9 * noise[:, 0] + 0.4 * noise[:, 1], np.nan)
    costs = ExampleCosts(0.68, HeckmanRegressor(given="everybody")).learn(X, y, gift)
    plain = ExampleCosts(0.68, LinearRegression()).learn(X, y, gift)
    true = 10 + X[:, 0]
    errors = [np.abs(fitted.for_rows(X).benefit - true).mean() for fitted in (costs, plain)]
    assert errors[0] < 0.4 * errors[1]


def test_any_classifier_can_model_the_selection():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 2))
    noise = rng.normal(size=4000)
    y = np.where(X[:, 1] + noise > 0, 5 + X[:, 0] + 2 * noise, np.nan)
    by_probit, by_logit = (
        HeckmanRegressor(selection=selection).fit(X, y).predict(X) for selection in (None, LogisticRegression())
    )
    assert np.corrcoef(by_probit, by_logit)[0, 1] > 0.99


def test_heckmans_regression_is_the_plain_one_where_all_rows_are_observed():
    X, y = np.random.default_rng(2).normal(size=(50, 2)), np.arange(50.0)
    np.testing.assert_allclose(HeckmanRegressor().fit(X, y).predict(X), LinearRegression().fit(X, y).predict(X))
    with pytest.raises(DataError, match="NaN for every row"):
        HeckmanRegressor().fit(X, np.full(50, np.nan))
