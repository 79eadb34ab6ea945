import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from calibrant.calibration import PriorShift
from calibrant.exceptions import DataError, ParameterError

rates = st.floats(0.01, 0.99)


def shifted(seed=0, n_rows=4000, n_classes=3):
    """Rows, their true probabilities, and those of a model trained where every class was as frequent."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_rows, n_classes)) - 1.5 * np.arange(n_classes)
    true = softmax(logits, axis=1)
    y = (rng.random((n_rows, 1)) > true.cumsum(axis=1)[:, :-1]).sum(axis=1)
    prior = true.mean(axis=0)
    model = true / prior
    return model / model.sum(axis=1, keepdims=True), true, y, prior


@given(p=rates, train=rates, new=rates)
def test_elkans_formula(p, train, new):
    found = PriorShift(train_prior=train, new_prior=new).fit([0.2, 0.7], [0, 1]).predict([p])[0]
    assert found == pytest.approx(new * (p - p * train) / (train - p * train + new * p - train * new), rel=1e-9)


def test_shares_of_many_classes_multiply_the_odds():
    proba = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    shift = PriorShift(train_prior=[0.2, 0.3, 0.5], new_prior=[0.6, 0.3, 0.1]).fit(proba, [0, 2], labels=[0, 1, 2])
    expected = proba * [3.0, 1.0, 0.2]
    np.testing.assert_allclose(shift.predict(proba), expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_known_training_prior_gives_back_the_true_probabilities(seed):
    model, true, y, _ = shifted(seed)
    found = PriorShift(train_prior=[1 / 3] * 3).fit(model, y).predict(model)
    assert np.abs(found - true).max() < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_without_it_the_shifted_means_are_the_base_rates(seed):
    model, _, y, _ = shifted(seed)
    shift = PriorShift().fit(model, y)
    np.testing.assert_allclose(shift.predict(model).mean(axis=0), np.bincount(y) / len(y), atol=1e-8)
    np.testing.assert_allclose(shift.train_prior_, 1 / 3, atol=0.06)


def test_unlabelled_rows_give_the_prior_of_maximum_likelihood():
    model, _, _, _ = shifted(n_classes=2)
    shift = PriorShift(train_prior=0.5).fit_unlabelled(model[:, 1])

    def surprise(prior):
        return -np.sum(np.log(model[:, 1] * prior / 0.5 + model[:, 0] * (1 - prior) / 0.5))

    best = minimize_scalar(surprise, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    assert shift.new_prior_[1] == pytest.approx(best, abs=1e-6)


def test_unlabelled_rows_of_many_classes_give_about_their_base_rates():
    model, true, _, prior = shifted(n_rows=20_000)
    shift = PriorShift(train_prior=[1 / 3] * 3).fit_unlabelled(model, labels=["a", "b", "c"])
    np.testing.assert_allclose(shift.new_prior_, prior, atol=0.03)
    assert np.abs(shift.predict(model) - true).max() < 0.1


def test_a_weight_of_two_is_the_row_twice_without_classes_too():
    model, _, _, _ = shifted(n_rows=200)
    times = np.random.default_rng(1).integers(0, 4, 200)
    repeated = PriorShift(train_prior=[1 / 3] * 3).fit_unlabelled(np.repeat(model, times, axis=0))
    weighted = PriorShift(train_prior=[1 / 3] * 3).fit_unlabelled(model, times)
    np.testing.assert_allclose(weighted.new_prior_, repeated.new_prior_, atol=1e-9)


def test_the_inverse_shifts_several_columns_back():
    model, _, y, _ = shifted(n_rows=300)
    for table in (model, np.log(model)):
        shift = PriorShift().fit(table, y)
        back = shift.inverse(shift.predict(table))
        np.testing.assert_allclose(softmax(back, axis=1) if table.min() < 0 else back, model, atol=1e-9)
    with pytest.raises(DataError, match="proba must be in"):
        shift.inverse(model + 1)


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.5, 0.5, 0.0], [0.5, 0.4, 0.3], 0.5, ["a", "b", "c"]])
def test_an_invalid_prior_raises(prior):
    model, _, y, _ = shifted(n_rows=100)
    with pytest.raises(ParameterError, match="new_prior must be 3 base rates"):
        PriorShift(new_prior=prior).fit(model, y)


def test_unlabelled_rows_need_a_training_prior_and_as_many_labels_as_columns():
    with pytest.raises(ParameterError, match="needs train_prior"):
        PriorShift().fit_unlabelled([0.2, 0.4])
    with pytest.raises(DataError, match="labels has 3 classes"):
        PriorShift(train_prior=0.5).fit_unlabelled([0.2, 0.4], labels=[0, 1, 2])
