"""Numbers of estimates chosen by cross-validation: compared with folds cut from the raw table and fitted again."""

import numpy as np
import pytest

from calibrant.estimates import Curtailment, HierarchicalShrinkage, MEstimate, PathAverage
from calibrant.exceptions import DataError
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._prediction.held_out_folds import fold_weights


@pytest.fixture(scope="module")
def noisy(ranks):
    """A rare class, weights, and missing values."""
    X, y = ranks
    random = np.random.default_rng(3)
    X = np.where(random.random(X.shape) < 0.05, np.nan, X)
    return X, np.where(random.random(len(y)) < 0.3, y, "no"), random.uniform(0.5, 2, len(y))


def losses_by_hand(candidates, model, X, y, weights):
    """Fit each fold from the raw rows, and give each candidate's mean log-loss on the others."""
    grown = model._grown_tree
    losses = np.zeros(len(candidates))
    for held in fold_weights(grown.examples, grown.params, grown.seed):
        train, test = held < weights, held > 0
        fitted = ProbabilityTreeClassifier(**model.get_params()).set_params(estimate="laplace")
        fitted.fit(X[train], y[train], (weights - held)[train])
        for i, candidate in enumerate(candidates):
            p = fitted.with_estimate(candidate).predict_proba(X[test])
            with np.errstate(divide="ignore"):
                own = -np.log(p[np.arange(len(p)), np.searchsorted(fitted.classes_, y[test])])
            losses[i] += own @ held[test]
    return losses / weights.sum()


@pytest.mark.parametrize("estimate", [MEstimate("cv"), Curtailment("cv"), HierarchicalShrinkage("cv")], ids=str)
@pytest.mark.parametrize("params", [{}, {"prune": "pessimistic"}, {"threshold": "midpoint", "criterion": "gini"}])
def test_the_chosen_number_has_the_least_loss_on_folds_fitted_from_raw_rows(noisy, estimate, params):
    model = ProbabilityTreeClassifier(random_state=4, estimate=estimate, **params).fit(*noisy)
    candidates = estimate.candidates(model.tree_)
    losses = losses_by_hand(candidates, model, *noisy)
    chosen = [getattr(each, "m", None) or getattr(each, "v", None) or each.strength for each in candidates]
    numbers = model.estimate_
    number = getattr(numbers, "m", None) or getattr(numbers, "v", None) or numbers.strength
    assert losses[chosen.index(number)] == pytest.approx(losses.min(), rel=1e-12)


def test_both_numbers_of_a_smoothed_curtailment_are_chosen(noisy):
    estimate = Curtailment("cv", then=MEstimate("cv"))
    chosen = ProbabilityTreeClassifier(random_state=0, estimate=estimate).fit(*noisy).estimate_
    assert chosen.v in 2.0 ** np.arange(12)
    assert chosen.then.m in 2.0 ** np.arange(12)


@pytest.mark.parametrize("params", [{"honest": True}, {"prune": "reduced_error"}, {"tie_break": "random"}])
def test_the_seed_determines_the_choice(noisy, params):
    made = [
        ProbabilityTreeClassifier(random_state=seed, estimate=MEstimate("cv"), n_jobs=n_jobs, **params).fit(*noisy)
        for seed, n_jobs in ((1, 1), (1, 2))
    ]
    assert made[0].estimate_ == made[1].estimate_
    folds = made[0]._grown_tree.folds
    assert sum(fold.weight.sum() for fold in folds) == pytest.approx(noisy[2].sum())
    np.testing.assert_array_equal(made[0].predict_proba(noisy[0]), made[1].predict_proba(noisy[0]))


def test_folds_of_an_honest_tree_count_other_rows_than_they_grow_on(noisy):
    model = ProbabilityTreeClassifier(random_state=0, honest=True).fit(*noisy)
    for fold in model._grown_tree.folds:
        assert fold.tree.weight[0] == pytest.approx(0.8 * model.tree_.weight[0], rel=0.05)


def test_equal_losses_choose_the_smoother():
    X, y = [[0.0]] * 12, [0, 1] * 6
    model = ProbabilityTreeClassifier(random_state=0, estimate=Curtailment("cv")).fit(X, y)
    assert model.estimate_.v == 8.0  # nothing to split: every v predicts the same


def test_pure_noise_is_smoothed_away():
    random = np.random.default_rng(0)
    X, y = random.random((600, 4)), random.random(600) < 0.2
    model = ProbabilityTreeClassifier(mdl_penalty=False, random_state=0).fit(X, y)
    assert model.with_estimate(MEstimate("cv")).estimate_.m >= 64
    interpolated = model.with_estimate(PathAverage("interpolate")).predict_proba(X)[:, 1]
    assert interpolated.std() < 0.5 * model.predict_proba(X)[:, 1].std()


def test_classes_with_a_single_row_do_not_hinder_the_choice():
    X = np.arange(40.0)[:, None]
    y = np.array([0] * 18 + [1] * 19 + [2, 3, 4])
    model = ProbabilityTreeClassifier(random_state=0, estimate=MEstimate("cv")).fit(X, y)
    assert np.isfinite(model.estimate_.m)
    assert sum(len(fold.label) for fold in model._grown_tree.folds) == 37


def test_fewer_rows_than_folds_take_fewer_folds():
    model = ProbabilityTreeClassifier(random_state=0, estimate=MEstimate("cv")).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert len(model._grown_tree.folds) == 2


def test_rows_of_as_many_classes_are_too_few():
    model = ProbabilityTreeClassifier(estimate=MEstimate("cv"))
    with pytest.raises(DataError, match=r"n_samples=3: too few rows of weight > 0 for a number chosen by cross-"):
        model.fit([[1], [2], [3]], [0, 1, 2])
