"""Weights are frequencies: weight 3 is three copies, also in folds; weight 0 is absent; groups stay whole."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.blending.members import MEMBERS

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import CalibrantWarning


def noisy(seed=0, n_rows=80):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_rows, 3)), 2)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, (np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows) > 0).astype(int)


FITS = []  # the weights of the rows in each fit of a `Listener`


class Listener(GaussianNB):
    """A classifier that notes the weight of each row, whose number is in its first column."""

    def fit(self, X, y, sample_weight=None):
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        FITS.append(np.bincount(X[:, 0].astype(int), weights, minlength=80))
        return super().fit(X[:, 1:], y, sample_weight)

    def predict_proba(self, X):
        return super().predict_proba(X[:, 1:])


def folds_of(rows, y, weight=None, groups=None):
    """Return the weight of each of 80 rows in each fold: all of it, less what the member is fitted to."""
    FITS.clear()
    model = ProbabilityClassifier(members=[("listener", Listener())], random_state=0, n_jobs=1)
    X = np.column_stack([rows, np.random.default_rng(0).normal(size=80)[rows]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # of copies
        model.fit(X, y, weight, groups)
    whole = np.max(FITS, axis=0)
    return whole - [each for each in FITS if each.sum() < whole.sum() - 1e-9]


def test_weight_three_has_the_folds_of_three_copies():
    _, y = noisy()
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(80), 3))
    np.testing.assert_array_equal(folds_of(np.arange(80), y, np.full(80, 3)), folds_of(rows, y[rows]))


@pytest.mark.parametrize("member", ["bayes", "logistic"])
def test_weights_predict_what_copies_predict(member):
    X, y = noisy()
    times = np.random.default_rng(1).integers(1, 4, 80)
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(80), times))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # of copies
        weighted, copied = (
            ProbabilityClassifier(members=[member], random_state=0).fit(*data).predict_proba(X)
            for data in ((X, y, times), (X[rows], y[rows]))
        )
    np.testing.assert_allclose(weighted, copied, rtol=1e-5)


def test_rows_of_weight_zero_are_absent_to_the_bit():
    X, y = noisy()
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.5], 80)
    with_zeros = ProbabilityClassifier(random_state=0).fit(X, y, weight)
    without = ProbabilityClassifier(random_state=0).fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    assert {each.family for each in with_zeros.members_} == set(MEMBERS)
    np.testing.assert_array_equal(with_zeros.predict_proba(X), without.predict_proba(X))
    assert with_zeros.expected_log_loss_ == without.expected_log_loss_


@pytest.mark.long
def test_weights_of_one_change_nothing():
    X, y = noisy()
    plain, weighted = (ProbabilityClassifier(random_state=0).fit(X, y, weight) for weight in (None, np.ones(80)))
    np.testing.assert_array_equal(plain.predict_proba(X), weighted.predict_proba(X))


def test_units_of_fractional_weights_add_up():
    X, y = noisy()
    weight = np.random.default_rng(0).choice([1.0, 3.0, 0.4, 2.5], 80)
    found = folds_of(np.arange(80), y, weight)
    np.testing.assert_allclose(found.sum(axis=0), weight)
    assert ((found > 1e-9).sum(axis=0)[weight < 1.5] == 1).all()
    model = ProbabilityClassifier(members=["bayes"], random_state=0).fit(X, y, weight)
    assert model.expected_log_loss_.n_rows == pytest.approx(weight.sum())


def test_groups_are_whole_in_folds():
    groups = np.random.default_rng(1).integers(0, 12, 80)
    found = folds_of(np.arange(80), noisy()[1], np.full(80, 2), groups)
    for group in range(12):
        assert len(set(map(tuple, (found > 0)[:, groups == group].T))) == 1


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.sample(2)
def test_a_group_of_copies_is_not_recognised_by_any_member(member):
    # Five copies of each row with random classes: a member that saw four of them would know the fifth
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(50, 2)), 5, axis=0), np.repeat(rng.integers(0, 2, 50), 5)
    model = ProbabilityClassifier(members=[member], random_state=0).fit(X, y, groups=np.repeat(np.arange(50), 5))
    assert min(each.log_loss for each in model.members_) > 0.6


def test_the_warning_about_copies_appears_once_and_names_what_there_is():
    X, y = noisy()
    with pytest.warns(CalibrantWarning) as caught:
        ProbabilityClassifier(random_state=0).fit(np.vstack([X, X]), np.tile(y, 2), np.arange(160) % 5 > 0)
    assert [each.category for each in caught] == [CalibrantWarning]
    assert "are exact copies of others" in str(caught[0].message)
    assert "weight_kind" not in str(caught[0].message)
    assert caught[0].filename == __file__
