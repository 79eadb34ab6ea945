"""The small tree nearest to a blend: against brute force, closed forms, scikit-learn and a tree that is the truth."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, t
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from calibrant.blending import Distilled, ProbabilityClassifier
from calibrant.exceptions import DataError, ParameterError


def draw_linear(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3)).round(2)
    odds = 1.5 * X[:, 0] + X[:, 1] * (X[:, 0] > 0)
    return X, (random.random(n_rows) < 1 / (1 + np.exp(-odds))).astype(int)


@pytest.fixture(scope="module")
def model() -> ProbabilityClassifier:
    return ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(*draw_linear(600))


@pytest.fixture(scope="module")
def small(model: ProbabilityClassifier) -> Distilled:
    return model.distill(5, *draw_linear(400, 1))


def soft_loss(proba: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean log-loss of predictions where classes have these probabilities."""
    return float(-(proba * np.log(predicted)).sum(axis=1).mean())


def test_a_known_tree_is_found() -> None:
    random = np.random.default_rng(3)
    X = pd.DataFrame(
        {"x": random.random(2000), "noise": random.random(2000), "color": random.choice(list("abc"), 2000)}
    )
    truth = np.where(X["x"] <= 0.3, 0.9, np.where(X["color"] == "b", 0.7, 0.05))
    y = (random.random(2000) < truth).astype(int)
    model = ProbabilityClassifier(members=["forest"], random_state=0).fit(X, y)
    tree = model.distill(3, X[:50], y[:50]).tree
    found = tree.tree_
    assert [found.schema.names[j] for j in found.feature[~found.is_leaf]] == ["x", "color"]
    assert abs(found.threshold[0] - 0.3) < 0.01
    rows = pd.DataFrame({"x": [0.1, 0.8, 0.8], "noise": 0.5, "color": ["c", "b", "a"]})
    assert tree.predict_proba(rows)[:, 1] == pytest.approx([0.9, 0.7, 0.05], abs=0.1)


def test_a_tree_of_two_leaves_is_that_of_brute_force(model: ProbabilityClassifier) -> None:
    X, _ = draw_linear(600)
    proba = model.held_out_proba_
    losses = []
    for column in X.T:
        values = np.unique(column)
        for cut in (values[1:] + values[:-1]) / 2:
            sides = [column <= cut, column > cut]
            if min(side.sum() for side in sides) >= 5:
                means = [proba[side].mean(axis=0) for side in sides]
                losses.append(soft_loss(proba, np.where(sides[0][:, np.newaxis], *means)))
    found = model.distill(2, X[:50], [0, 1] * 25).tree
    assert soft_loss(proba, found.predict_proba(X)) == pytest.approx(min(losses), abs=1e-12)


def test_a_leaf_predicts_the_mean_of_the_blend(model: ProbabilityClassifier, small: Distilled) -> None:
    X, _ = draw_linear(600)
    leaves = small.tree.apply(X)
    for leaf in np.unique(leaves):
        mean = model.held_out_proba_[leaves == leaf].mean(axis=0)
        assert small.tree.predict_proba(X[leaves == leaf][:1])[0] == pytest.approx(mean, abs=1e-12)
        assert small.tree.tree_.weight[leaf] == pytest.approx((leaves == leaf).sum())


def test_one_leaf_has_the_base_rates(model: ProbabilityClassifier) -> None:
    X, y = draw_linear(600)
    one = model.distill(1, *draw_linear(400, 1))
    assert one.n_leaves == 1
    assert one.log_loss == one.base_log_loss
    assert one.share_kept == 0
    assert one.tree.predict_proba(X[:1])[0, 1] == pytest.approx(y.mean(), abs=0.01)
    assert "1 leaf" in repr(one)
    assert "keeps" not in repr(one)


def test_more_leaves_come_nearer(model: ProbabilityClassifier) -> None:
    X, _ = draw_linear(600)
    found = [model.distill(k, X[:50], [0, 1] * 25) for k in (1, 2, 3, 5, 8, 20)]
    losses = [soft_loss(model.held_out_proba_, each.tree.predict_proba(X)) for each in found]
    assert losses == sorted(losses, reverse=True)
    assert [each.n_leaves for each in found] == [1, 2, 3, 5, 8, 20]


def test_the_cost_is_the_difference_of_log_losses(model: ProbabilityClassifier, small: Distilled) -> None:
    X, y = draw_linear(400, 1)
    tree, blend = small.tree.predict_proba(X), model.predict_proba(X)
    assert (small.log_loss, small.blend_log_loss) == pytest.approx((log_loss(y, tree), log_loss(y, blend)))
    differences = np.log(blend[np.arange(400), y] / tree[np.arange(400), y])
    assert (small.cost, small.standard_error) == pytest.approx((differences.mean(), sem(differences)))
    interval = t.interval(0.95, 399, differences.mean(), sem(differences))
    assert (small.low, small.high) == pytest.approx(interval)
    assert small.divergence == pytest.approx(soft_loss(blend, tree) - soft_loss(blend, blend))


def test_a_row_twice_in_a_group_is_one_observation(model: ProbabilityClassifier, small: Distilled) -> None:
    X, y = draw_linear(400, 1)
    twice = model.distill(5, np.repeat(X, 2, axis=0), np.repeat(y, 2), groups=np.repeat(np.arange(400), 2))
    assert (twice.cost, twice.standard_error) == pytest.approx((small.cost, small.standard_error))


def test_a_weight_of_two_is_the_row_twice(model: ProbabilityClassifier) -> None:
    X, y = draw_linear(100, 1)
    weighted = model.distill(5, X, y, sample_weight=np.arange(100) % 3)
    repeated = model.distill(5, np.repeat(X, np.arange(100) % 3, axis=0), np.repeat(y, np.arange(100) % 3))
    assert (weighted.cost, weighted.low) == pytest.approx((repeated.cost, repeated.low))


def test_without_rows_a_blend_of_three_quarters_is_measured(model: ProbabilityClassifier, small: Distilled) -> None:
    held_out = model.distill(5)
    assert held_out.n_rows == (np.bincount(draw_linear(600)[1]) // 4).sum()
    assert held_out.tree.export_text() == small.tree.export_text()
    assert abs(held_out.blend_log_loss - small.blend_log_loss) < 0.1
    error = np.hypot(held_out.standard_error, small.standard_error)
    assert abs(held_out.cost - small.cost) < 4 * error  # of different rows


def test_groups_stay_whole_in_the_split() -> None:
    X, y = draw_linear(120)
    groups = np.arange(120) // 10
    model = ProbabilityClassifier(members=["bayes"], random_state=0).fit(X, y, groups=groups)
    assert model.distill(3).n_rows % 10 == 0


def test_nominal_columns_missing_values_and_classes() -> None:
    random = np.random.default_rng(1)
    X = pd.DataFrame({"color": random.choice(["red", "blue", None], 300), "size": random.normal(size=300)})
    X["age"] = random.normal(size=300)
    X.loc[::7, "size"] = np.nan
    y = np.where(X["color"] == "red", "r", np.where(X["size"] > 0, "s", "t"))
    model = ProbabilityClassifier(members=["bayes", "forest"], random_state=0).fit(X, y)
    small = model.distill(4)
    proba = small.tree.predict_proba(X)
    assert proba.shape == (300, 3)
    assert proba.sum(axis=1) == pytest.approx(1)
    assert (proba > 0).all()
    assert small.share_kept > 0.5
    assert pickle.loads(pickle.dumps(small)).tree.predict_proba(X).tolist() == proba.tolist()  # noqa: S301


def test_a_field_left_empty_can_be_a_rule() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(600, 2))
    X[random.random(600) < 0.3, 0] = np.nan
    y = (random.random(600) < np.where(np.isnan(X[:, 0]), 0.9, 0.2)).astype(int)
    tree = ProbabilityClassifier(members=["logistic"], random_state=0).fit(X, y).distill(2, X[:9], y[:9]).tree
    assert tree.predict_proba([[np.nan, 0.0], [-5.0, 0.0], [5.0, 0.0]])[:, 1] == pytest.approx([0.9, 0.2, 0.2], abs=0.1)


def test_the_text_has_the_tree_and_its_cost(small: Distilled) -> None:
    text = repr(small)
    assert text.startswith(small.tree.export_text())
    assert f"it costs {small.cost:.4f} (95 % interval {small.low:.4f} to {small.high:.4f})" in text
    assert "5 leaves" in text
    assert f"keeps {100 * small.share_kept:.0f} %" in text


def test_a_single_class_costs_nothing() -> None:
    one = ProbabilityClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a"] * 4).distill()
    assert (one.n_leaves, one.cost, one.log_loss) == (1, 0.0, 0.0)


def test_other_estimators_need_rows() -> None:
    X, y = draw_linear(200)
    model = ProbabilityClassifier(members=[("own", LogisticRegression())], random_state=0).fit(X, y)
    with pytest.raises(ParameterError, match="X and y must be passed where 'own'"):
        model.distill()
    assert model.distill(3, *draw_linear(100, 1)).n_leaves == 3


@pytest.mark.parametrize("max_leaves", [0, 2.5, "8"])
def test_max_leaves_is_checked(model: ProbabilityClassifier, max_leaves: object) -> None:
    with pytest.raises(ParameterError, match="max_leaves"):
        model.distill(max_leaves)  # type: ignore[arg-type]


def test_rows_and_classes_belong_together(model: ProbabilityClassifier) -> None:
    X, y = draw_linear(20)
    with pytest.raises(ParameterError, match="X and y must be passed together"):
        model.distill(3, X)
    with pytest.raises(ParameterError, match="with X and y"):
        model.distill(3, sample_weight=y)
    with pytest.raises(DataError, match="y has the class 2"):
        model.distill(3, X, y + 1)
