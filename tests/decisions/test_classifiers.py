"""Cost-sensitive classifiers: against brute force, closed forms and the papers' rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from calibrant.decisions import (
    CostMatrix,
    CostSensitiveClassifier,
    ExampleCosts,
    MetaCostClassifier,
    ThresholdClassifier,
    best_decision,
)
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

COSTLY = CostMatrix([[0, 1], [8, 0]], labels=["no", "yes"])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    return X, np.where(rng.random(1500) < 1 / (1 + np.exp(1.5 - 2 * X[:, 0])), "yes", "no")


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 2))
    return X, np.array(list("abc"))[np.argmax(X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(900, 3)), axis=1)]


def total_cost(costs, y, predicted):
    return sum(costs.matrix[costs.labels.index(a), costs.actions.index(b)] for a, b in zip(y, predicted, strict=True))


def test_costs_at_prediction_minimize_the_expected_cost(three):
    X, y = three
    costs = CostMatrix([[0, 1, 5], [2, 0, 1], [9, 1, 0]], labels="abc")
    model = CostSensitiveClassifier(GaussianNB(), costs).fit(X, y)
    proba = GaussianNB().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), best_decision(proba, costs))
    np.testing.assert_allclose(model.predict_proba(X), proba)


def test_actions_that_are_not_classes_are_decided_but_never_predicted(rows):
    X, y = rows
    model = CostSensitiveClassifier(GaussianNB(), COSTLY.with_action("ask", 0.5)).fit(X, y)
    assert set(model.decide(X)) == {"no", "yes", "ask"}
    assert set(model.predict(X)) == {"no", "yes"}


@pytest.mark.parametrize("how", ["weights", "resample", "reject"])
def test_training_by_costs_is_cheaper_than_training_without(rows, how):
    X, y = rows
    plain = LogisticRegression().fit(X[:1000], y[:1000]).predict(X[1000:])
    model = CostSensitiveClassifier(LogisticRegression(), COSTLY, when="train", how=how).fit(X[:1000], y[:1000])
    assert total_cost(COSTLY, y[1000:], model.predict(X[1000:])) < 0.8 * total_cost(COSTLY, y[1000:], plain)


def test_tings_weights_are_the_sums_of_a_classs_errors_and_keep_the_weight_of_all_rows(three):
    X, y = three
    costs = CostMatrix([[0, 1, 2], [3, 0, 4], [5, 5, 0]], labels="abc")
    seen = {}

    class Recording(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.update(zip(y, sample_weight, strict=True))
            seen["sum"] = sample_weight.sum()
            return super().fit(X, y, sample_weight)

    CostSensitiveClassifier(Recording(), costs, when="train").fit(X, y)
    assert seen["b"] / seen["a"] == pytest.approx(7 / 3)
    assert seen["c"] / seen["a"] == pytest.approx(10 / 3)
    assert seen["sum"] == pytest.approx(900)


def test_two_classes_weighted_by_costs_shift_the_odds_as_the_threshold_would():
    """Elkan 2001: for a model of class frequencies, weights by cost and the threshold of the costs agree."""
    X = pd.DataFrame({"x": list("aaaaabbbbbcccccddddd")})
    y = np.array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1])
    tree = ProbabilityTreeClassifier(estimate="frequency", min_leaf=1, accept_zero_gain=True)
    for price in (0.3, 1.1, 2.2, 5.0):
        late = CostSensitiveClassifier(tree, [[0, 1], [price, 0]]).fit(X, y)
        early = CostSensitiveClassifier(tree, [[0, 1], [price, 0]], when="train").fit(X, y)
        if early.estimator_.n_leaves_ == late.estimator_.n_leaves_:
            np.testing.assert_array_equal(late.predict(X), early.predict(X))


class Sampled(GaussianNB):
    """Knows how often it was fitted to each row, whose number is its only column; it takes no weights."""

    def fit(self, X, y):
        self.times_ = np.bincount(X[:, 0].astype(int), minlength=50)
        return super().fit(X, y)


@given(st.integers(0, 2**32 - 1))
def test_rows_are_resampled_in_proportion_to_their_weight_rounded_at_random(seed):
    """A row whose benefit is twice its cost is worth that cost, approached or not."""
    worth = 0.1 + 3 * np.random.default_rng(seed).random(50)
    model = CostSensitiveClassifier(
        Sampled(), ExampleCosts(worth, 2 * worth), when="train", how="resample", random_state=seed
    ).fit(np.arange(50.0)[:, None], np.repeat(["a", "b"], 25))
    times = model.estimator_.times_
    assert (np.abs(times - worth * 50 / worth.sum()) < 1).all()
    assert abs(times.sum() - 50) < 1


def test_costing_accepts_rows_in_proportion_to_their_costs():
    y = np.repeat(["a", "b"], [40_000, 1_000])
    model = CostSensitiveClassifier(Sampled(), [[0, 1], [4, 0]], when="train", how="reject", n_models=1, random_state=0)
    times = model.fit(np.arange(41_000.0)[:, None], y).estimator_.times_
    assert (times[40_000:] == 1).all()
    assert times.max() == 1
    assert times[:40_000].sum() == pytest.approx(10_000, abs=5 * np.sqrt(7_500))


def test_costs_that_cannot_weight_rows_raise(rows):
    for matrix in ([[0, -1], [1, 0]], [[0, 0], [1, 0]]):
        with pytest.raises(ParameterError, match="for training"):
            CostSensitiveClassifier(GaussianNB(), matrix, when="train").fit(*rows)


def test_costs_by_row_are_learned_and_used(rows):
    X, y = rows
    gift = np.where(y == "yes", 3 + X[:, 1], np.nan)
    costs = ExampleCosts(cost=1.0, benefit=LinearRegression())
    model = CostSensitiveClassifier(GaussianNB(), costs).fit(X, y, amount=gift)
    proba = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X) == "yes", proba * (3 + X[:, 1]) > 1.0)
    assert set(model.decide(X)) == {"leave", "approach"}
    with pytest.raises(ParameterError, match="pass amount="):
        CostSensitiveClassifier(GaussianNB(), costs).fit(X, y)


def test_rows_that_earned_less_than_their_cost_are_trained_as_ones_to_leave(rows):
    X, y = rows
    gift = np.where(y == "yes", 3 + X[:, 1], 0.0)
    costs = ExampleCosts(cost=1.0, benefit=2.0)
    model = CostSensitiveClassifier(DecisionTreeClassifier(), costs, when="train").fit(X, y, amount=gift)
    np.testing.assert_array_equal(model.predict(X) == "yes", gift > 1.0)


def test_metacost_relabels_rows_with_the_cheapest_class_of_bagged_probabilities(three):
    X, y = three
    costs = CostMatrix([[0, 1, 5], [2, 0, 1], [9, 1, 0]], labels="abc")
    model = MetaCostClassifier(GaussianNB(), costs, n_bags=20).fit(X, y)
    proba = GaussianNB().fit(X, y).predict_proba(X)  # naive Bayes hardly differs from bag to bag
    assert (model.relabelled_ == best_decision(proba, costs)).mean() > 0.97
    assert total_cost(costs, y, model.predict(X)) < total_cost(costs, y, GaussianNB().fit(X, y).predict(X))


def test_metacost_with_equal_costs_and_a_stable_estimator_changes_little(rows):
    X, y = rows
    model = MetaCostClassifier(LogisticRegression(), n_bags=10, use_all=False).fit(X, y)
    assert (model.predict(X) == LogisticRegression().fit(X, y).predict(X)).mean() > 0.97


def test_metacost_accepts_estimators_without_probabilities_and_may_predict_one_class(rows):
    X, y = rows
    assert set(MetaCostClassifier(LinearSVC(), n_bags=3).fit(X, y).predict(X)) == {"no", "yes"}
    one = MetaCostClassifier(GaussianNB(), [[0, 1e-9], [1e9, 0]], n_bags=2).fit(X, y)
    assert set(one.predict(X)) == {"yes"}
    assert one.predict_proba(X)[0].tolist() == [0, 1]


@pytest.mark.parametrize("model", [MetaCostClassifier(GaussianNB(), COSTLY, n_bags=4)])
def test_a_weight_of_2_is_the_row_twice_whatever_the_order_of_rows(rows, model):
    X, y = rows[0][:200], rows[1][:200]
    weight = np.random.default_rng(2).integers(0, 3, 200)
    order = np.random.default_rng(3).permutation(weight.sum())
    repeated = model.fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order]).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, y, weight).predict_proba(X), repeated, rtol=1e-6)


def test_the_tuned_threshold_is_the_best_of_all_by_brute_force(rows):
    X, y = rows[0][:300], rows[1][:300]
    model = ThresholdClassifier(GaussianNB(), COSTLY, evidence=0).fit(X, y)
    scores, actual = model.held_out_.scores[:, 0], model.held_out_.y
    costs = [total_cost(COSTLY, actual, np.where(scores >= t, "yes", "no")) / 300 for t in [*np.unique(scores), 2.0]]
    assert model.value_ == pytest.approx(min(costs))
    assert total_cost(COSTLY, actual, np.where(scores >= model.threshold_, "yes", "no")) / 300 == pytest.approx(
        min(costs)
    )


def test_the_tuned_threshold_of_calibrated_probabilities_is_near_the_implied_one(rows):
    """Logistic regression on rows drawn from a logistic curve is calibrated."""
    near, kept = (
        ThresholdClassifier(LogisticRegression(), COSTLY, evidence=evidence).fit(*rows) for evidence in (1, 10)
    )
    assert near.threshold_ == pytest.approx(COSTLY.threshold(), abs=0.1)
    assert kept.threshold_ == pytest.approx(COSTLY.threshold())


class Squared(LogisticRegression):
    """Predicts the square of the right probability."""

    def predict_proba(self, X):
        positive = super().predict_proba(X)[:, 1] ** 2
        return np.column_stack([1 - positive, positive])


def test_the_tuned_threshold_follows_miscalibrated_probabilities(rows):
    model = ThresholdClassifier(Squared(), COSTLY).fit(*rows)
    assert model.threshold_ == pytest.approx(COSTLY.threshold() ** 2, abs=0.02)


@pytest.mark.parametrize("goal", ["accuracy", "f1", "kappa", "g_mean"])
def test_a_threshold_can_be_tuned_to_a_metric(rows, goal):
    X, y = rows
    model = ThresholdClassifier(GaussianNB(), goal=goal, cv=3).fit(X, y)
    by_name = {"accuracy": "accuracy_score", "f1": "f1_score", "kappa": "cohen_kappa_score"}
    predicted = np.where(model.held_out_.scores[:, 0] >= model.threshold_, "yes", "no")
    if goal in by_name:
        from sklearn import metrics

        extra = {"pos_label": "yes"} if goal == "f1" else {}
        assert model.value_ == pytest.approx(getattr(metrics, by_name[goal])(model.held_out_.y, predicted, **extra))
    else:
        right = [(predicted == label)[model.held_out_.y == label].mean() for label in ("no", "yes")]
        assert model.value_ == pytest.approx(np.sqrt(np.prod(right)))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("kind", [CostSensitiveClassifier, MetaCostClassifier, ThresholdClassifier])
def test_frames_with_nominal_columns_and_missing_values_reach_the_base_estimator(frame, kind):
    X = {"colour": ["red", "blue", None, "red", "blue", "red"] * 20, "size": [1.0, None, 3.0, 4.0, 5.0, 6.0] * 20}
    y = ["yes", "no", "no", "yes", "no", "yes"] * 20
    model = kind(ProbabilityTreeClassifier(), COSTLY).fit(frame(X), y)
    assert model.predict(frame(X)).tolist() == y
    assert model.feature_names_in_.tolist() == ["colour", "size"]


def test_invalid_arguments_raise(rows, three):
    with pytest.raises(DataError, match="Only binary"):
        ThresholdClassifier(GaussianNB()).fit(*three)
    with pytest.raises(ParameterError, match="each row has its own"):
        ThresholdClassifier(GaussianNB(), ExampleCosts(1, 2)).fit(*rows)
    with pytest.raises(ParameterError, match="with predict_proba"):
        CostSensitiveClassifier(LinearSVC()).fit(*rows)
    with pytest.raises(DataError, match="two classes"):
        CostSensitiveClassifier(GaussianNB(), ExampleCosts(1, 2)).fit(*three)
    with pytest.raises(ParameterError, match="cv must be"):
        ThresholdClassifier(GaussianNB(), cv="prefit").fit(*rows)
