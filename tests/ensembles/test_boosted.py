"""Boosted trees: against plain references, scikit-learn and the single tree; what ends a run, and what it promises."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from calibrant.data import load
from calibrant.ensembles import BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

PLAIN = {"mdl_penalty": False, "min_cut": "min_leaf", "threshold": "midpoint", "criterion": "gini", "min_leaf": 1e-9}


def on_weighted_rows(**params):
    """Return boosted trees that reweight rows and draw none, unless told otherwise."""
    return BoostedTreesClassifier(**{"resample": False, **params})


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(600, 8, n_informative=5, n_classes=3, class_sep=0.6, random_state=1)


def by_votes(X, y, n_trees, *, chance=1.0, **params):
    """AdaBoost.M1, or SAMME with chance = K - 1, written plainly with single trees."""
    classes, codes = np.unique(y, return_inverse=True)
    weights, votes = np.ones(len(y)), np.zeros((len(y), len(classes)))
    for _ in range(n_trees):
        tree = ProbabilityTreeClassifier(**params).fit(X, y, weights)
        voted = tree.predict_proba(X).argmax(axis=1)
        error = weights[voted != codes].sum() / weights.sum()
        odds = (1 - error) / error * chance
        votes[np.arange(len(y)), voted] += np.log(odds)
        weights[voted != codes] *= odds
        weights *= len(y) / weights.sum()
    return votes / votes.sum(axis=1, keepdims=True)


def by_logs(X, y, n_trees, **params):
    """Real AdaBoost as Zhu and others write SAMME.R, with their y of 1 and -1 / (K - 1)."""
    classes, codes = np.unique(y, return_inverse=True)
    n_classes = len(classes)
    coded = np.where(np.arange(n_classes) == codes[:, None], 1, -1 / (n_classes - 1))
    weights, sums = np.ones(len(y)), np.zeros((len(y), n_classes))
    for _ in range(n_trees):
        logs = np.log(ProbabilityTreeClassifier(**params).fit(X, y, weights).predict_proba(X))
        weights = weights * np.exp(-(n_classes - 1) / n_classes * (coded * logs).sum(axis=1))
        weights *= len(y) / weights.sum()
        sums += (n_classes - 1) * (logs - logs.mean(axis=1, keepdims=True))
    scores = np.exp(sums / n_trees / (n_classes - 1))
    return scores / scores.sum(axis=1, keepdims=True)


def test_ada_boost_m1_is_that_of_a_plain_loop(donors):
    model = on_weighted_rows(n_trees=8, max_depth=4).fit(donors.X, donors.y)
    np.testing.assert_allclose(
        model.predict_proba(donors.X), by_votes(donors.X, donors.y, 8, max_depth=4), rtol=0, atol=1e-12
    )


def test_samme_is_that_of_a_plain_loop(three_classes):
    X, y = three_classes
    model = on_weighted_rows(n_trees=8, algorithm="samme", max_depth=2).fit(X, y)
    expected = by_votes(X, y, 8, chance=2.0, max_depth=2)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_trees", [2, 9])
def test_real_ada_boost_is_that_of_the_paper(three_classes, n_trees):
    X, y = three_classes
    model = on_weighted_rows(n_trees=n_trees, algorithm="real", max_depth=2).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), by_logs(X, y, n_trees, max_depth=2), rtol=0, atol=1e-12)


def test_samme_weights_members_as_scikit_learn_does(three_classes):
    X, y = three_classes
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=12, random_state=0).fit(X, y)
    ours = on_weighted_rows(n_trees=12, algorithm="samme", max_depth=2, estimate="frequency", **PLAIN).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_, rtol=1e-9)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99  # where votes tie, theirs are by rounding


def test_with_two_classes_samme_is_m1(donors):
    one, other = (on_weighted_rows(n_trees=5, max_depth=3, algorithm=name) for name in ("m1", "samme"))
    np.testing.assert_array_equal(
        one.fit(donors.X, donors.y).predict_proba(donors.X), other.fit(donors.X, donors.y).predict_proba(donors.X)
    )


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
@pytest.mark.parametrize("estimate", ["laplace", "m_branch", "kernel_density"])
def test_one_round_is_one_tree(donors, algorithm, estimate):
    model = on_weighted_rows(n_trees=1, algorithm=algorithm, estimate=estimate, min_leaf=9).fit(donors.X, donors.y)
    tree = ProbabilityTreeClassifier(estimate=estimate, min_leaf=9).fit(donors.X, donors.y)
    np.testing.assert_array_equal(model.predict_proba(donors.X), tree.predict_proba(donors.X))


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
def test_a_stage_equals_that_of_fewer_rounds(three_classes, algorithm):
    X, y = three_classes
    params = {"algorithm": algorithm, "max_depth": 8, "resample": True, "random_state": 0}
    stages = list(on_weighted_rows(n_trees=6, **params).fit(X, y).staged_predict_proba(X))
    for n_trees in (1, 2, 6):
        fewer = on_weighted_rows(n_trees=n_trees, **params).fit(X, y)
        np.testing.assert_array_equal(stages[n_trees - 1], fewer.predict_proba(X))


@pytest.mark.parametrize("at", [3, [0], [2, 1], "12"])
def test_rounds_to_read_are_whole_numbers_in_ascending_order(at, three_classes):
    X, y = three_classes[:2]
    with pytest.raises(ParameterError, match="at must hold ints >= 1 in ascending order; got"):
        BoostedTreesClassifier(n_trees=2).fit(X, y).staged_predict_proba(X, at=at)


def test_staged_classes_are_those_of_the_scores(three_classes):
    X, y = three_classes
    model = on_weighted_rows(n_trees=3, algorithm="samme", max_depth=3).fit(X, y)
    assert [list(stage) for stage in model.staged_predict(X)][-1] == list(model.predict(X))


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
def test_scores_lie_in_the_unit_interval_and_add_up_to_one(three_classes, algorithm):
    X, y = three_classes
    scores = on_weighted_rows(n_trees=6, algorithm=algorithm, max_depth=8).fit(X, y).predict_proba(X)
    assert scores.min() >= 0
    np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_after_a_round_its_member_is_right_on_half_of_the_weight(donors):
    model = on_weighted_rows(n_trees=4, max_depth=3).fit(donors.X, donors.y)
    weights = model._run.row_weights
    voted = model._run.members[-1].declared_proba(model._rows(donors.X), 1).argmax(axis=1)
    wrong = model.classes_[voted] != np.asarray(donors.y)
    assert weights.sum() == pytest.approx(len(donors.y))
    assert weights[wrong].sum() / weights.sum() == pytest.approx(0.5)


@pytest.mark.parametrize("algorithm", ["m1", "real"])
def test_a_weight_of_two_is_the_row_twice(donors, algorithm):
    weights = np.arange(len(donors.y)) % 3
    twice = np.repeat(np.arange(len(donors.y)), weights)
    model = on_weighted_rows(n_trees=5, max_depth=3, algorithm=algorithm)
    weighted = model.fit(donors.X, donors.y, weights).predict_proba(donors.X)
    repeated = model.fit(donors.X.iloc[twice], np.asarray(donors.y)[twice]).predict_proba(donors.X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@pytest.mark.parametrize("algorithm", ["m1", "real"])
def test_a_weight_of_two_is_the_row_twice_where_j48_counts_cases(donors, algorithm):
    weights = np.arange(len(donors.y)) % 3
    twice = np.repeat(np.arange(len(donors.y)), weights)
    model = on_weighted_rows(n_trees=5, dialect="j48", algorithm=algorithm)
    weighted = model.fit(donors.X, donors.y, weights).predict_proba(donors.X)
    repeated = model.fit(donors.X.iloc[twice], np.asarray(donors.y)[twice]).predict_proba(donors.X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def test_renaming_the_classes_permutes_the_columns(three_classes):
    X, y = three_classes
    model = on_weighted_rows(n_trees=5, max_depth=8)
    scores = model.fit(X, pd.Categorical.from_codes(y, ["a", "b", "c"])).predict_proba(X)
    renamed = model.fit(X, pd.Categorical.from_codes(y, ["z", "y", "x"])).predict_proba(X)
    np.testing.assert_array_equal(renamed[:, ::-1], scores)


@pytest.mark.parametrize(
    "params", [{}, {"resample": True}, {"honest": True}, {"algorithm": "real", "tie_break": "random"}]
)
def test_any_number_of_threads_gives_the_same_bits(donors, params):
    params = {"n_trees": 4, "max_depth": 4, "random_state": 3, **params}
    one, two, four = (
        on_weighted_rows(n_jobs=n, **params).fit(donors.X, donors.y).predict_proba(donors.X) for n in (1, 2, 4)
    )
    assert one.tobytes() == two.tobytes() == four.tobytes()


def test_seeds_make_resampled_trees_differ(donors):
    runs = [on_weighted_rows(n_trees=3, resample=True, max_depth=3, random_state=s) for s in (1, 1, 2)]
    first, again, other = (run.fit(donors.X, donors.y).predict_proba(donors.X) for run in runs)
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("params", [{}, {"resample": True}, {"algorithm": "real"}])
def test_warm_start_adds_trees_as_if_it_had_never_stopped(donors, params):
    params = {"max_depth": 3, "random_state": 5, **params}
    model = on_weighted_rows(n_trees=3, warm_start=True, **params).fit(donors.X, donors.y)
    kept = model.trees_[0]
    model.set_params(n_trees=7).fit(donors.X, donors.y)
    whole = on_weighted_rows(n_trees=7, **params).fit(donors.X, donors.y)
    assert model.trees_[0] is kept
    np.testing.assert_array_equal(model.predict_proba(donors.X), whole.predict_proba(donors.X))


def test_warm_start_rejects_fewer_trees(donors):
    model = on_weighted_rows(n_trees=3, max_depth=3, warm_start=True).fit(donors.X, donors.y)
    with pytest.raises(ParameterError, match="at least 3"):
        model.set_params(n_trees=2).fit(donors.X, donors.y)


WARM = [on_weighted_rows(n_trees=2, max_depth=2), BoostedStumpsClassifier(n_trees=2)]


def other_data(X, y):
    """Change one thing each: fewer rows, another order, a label, a value, all values, classes, weights, names."""
    rows, flipped, moved = np.arange(len(y))[::-1], y.copy(), X.copy()
    flipped[3], moved[3, 1] = 1 - flipped[3], moved[3, 1] + 1e-9
    table = [(X[:100], y[:100]), (X[rows], y[rows]), (X, flipped), (moved, y), (2 * X, y), (X, y + 1)]
    return [*table, (X, y, np.linspace(1, 2, len(y))), (pd.DataFrame(X, columns=list("abc")), y)]


@pytest.mark.parametrize("model", WARM, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("change", range(8))
def test_warm_start_rejects_other_data(model, change):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] + random.normal(size=200) > 0).astype(int)
    model = clone(model).set_params(warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="X, y or sample_weight differ"):
        model.set_params(n_trees=3).fit(*other_data(X, y)[change])
    assert len(model.set_params(n_trees=3).fit(X.tolist(), y).errors_) == 3


def test_a_tree_without_error_stays_and_stops_boosting_with_a_warning():
    X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    with pytest.warns(CalibrantWarning, match="member 1 of 100 does not change the weights of the rows"):
        model = on_weighted_rows().fit(X, y)
    assert (model.stopped_, len(model.trees_), model.errors_.tolist()) == ("perfect", 1, [0.0])
    assert model.estimator_weights_[0] == pytest.approx(np.log(1e10))


def test_a_later_tree_without_error_outvotes_the_others():
    X, y = np.arange(7)[:, None], np.arange(7) == 6  # the last row is too light for a leaf until its weight has grown
    with pytest.warns(CalibrantWarning, match=r"member 2 of 50 .* further ones would be the same"):
        model = on_weighted_rows(n_trees=50, **{**PLAIN, "min_leaf": 2}).fit(X, y)
    np.testing.assert_allclose(model.errors_, [1 / 7, 0])
    np.testing.assert_allclose(model.predict_proba([[6]])[0, 1], 1 - np.log(6) / (np.log(6) + np.log(1e10)))


def test_resampling_goes_on_after_a_tree_without_error():
    X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    model = on_weighted_rows(n_trees=9, resample=True, random_state=0).fit(X, y)
    assert (len(model.trees_), model.stopped_) == (9, None)


def test_a_tree_as_bad_as_chance_is_left_out():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (60, 1)), random.integers(0, 2, 60)  # one test is all there is
    with pytest.warns(CalibrantWarning, match=r"misclassifies 0\.5 of the weight.* left out"):
        model = on_weighted_rows(n_trees=20, **PLAIN).fit(X, y)
    assert model.stopped_ == "weak"
    assert model.errors_.max() < 0.5


def test_a_first_tree_as_bad_as_chance_is_the_only_one():
    X, y = np.zeros((9, 1)), np.arange(9) % 3
    with pytest.warns(CalibrantWarning, match="no better than chance; it is the only one"):
        model = on_weighted_rows(n_trees=20).fit(X, y)
    assert (model.stopped_, model.estimator_weights_.tolist()) == ("weak", [1.0])
    np.testing.assert_allclose(model.predict_proba([[0]]), [[1 / 3] * 3])


def test_samme_takes_members_that_m1_does_not(three_classes):
    X, y = three_classes
    with pytest.warns(CalibrantWarning, match="no better than chance"):
        m1 = on_weighted_rows(n_trees=30, max_depth=1).fit(X, y)
    samme = on_weighted_rows(n_trees=30, max_depth=1, algorithm="samme").fit(X, y)
    assert (m1.stopped_, samme.stopped_) == ("weak", None)
    assert samme.score(X, y) > m1.score(X, y)


def test_boosting_ranks_better_than_its_first_tree(donors):
    train, test = donors.part("train"), donors.part("test")
    model = on_weighted_rows(n_trees=30, max_depth=2, algorithm="real").fit(train.X, train.y)
    areas = [roc_auc_score(test.y, scores[:, 1]) for scores in model.staged_predict_proba(test.X)]
    assert areas[-1] > areas[0]


@pytest.mark.parametrize("criterion", ["gain_ratio", "gini", "dkm"])
def test_importances_are_shares_and_those_of_scikit_learn_for_one_gini_tree(three_classes, criterion):
    X, y = three_classes
    params = {**PLAIN, "criterion": criterion, "max_depth": 2, "estimate": "frequency"}
    ours = on_weighted_rows(n_trees=1, **params).fit(X, y).feature_importances_
    assert ours.sum() == pytest.approx(1)
    if criterion == "gini":
        theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y).feature_importances_
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_a_parameter_out_of_its_rule_is_named():
    with pytest.raises(ParameterError, match="n_trees must be an int >= 1; got 0"):
        on_weighted_rows(n_trees=0).fit([[1], [2]], [0, 1])
    with pytest.raises(ParameterError, match="Did you mean 'samme'"):
        on_weighted_rows(algorithm="same").fit([[1], [2]], [0, 1])


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_by_default_members_survive_noise():
    """On weighted rows a full tree soon misclassifies half of the weight, and boosting ends after 3 to 10 rounds."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 6))
        y = rng.random(500) < 1 / (1 + np.exp(-X[:, 0]))
        assert len(BoostedTreesClassifier(random_state=0).fit(X, y).trees_) > 90
        assert len(on_weighted_rows().fit(X, y).trees_) < 20
