"""Nets against scikit-learn's, and one run read after many epochs against ordinary fits."""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import ParameterError
from calibrant.metrics import brier
from calibrant.neural import NeuralNetClassifier
from calibrant.resampling import CrossValidation, estimate_performance


def rows(n=200, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, 100]
    scores = X[:, 0] + X[:, 1] / 10 + rng.normal(size=n)
    return X, np.digitize(scores, np.quantile(scores, np.arange(1, n_classes) / n_classes))


@pytest.fixture
def epochs(monkeypatch):
    """The nets of scikit-learn and their inputs, an entry an epoch."""
    found, partial_fit = [], MLPClassifier.partial_fit

    def noted(self, X, *args, **options):
        found.append((self, X))
        return partial_fit(self, X, *args, **options)

    monkeypatch.setattr(MLPClassifier, "partial_fit", noted)
    return found


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_net_predicts_as_the_one_of_scikit_learn_that_it_is_copied_from(n_classes, epochs):
    """In another order: equal rows are one, and rows are sorted."""
    X, y = rows(n_classes=n_classes)
    found = NeuralNetClassifier(n_hidden=5, n_epochs=3, random_state=0).fit(X, y).predict_proba(X)
    theirs, terms = epochs[-1]
    expected = theirs.predict_proba(terms)
    assert len(epochs) == 3
    np.testing.assert_allclose(found[found[:, 0].argsort()], expected[expected[:, 0].argsort()], atol=1e-12)


def test_long_training_reaches_the_loss_of_scikit_learns_own_solver():
    X, y = rows()
    scaled = StandardScaler().fit_transform(X)
    theirs = MLPClassifier((1,), activation="logistic", solver="lbfgs", alpha=0, max_iter=2000, random_state=0)
    best = theirs.fit(scaled, y).loss_
    proba = NeuralNetClassifier(n_hidden=1, n_epochs=200, random_state=0).fit(X, y).predict_proba(X)
    loss = -np.log(proba[np.arange(len(y)), y]).mean()
    assert best - 1e-3 < loss < best + 0.02


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_one_run_read_at_an_epoch_is_a_fit_of_so_many_epochs_to_the_bit(n_classes, momentum):
    X, y = rows(n_classes=n_classes)
    params = {"n_hidden": 3, "momentum": momentum, "random_state": 7}
    run = NeuralNetClassifier(n_epochs=16, keep_epochs=[1, 2, 4, 8], **params).fit(X, y)
    for n_epochs, proba in zip([1, 2, 4, 8, 16], run.staged_predict_proba(X), strict=True):
        alone = NeuralNetClassifier(n_epochs=n_epochs, **params).fit(X, y)
        np.testing.assert_array_equal(proba, alone.predict_proba(X))
    (last,) = run.staged_predict_proba(X, at=[16])
    np.testing.assert_array_equal(run.predict_proba(X), last)


def test_the_head_of_a_family_keeps_what_each_member_reads():
    X, y = rows()
    members = [NeuralNetClassifier(n_epochs=each, random_state=0) for each in (5, 1, 9)]
    head = NeuralNetClassifier._family_head(members)
    assert (head.n_epochs, head.keep_epochs) == (9, [1, 5, 9])
    read = head.fit(X, y)._predict_readings(X, members)
    for member, proba in zip(members, read, strict=True):
        np.testing.assert_array_equal(proba, member.fit(X, y).predict_proba(X))


def test_a_weight_of_two_is_the_row_twice_and_order_does_not_matter_to_the_bit():
    X, y = rows()
    weight = np.arange(200) % 3
    net = NeuralNetClassifier(n_epochs=3, random_state=0)
    weighted = net.fit(X, y, sample_weight=weight).predict_proba(X)
    order = np.random.default_rng(0).permutation(weight.sum())
    repeated = net.fit(np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order]).predict_proba(X)
    np.testing.assert_array_equal(repeated, weighted)


def test_epochs_that_were_not_kept_and_steps_that_are_too_long_raise():
    X, y = rows()
    with pytest.raises(ParameterError, match=r"keep_epochs must be at most n_epochs=5; got 6"):
        NeuralNetClassifier(n_epochs=5, keep_epochs=[6]).fit(X, y)
    net = NeuralNetClassifier(n_epochs=5, keep_epochs=[2], random_state=0).fit(X, y)
    with pytest.raises(ParameterError, match=r"among the epochs that were kept, \[2, 5\]; got 3"):
        list(net.staged_predict_proba(X, at=[3]))
    with pytest.raises(ParameterError, match="at must be a sequence of numbers of epochs"):
        list(net.staged_predict_proba(X, at=5))
    with pytest.raises(ParameterError, match="keep_epochs must be a sequence of numbers of epochs"):
        NeuralNetClassifier(keep_epochs=[0]).fit(X, y)


def test_one_class_is_certain():
    net = NeuralNetClassifier(n_epochs=2).fit([[1.0], [2.0]], ["only", "only"])
    assert net.predict_proba([[3.0]]).tolist() == [[1.0]]
    assert [proba.tolist() for proba in net.staged_predict_proba([[3.0]])] == [[[1.0]]]


def test_the_engine_trains_once_for_all_epochs_and_their_calibrators(epochs):
    X, y = rows(90)
    nets = {f"{n}": NeuralNetClassifier(n_hidden=2, n_epochs=n, random_state=0) for n in (1, 4)}
    methods = nets | {f"{n} platt": CalibratedClassifier(net, "platt", cv=3) for n, net in nets.items()}
    plan = CrossValidation(2)
    alone = {name: estimate_performance(net, X, y, plan, {"brier": brier}) for name, net in methods.items()}
    epochs.clear()
    together = estimate_performance(methods, X, y, plan, {"brier": brier})
    assert len(epochs) == 4 * 2 * (1 + 3)  # four epochs on each split, of all its rows and of three folds of them
    for name, result in alone.items():
        np.testing.assert_array_equal(together.split_values("brier", name), result.split_values("brier"))
