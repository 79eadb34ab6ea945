"""The m-estimate: its heuristic, empirical Bayes, priors."""

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.ensemble import RandomForestClassifier

from calibrant.ensembles import BaggedTreesClassifier, mob_esp
from calibrant.estimates import Curtailment, Frequency, Laplace, MEstimate, Resolvable
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

LEAVES = np.array([[9.0, 1, 0], [5, 5, 2], [0, 8, 1], [0, 0, 4]])


def log_likelihood(m, leaves, prior):
    totals = leaves.sum(axis=1)
    own = gammaln(leaves + m * prior) - gammaln(m * prior)
    return float(own.sum() + (gammaln(m) - gammaln(totals + m)).sum())


def test_m_is_200_at_a_base_rate_of_5_percent():
    """Zadrozny & Elkan 2001, section 2.2: b m = 10."""
    assert MEstimate().resolve([95_000, 5_000]).m == pytest.approx(200)
    assert MEstimate().resolve([5_000, 95_000]).m == pytest.approx(200)


def test_scores_go_to_the_base_rate(fork):
    tree = fork([45, 5], [50, 0])
    np.testing.assert_allclose(MEstimate(m=200).table(tree)[1:, 1], [(5 + 200 * 0.05) / 250, 10 / 250])


def test_m_counts_rows_of_the_prior(fork):
    table = MEstimate(m=4, prior=[0.75, 0.25]).table(fork([1, 3], [0, 4]))
    np.testing.assert_allclose(table[1:], [[4 / 8, 4 / 8], [3 / 8, 5 / 8]])


def test_the_empirical_bayes_m_has_the_greatest_likelihood():
    prior = LEAVES.sum(axis=0) / LEAVES.sum()
    m = MEstimate().resolve(LEAVES.sum(axis=0), LEAVES).m
    best = log_likelihood(m, LEAVES, prior)
    assert best > max(log_likelihood(m * factor, LEAVES, prior) for factor in [0.01, 0.5, 0.999, 1.001, 2, 100])


def test_leaves_that_are_all_alike_leave_nothing_but_the_prior():
    leaves = np.full((50, 3), 10.0)
    assert MEstimate().resolve(leaves.sum(axis=0), leaves).m > 1e5


def test_pure_leaves_are_believed():
    assert MEstimate().resolve([5, 5, 5], np.eye(3) * 5).m == 0.01


def test_fractional_weights_scale_the_likelihood_as_they_are():
    leaves = LEAVES * 0.7
    prior = leaves.sum(axis=0) / leaves.sum()
    m = MEstimate().resolve(leaves.sum(axis=0), leaves).m
    best = log_likelihood(m, leaves, prior)
    assert best >= max(log_likelihood(m * factor, leaves, prior) for factor in [0.9, 0.999, 1.001, 1.1])


def test_with_three_classes_m_follows_from_the_leaves(make_tree):
    tree = make_tree([-1, 0, 0, 0, 0], dict(enumerate(LEAVES, 1)))
    resolved = MEstimate().resolve(tree.counts[0], LEAVES)
    assert resolved.m == MEstimate(prior=tree.counts[0] / tree.weight[0]).resolve([1, 1, 1], LEAVES).m
    np.testing.assert_allclose(resolved.table(tree), MEstimate().table(tree), rtol=1e-12)


def test_resolving_again_changes_nothing():
    resolved = MEstimate().resolve([30, 10])
    assert isinstance(resolved, Resolvable)
    assert resolved.resolve([1, 99]) == resolved


def test_many_classes_without_leaves_are_rejected():
    with pytest.raises(ParameterError, match="pass leaves="):
        MEstimate().resolve([1, 2, 3])


def test_candidates_double_up_to_the_training_weight(fork):
    tree = fork([40, 5], [50, 5])
    assert [e.m for e in MEstimate(m="cv").candidates(tree)] == [1, 2, 4, 8, 16, 32, 64]
    assert MEstimate(m=3).candidates(tree) == (MEstimate(m=3),)


def test_there_is_no_table_before_the_choice(fork):
    with pytest.raises(ParameterError, match="MEstimate: m must be a number to compute probabilities; got 'cv'"):
        MEstimate(m="cv").table(fork([1, 0], [0, 1]))


def test_a_class_that_no_row_has_takes_nothing(fork):
    np.testing.assert_array_equal(MEstimate().table(fork([3, 0], [5, 0])), [[1, 0]] * 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"m": -1}, r"m must be 'cv', a number in \[0, inf\] or None; got -1"),
        ({"m": "cvv"}, "Did you mean 'cv'"),
        ({"strength": 0}, "strength must be a finite number > 0; got 0"),
        ({"prior": "base"}, "Did you mean 'base_rate'"),
        ({"prior": [0.5, 0.4]}, "that sum to 1"),
        ({"prior": [1.5, -0.5]}, "that sum to 1"),
        ({"prior": None}, "that sum to 1"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        MEstimate(**wrong)


def test_a_prior_of_another_length_is_rejected(fork):
    with pytest.raises(ParameterError, match="prior has 3 probabilities; there are 2 classes"):
        MEstimate(m=1, prior=[0.2, 0.3, 0.5]).table(fork([1, 0], [0, 1]))


def three_classes(n=200):
    random = np.random.default_rng(3)
    y = random.choice(["maybe", "no", "yes"], n, p=[0.3, 0.6, 0.1])
    X = np.column_stack([random.normal(size=n) + (y == "yes"), random.normal(size=n)])
    return X, y


@pytest.mark.parametrize("positive", ["maybe", "no", "yes"])
def test_the_positive_class_sets_m_of_several_classes(positive):
    X, y = three_classes()
    model = ProbabilityTreeClassifier(estimate=MEstimate(positive=positive)).fit(X, y)
    m = 10 / np.mean(y == positive)
    assert model.estimate_.m == pytest.approx(m)
    by_hand = ProbabilityTreeClassifier(estimate=MEstimate(m=m)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(model.estimate.table(model.tree_), by_hand.estimate.table(model.tree_), atol=1e-12)


def test_the_positive_class_may_be_the_more_frequent_of_two():
    y = np.repeat([0, 1], [50, 150])
    model = ProbabilityTreeClassifier(estimate=MEstimate(positive=1)).fit(np.arange(200)[:, None] % 7, y)
    assert model.estimate_.m == pytest.approx(10 / 0.75)
    assert MEstimate(positive=1) != MEstimate()


def test_a_positive_class_reaches_curtailment_forests_and_readings():
    X, y = three_classes()
    m = pytest.approx(10 / np.mean(y == "yes"))
    estimate = MEstimate(positive="yes")
    curtailed = ProbabilityTreeClassifier(estimate=Curtailment(v="cv", then=estimate), random_state=0).fit(X, y)
    assert curtailed.estimate_.then.m == m
    forest = BaggedTreesClassifier(n_trees=3, estimate=estimate, random_state=0).fit(X, y)
    same = BaggedTreesClassifier(n_trees=3, estimate=MEstimate(m=10 / np.mean(y == "yes")), random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X), same.predict_proba(X), atol=1e-12)
    trees = RandomForestClassifier(3, random_state=0).fit(X, y)
    readings = [mob_esp(trees, X, y, estimate=each) for each in (estimate, same.estimate)]
    np.testing.assert_allclose(readings[0].predict_proba(X), readings[1].predict_proba(X), atol=1e-12)


def test_a_positive_class_without_rows_leaves_the_prior(fork):
    estimate = MEstimate(positive="b").with_classes(["a", "b"])
    np.testing.assert_array_equal(estimate.table(fork([3, 0], [5, 0])), [[1, 0]] * 3)


def test_a_positive_class_must_be_a_class():
    X, y = three_classes(20)
    with pytest.raises(ParameterError, match=r"positive must be one of the classes \('maybe', 'no', 'yes'\); got 'ja'"):
        ProbabilityTreeClassifier(estimate=MEstimate(positive="ja")).fit(X, y)
    with pytest.raises(ParameterError, match="call with_classes first"):
        MEstimate(positive="yes").resolve([3, 1])


@pytest.mark.parametrize(
    ("estimate", "same"),
    [(Laplace(alpha=0.5), MEstimate(m=1.5, prior="uniform")), (Laplace(alpha=0), Frequency())],
    ids=str,
)
@pytest.mark.parametrize("kind", ["mob_esp", "eb_pets"])
def test_readings_add_alpha_rows_of_each_class(estimate, same, kind):
    X, y = three_classes()
    trees = RandomForestClassifier(5, random_state=0).fit(X, y)
    readings = [mob_esp(trees, X, y, kind=kind, estimate=each).predict_proba(X) for each in (estimate, same)]
    np.testing.assert_allclose(readings[0], readings[1], atol=1e-12)
