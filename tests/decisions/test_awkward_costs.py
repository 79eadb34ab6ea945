"""Edge cases of costs: names in any order, frames of costs, rows of weight 0, costs without any gain."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant.decisions import (
    CostMatrix,
    CostSensitiveClassifier,
    ExampleCosts,
    MetaCostClassifier,
    Money,
    ThresholdClassifier,
    best_decision,
    cost_benefit,
    decision_report,
    expected_cost,
    profit,
)
from calibrant.exceptions import CalibrantWarning, DataError, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = np.where(X[:, 0] + RNG.normal(size=200) > 0.5, "yes", "no")
P = RNG.random(200)


def test_columns_of_a_model_are_matched_to_matrix_rows_in_another_order():
    costs = CostMatrix([[0, 9], [1, 0]], labels=["yes", "no"], actions=["yes", "no"])
    model = GaussianNB().fit(X, Y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(expected_cost(proba, costs, labels=model.classes_), proba[:, ::-1] @ costs.matrix)
    decided = CostSensitiveClassifier(GaussianNB(), costs).fit(X, Y).decide(X)
    np.testing.assert_array_equal(best_decision(proba, costs, labels=model.classes_), decided)


def test_a_frame_of_costs_names_classes_and_actions():
    frame = pd.DataFrame([[0, 9], [1, 0]], index=["yes", "no"], columns=["mail", "leave"])
    costs = CostMatrix(frame)
    assert (costs.labels, costs.actions) == (("yes", "no"), ("mail", "leave"))
    pd.testing.assert_frame_equal(CostMatrix(costs.to_frame()).to_frame(), costs.to_frame())
    assert CostMatrix.from_benefits(-frame).actions == costs.actions
    assert CostMatrix(pd.DataFrame([[0, 9], [1, 0]])).labels is None
    assert profit(Y, P, frame, confidence=None).total == profit(Y, P, costs, confidence=None).total


@pytest.mark.parametrize("make", [CostSensitiveClassifier, MetaCostClassifier, ThresholdClassifier])
def test_classifiers_take_a_frame_of_costs(make):
    frame = pd.DataFrame([[0, 1], [9, 0]], index=["no", "yes"], columns=["no", "yes"])
    models = [make(GaussianNB(), costs).fit(X, Y) for costs in (frame, CostMatrix(frame))]
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_names_in_a_file_match_classes_that_are_floats():
    costs = CostMatrix([[0, 1], [9, 0]], labels=["0", "1"])
    assert costs.for_classes([0.0, 1.0]).actions == (0.0, 1.0)
    with pytest.raises(ParameterError, match="no row for class 2"):
        costs.for_classes([0.0, 2.0])


def test_cost_benefit_selects_by_the_action_that_suits_positive_rows_in_any_column():
    first = CostMatrix.from_dict({"no": {"mail": 1, "leave": 0}, "yes": {"mail": -5, "leave": 0}})
    second = CostMatrix.from_dict({"no": {"leave": 0, "mail": 1}, "yes": {"leave": 0, "mail": -5}})
    actual, expected = (cost_benefit(Y, P, costs).benefit for costs in (first, second))
    np.testing.assert_array_equal(actual, expected)
    assert expected[-1] == 5 * (Y == "yes").sum() - (Y == "no").sum()


@pytest.mark.parametrize("how", ["weights", "resample", "reject"])
def test_training_with_costs_by_row_decides_by_their_actions(how):
    costs = ExampleCosts(1.0, RNG.gamma(4.0, size=200))
    model = CostSensitiveClassifier(LogisticRegression(), costs, when="train", how=how).fit(X, Y)
    np.testing.assert_array_equal(model.decide(X) == "approach", model.predict(X) == "yes")


@pytest.mark.parametrize("how", ["weights", "resample", "reject"])
def test_training_leaves_all_rows_alone_if_none_is_worth_its_cost(how):
    model = CostSensitiveClassifier(LogisticRegression(), ExampleCosts(2.0, 1.0), when="train", how=how).fit(X, Y)
    assert set(model.decide(X)) == {"leave"}
    np.testing.assert_array_equal(model.predict_proba(X), np.tile([1.0, 0.0], (200, 1)))


def test_benefits_by_row_are_restricted_to_rows_of_positive_weight():
    weight, benefit = np.tile([1.0, 0.0], 100), RNG.gamma(4.0, size=200)
    whole, part = (
        CostSensitiveClassifier(LogisticRegression(), ExampleCosts(1.0, benefit[rows]), when="train").fit(
            X[rows], Y[rows], weight[rows]
        )
        for rows in (slice(None), slice(0, None, 2))
    )
    np.testing.assert_array_equal(whole.estimator_.coef_, part.estimator_.coef_)
    piped = ExampleCosts(1.0, make_pipeline(StandardScaler(), LinearRegression()))
    assert piped.only(np.array([0])).benefit is piped.benefit


@pytest.mark.parametrize("how", ["resample", "reject"])
def test_weights_are_used_in_sampling_for_an_estimator_without_weights(how):
    weight = np.where(np.arange(200) < 100, 8.0, 1.0)
    model = CostSensitiveClassifier(KNeighborsClassifier(1), when="train", how=how, n_models=1)
    with pytest.warns(CalibrantWarning, match="used in sampling the rows"):
        rows = model.fit(X, Y, weight).estimator_._fit_X
    heavy = np.isin(rows[:, 0], X[:100, 0]).sum()
    assert heavy > 4 * (len(rows) - heavy)


def test_zero_amounts_are_printed_without_a_sign_and_as_equal():
    assert repr(-Money(0.0, 0.0, 0.001)) == "0.00 [0.00, 0.00]"
    same = profit(Y, P, [[0, 0], [0, 0]])
    assert repr(same).endswith("the model earns as much as action no for every row")
    assert "-0.00" not in repr(decision_report(Y, P, [[0, 0], [0, 0]]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: CostMatrix.errors("ab").with_action("ask", [1, 2, 3]),
        lambda: CostMatrix.errors("ab").with_action("ask", "expensive"),
        lambda: best_decision([0.5], ExampleCosts(1.0, 2.0), labels=["a", "b"]),
        lambda: best_decision([0.5], CostMatrix.errors("ab"), labels=["a", "c"]),
    ],
)
def test_invalid_arguments_raise(call):
    with pytest.raises(ParameterError):
        call()


@pytest.mark.parametrize(
    ("proba", "message"),
    [
        ([0.2, np.nan], r"proba has 1 row\(s\) with NaN \(first at row 1\); drop those rows"),
        ([0.2, 1.4], r"proba has 1 row\(s\) with value\(s\) outside \[0, 1\] \(first at row 1\); pass probabilities"),
        ([[0.2, 0.6]], r"proba has 1 row\(s\) with probabilities that do not sum to 1 \(first at row 0\)"),
        ([[0.2, 0.5, 0.3]], r"each of the 2 classes \['no', 'yes'\], or one; got shape \(1, 3\)"),
        (0.3, r"got shape \(\)"),
    ],
)
def test_messages_name_what_is_wrong_with_probabilities(proba, message):
    with pytest.raises(DataError, match=message):
        best_decision(proba, CostMatrix([[0, 1], [5, 0]], labels=["no", "yes"]))


@pytest.mark.parametrize("costs", ["costs", None, [1, 2], [[0, 1], [1]], [[0, np.nan], [1, 0]]])
def test_messages_call_costs_costs(costs):
    with pytest.raises(ParameterError, match="costs must be a CostMatrix, ExampleCosts, dict of dicts or table"):
        best_decision([0.2], costs)


def test_messages_count_what_is_missing():
    with pytest.raises(DataError, match=r"benefit must be a number, or one for each of the 3 rows; got shape \(2,\)"):
        best_decision([0.1, 0.2, 0.3], ExampleCosts(1.0, [1, 2]))
    with pytest.raises(DataError, match="every class needs at least 5 rows, one for each fold; 1 has 2"):
        decision_report([0] * 8 + [1, 1], np.full(10, 0.2), [[0, 1], [5, 0]])
