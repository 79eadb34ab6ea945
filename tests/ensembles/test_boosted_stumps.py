"""Boosted stumps: against scikit-learn's, against a plain loop, and what they promise."""

import copy

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from calibrant.data import load
from calibrant.ensembles import BoostedStumpsClassifier
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

CRITERIA = ["entropy", "gain_ratio", "gini", "dkm", "twoing"]


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


@pytest.fixture(scope="module")
def numbers():
    return make_classification(3000, 6, n_informative=4, flip_y=0.2, random_state=2)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.sample(3)
def test_stumps_are_those_of_scikit_learn(criterion, n_classes):
    X, y = make_classification(3000, 6, n_informative=4, flip_y=0.2, n_classes=n_classes, random_state=2)
    tree = DecisionTreeClassifier(max_depth=1, criterion=criterion)
    theirs = AdaBoostClassifier(tree, n_estimators=60, random_state=0).fit(X, y)
    ours = BoostedStumpsClassifier(n_trees=60, criterion=criterion, algorithm="samme").fit(X, y)
    assert ours.stumps_.feature.tolist() == [each.tree_.feature[0] for each in theirs.estimators_]
    np.testing.assert_allclose(ours.stumps_.threshold, [each.tree_.threshold[0] for each in theirs.estimators_])
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-7)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_boosts(criterion, donors):
    model = BoostedStumpsClassifier(n_trees=40, criterion=criterion).fit(donors.X, donors.y)
    base = max(np.mean(donors.y == label) for label in model.classes_)
    assert model.stopped_ is None
    assert model.score(donors.X, donors.y) > base - 0.05
    assert len(set(model.stumps_.feature.tolist())) > 1


def test_twoing_is_gini_for_two_classes(numbers):
    one, other = (BoostedStumpsClassifier(n_trees=50, criterion=name).fit(*numbers) for name in ("gini", "twoing"))
    np.testing.assert_array_equal(one.stumps_.threshold, other.stumps_.threshold)


def gain_ratio(labels, weights, branch):
    """Of one test, in the textbook's words."""

    def information(shares):
        shares = shares[shares > 0] / shares.sum()
        return -(shares * np.log2(shares)).sum()

    parts = np.bincount(branch, weights, 3)
    within = sum(
        parts[b] / parts.sum() * information(np.bincount(labels[branch == b], weights[branch == b]))
        for b in range(3)
        if parts[b] > 0
    )
    gain = information(np.bincount(labels, weights)) - within
    return gain, gain / information(parts) if information(parts) > 0 else 0.0


def test_the_first_gain_ratio_stump_is_found_by_hand(donors):
    labels = np.unique(donors.y, return_inverse=True)[1]
    weights, best = np.ones(len(labels)), []
    for name in donors.X:
        column = donors.X[name]
        missing = column.isna().to_numpy()
        if column.dtype.kind in "fiu":
            tests = [column.to_numpy() > value for value in np.unique(column.dropna())[:-1]]
        else:
            tests = [(column != value).to_numpy() for value in sorted(column.dropna().unique())]
        found = [gain_ratio(labels, weights, np.where(missing, 2, test.astype(int))) for test in tests]
        best.append(max(found, key=lambda pair: pair[0]))
    average = np.mean([gain for gain, _ in best])
    chosen = max(range(len(best)), key=lambda j: best[j][1] if best[j][0] >= average else -1)
    model = BoostedStumpsClassifier(n_trees=1, criterion="gain_ratio").fit(donors.X, donors.y)
    assert model.stumps_.feature[0] == chosen
    assert model.stumps_.gain[0] == pytest.approx(best[chosen][0])


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
def test_the_last_stage_is_the_sum_of_step_functions(donors, algorithm):
    model = BoostedStumpsClassifier(n_trees=50, algorithm=algorithm).fit(donors.X, donors.y)
    *_, last = model.staged_predict_proba(donors.X)
    np.testing.assert_allclose(last, model.predict_proba(donors.X), atol=1e-12)


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
def test_a_requested_stage_is_that_of_fewer_rounds_to_the_bit(donors, algorithm):
    model = BoostedStumpsClassifier(n_trees=60, algorithm=algorithm).fit(donors.X, donors.y)
    for n_trees, stage in zip(
        (1, 2, 17, 60, 99), model.staged_predict_proba(donors.X, at=(1, 2, 17, 60, 99)), strict=True
    ):
        fewer = BoostedStumpsClassifier(n_trees=min(n_trees, 60), algorithm=algorithm).fit(donors.X, donors.y)
        np.testing.assert_array_equal(stage, fewer.predict_proba(donors.X))


@pytest.mark.parametrize("at", [[0], [4, 2], [2.0]])
def test_requested_stages_are_ascending_numbers_of_rounds(donors, at):
    model = BoostedStumpsClassifier(n_trees=2).fit(donors.X, donors.y)
    with pytest.raises(ParameterError, match="at must hold ints >= 1 in ascending order"):
        model.staged_predict_proba(donors.X, at=at)


def test_the_stages_have_the_errors_of_the_rounds(donors):
    model = BoostedStumpsClassifier(n_trees=1, estimate="frequency").fit(donors.X, donors.y)
    assert 1 - model.score(donors.X, donors.y) == pytest.approx(model.errors_[0])


def test_a_missing_value_has_a_branch_of_its_own():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [3.0], [4.0]])
    model = BoostedStumpsClassifier(n_trees=1, estimate="frequency").fit(X, [0, 0, 1, 1, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[np.nan], [1.0], [9.0]]), [[0, 1], [1, 0], [0, 1]])


def test_an_unseen_category_is_missing_and_missing_values_predict_as_all_rows_where_none_were_seen():
    X = np.array([["u"], ["u"], ["v"], ["w"]], dtype=object)
    model = BoostedStumpsClassifier(n_trees=1, estimate="frequency").fit(X, [0, 0, 1, 0])
    queries = np.array([["v"], ["u"], ["z"], [None]], dtype=object)
    np.testing.assert_allclose(model.predict_proba(queries), [[0, 1], [1, 0], [0.75, 0.25], [0.75, 0.25]])


def test_laplace_adds_one_to_each_class():
    model = BoostedStumpsClassifier(n_trees=1).fit([[1], [2], [3], [4]], [0, 0, 1, 0])
    np.testing.assert_allclose(model.predict_proba([[1]]), [[3 / 4, 1 / 4]])


def test_any_number_of_threads_gives_the_same_bits(numbers):
    one, two, four = (BoostedStumpsClassifier(n_trees=60, n_jobs=n).fit(*numbers) for n in (1, 2, 4))
    scores = [model.predict_proba(numbers[0]).tobytes() for model in (one, two, four)]
    assert scores[0] == scores[1] == scores[2]
    assert one.estimator_weights_.tobytes() == four.estimator_weights_.tobytes()


@pytest.mark.parametrize("algorithm", ["m1", "real"])
def test_a_weight_of_two_is_the_row_twice(donors, algorithm):
    weights = np.arange(len(donors.y)) % 3
    twice = np.repeat(np.arange(len(donors.y)), weights)
    model = BoostedStumpsClassifier(n_trees=30, algorithm=algorithm)
    weighted = model.fit(donors.X, donors.y, weights).predict_proba(donors.X)
    repeated = model.fit(donors.X.iloc[twice], np.asarray(donors.y)[twice]).predict_proba(donors.X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def test_warm_start_adds_stumps_as_if_it_had_never_stopped(donors):
    model = BoostedStumpsClassifier(n_trees=10, warm_start=True).fit(donors.X, donors.y)
    model.set_params(n_trees=25).fit(donors.X, donors.y)
    whole = BoostedStumpsClassifier(n_trees=25).fit(donors.X, donors.y)
    np.testing.assert_array_equal(model.predict_proba(donors.X), whole.predict_proba(donors.X))


def test_sample_weights_given_are_not_changed(numbers):
    weights = np.linspace(1, 2, 3000)
    BoostedStumpsClassifier(n_trees=5).fit(*numbers, weights)
    np.testing.assert_array_equal(weights, np.linspace(1, 2, 3000))


def test_a_fit_with_warm_start_leaves_a_copy_of_it_alone(donors):
    model = BoostedStumpsClassifier(n_trees=5, warm_start=True).fit(donors.X, donors.y)
    before = copy.copy(model)
    model.set_params(n_trees=9).fit(donors.X, donors.y)
    again = before.set_params(n_trees=9).fit(donors.X, donors.y)
    np.testing.assert_array_equal(model.predict_proba(donors.X), again.predict_proba(donors.X))


def test_a_stump_without_error_stops_boosting_with_a_warning():
    with pytest.warns(CalibrantWarning, match="does not change the weights of the rows"):
        model = BoostedStumpsClassifier().fit([[1], [2], [3]], [0, 0, 1])
    assert (model.stopped_, len(model.stumps_)) == ("perfect", 1)


def test_where_nothing_can_be_tested_the_base_rates_are_predicted():
    with pytest.warns(CalibrantWarning, match="no better than chance"):
        model = BoostedStumpsClassifier(estimate="frequency").fit(np.zeros((5, 2)), [0, 1, 1, 1, 0])
    np.testing.assert_allclose(model.predict_proba([[0, 9]]), [[0.4, 0.6]])
    assert model.stumps_.to_frame()["test"].tolist() == [""]
    assert model.feature_importances_.tolist() == [0, 0]


def test_importances_are_shares_and_find_the_column_that_matters():
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 3))
    model = BoostedStumpsClassifier(n_trees=20).fit(X, X[:, 1] + 0.3 * random.normal(size=500) > 0)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 1


def test_columns_of_extreme_numbers_are_cut():
    X = np.array([[-np.inf], [-1e308], [1e308], [np.inf]])
    model = BoostedStumpsClassifier(n_trees=3, algorithm="real").fit(X, [0, 1, 0, 1])
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_parameter_out_of_its_rule_is_named():
    with pytest.raises(ParameterError, match="'dkm' or 'twoing'; got 'hellinger'"):
        BoostedStumpsClassifier(criterion="hellinger").fit([[1], [2]], [0, 1])


@pytest.mark.filterwarnings("ignore:.*does not change the weights of the rows:calibrant.exceptions.CalibrantWarning")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_single_class_is_certain(criterion):
    X = np.arange(3000.0)[:, None]
    model = BoostedStumpsClassifier(criterion=criterion).fit(X, np.zeros(3000))
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((3000, 1)))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_round_of_many_classes_is_that_of_the_same_values_counted(criterion):
    random = np.random.default_rng(7)
    fine, weights = random.permutation(2000).astype(float), random.uniform(0.5, 2, 2000)
    y = (fine // 400 + random.integers(0, 3, 2000)).astype(int)
    coarse = np.floor(fine / 4)  # 500 values, which are counted; the 2,000 are sorted
    counted = BoostedStumpsClassifier(n_trees=1, criterion=criterion).fit(coarse[:, None], y, weights)
    sorted_ = BoostedStumpsClassifier(n_trees=1, criterion=criterion).fit(fine[:, None], y, weights)
    assert sorted_.stumps_.gain[0] >= counted.stumps_.gain[0]
    assert sorted_.stumps_.gain[0] == pytest.approx(counted.stumps_.gain[0], rel=0.05)


@pytest.mark.parametrize("criterion", ["entropy", "gini", "dkm"])
def test_one_round_is_a_tree_of_one_test(numbers, criterion):
    X, y = numbers
    rules = {"mdl_penalty": False, "min_cut": "min_leaf", "threshold": "midpoint", "min_leaf": 1, "max_depth": 1}
    tree = ProbabilityTreeClassifier(criterion=criterion, **rules).fit(X, y)
    stump = BoostedStumpsClassifier(n_trees=1, criterion=criterion).fit(X, y)
    np.testing.assert_allclose(stump.predict_proba(X), tree.predict_proba(X), rtol=1e-12)
