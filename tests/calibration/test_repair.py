import numpy as np
import pytest
from scipy.special import expit, softmax
from scipy.stats import chi2, kstest

from calibrant.calibration import Auto, Chain, Isotonic, Platt, repair_base_rate
from calibrant.exceptions import DataError, LittleDataWarning, ParameterError


def draw(seed=0, n_rows=3000, shift=0.0):
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=n_rows) - 2
    return expit(logits + shift), expit(logits), (rng.random(n_rows) < expit(logits)).astype(int)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sample(3)
def test_a_shifted_model_is_brought_back_to_the_truth(seed):
    scores, true, y = draw(seed, shift=2.0)
    repair = repair_base_rate(scores, y)
    assert repair.is_shifted
    assert np.abs(repair.calibrator.predict(scores) - true).max() < 0.08
    assert repair.after.log_loss < repair.before.log_loss
    assert repair.after.base_rate[1] == pytest.approx(y.mean(), abs=0.005)


def test_a_model_that_is_right_is_not_shifted():
    scores, _, y = draw(n_rows=200)
    repair = repair_base_rate(scores, y, calibrator="platt", alpha=1e-9)
    assert not repair.is_shifted
    assert isinstance(repair.calibrator, Platt)
    assert "The map alone was fitted" in repr(repair)


def test_a_shift_undone_leaves_little_for_the_guarded_map_which_is_named():
    scores, _, y = draw(shift=2.0)
    repair = repair_base_rate(scores, y)
    assert isinstance(repair.calibrator.then_, Auto)
    assert repair.calibrator.then_.choice_.gain < 0.005
    assert f"then the map fitted (chosen: {repair.calibrator.then_.choice_.name})" in repr(repair)
    assert repair.calibrator.is_monotone == repair.calibrator.then_.is_monotone


def test_too_few_rows_for_the_guarded_map_raise_one_warning():
    scores, _, y = draw(n_rows=60)
    with pytest.warns(LittleDataWarning, match="too few for a map") as caught:
        repair_base_rate(scores, y, train_prior=0.5)
    assert len(caught) == 1


def test_p_values_of_models_that_are_right_are_uniform():
    found = [repair_base_rate(*draw(seed, n_rows=300)[::2], calibrator="platt").pvalue for seed in range(60)]
    assert kstest(found, "uniform").pvalue > 1e-4


def test_the_p_value_for_two_classes_is_that_of_the_mean():
    scores, _, y = draw(n_rows=200, shift=0.3)
    z2 = (y.sum() - scores.sum()) ** 2 / np.sum(scores * (1 - scores))
    assert repair_base_rate(scores, y).pvalue == pytest.approx(chi2.sf(z2, 1), rel=1e-6)


def test_a_known_training_prior_is_undone_whatever_the_test_says():
    scores, _, y = draw(n_rows=200)
    repair = repair_base_rate(scores, y, train_prior=0.5, calibrator=Isotonic(), alpha=0.0)
    assert isinstance(repair.calibrator, Chain)
    assert repair.implied == (0.5, 0.5)


@pytest.mark.long
def test_many_classes_are_repaired_and_named():
    rng = np.random.default_rng(0)
    true = softmax(rng.normal(size=(2000, 3)) - [0, 1, 2], axis=1)
    y = (rng.random((2000, 1)) > true.cumsum(axis=1)[:, :2]).sum(axis=1)
    repair = repair_base_rate(true / true.mean(axis=0) / (true / true.mean(axis=0)).sum(axis=1, keepdims=True), y)
    np.testing.assert_allclose(repair.after.base_rate, np.bincount(y) / 2000, atol=0.01)
    assert "Mean probabilities were 0 0.3" in repr(repair)


@pytest.mark.long
def test_a_weight_of_two_is_the_row_twice_in_the_test_and_the_map():
    scores, _, y = draw(n_rows=200, shift=0.5)
    times = np.random.default_rng(1).integers(1, 4, 200)
    weighted = repair_base_rate(scores, y, times)
    repeated = repair_base_rate(np.repeat(scores, times), np.repeat(y, times))
    assert weighted.pvalue == pytest.approx(repeated.pvalue, rel=1e-9)
    np.testing.assert_allclose(weighted.calibrator.predict(scores), repeated.calibrator.predict(scores), atol=1e-6)


def test_too_few_rows_and_an_invalid_alpha_raise():
    with pytest.raises(DataError, match="two rows or more of every class"):
        repair_base_rate([0.2, 0.7, 0.6], [0, 1, 1])
    with pytest.raises(ParameterError, match="alpha"):
        repair_base_rate([0.2, 0.7], [0, 1], alpha=2)
