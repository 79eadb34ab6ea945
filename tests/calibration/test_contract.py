"""The promises of every calibrator in the registry; a new one is covered by its name."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from calibrant.calibration import CALIBRATORS, calibrator_from_dict
from calibrant.exceptions import CalibrantWarning, DataError

NAMES = sorted(CALIBRATORS)
GRID = np.linspace(-4.0, 4.0, 41)

every = pytest.mark.parametrize("name", NAMES)
every_with_an_intercept = pytest.mark.parametrize("name", [name for name in NAMES if name != "temperature"])


def fitted(name, scores, y, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        return CALIBRATORS[name]().fit(scores, y, weight)


def margins(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=1.5, size=n_rows).round(2)
    return scores, (rng.random(n_rows) < expit(1.3 * scores - 0.4)).astype(int)


def three_classes(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_rows, 3))
    cumulative = softmax(1.4 * logits, axis=1).cumsum(axis=1)
    return logits, (rng.random((n_rows, 1)) > cumulative[:, :2]).sum(axis=1)


def assert_probabilities(proba):
    assert np.isfinite(proba).all()
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0


@every
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_raises_with_its_row(name, bad):
    scores, y = margins()
    calibrator = fitted(name, scores, y)
    scores[7] = bad
    with pytest.raises(DataError, match="row 7"):
        calibrator.predict(scores)
    with pytest.raises(DataError, match="row 7"):
        fitted(name, scores, y)


@every_with_an_intercept
@pytest.mark.parametrize("value", [0.0, 0.5, -3.0, 1e9])
def test_equal_scores_give_the_base_rate_and_a_warning(name, value):
    with pytest.warns(CalibrantWarning, match="all scores are equal"):
        calibrator = CALIBRATORS[name]().fit(np.full(400, value), [0] * 300 + [1] * 100)
    proba = calibrator.predict([value, value])
    assert proba == pytest.approx([0.25, 0.25], abs=0.02)


@every
@pytest.mark.parametrize("scores", [[0.2, 0.7], [0.7, 0.2], [-5.0, 30.0], [1.0, 0.0]])
def test_two_rows_are_enough(name, scores):
    assert_probabilities(fitted(name, scores, [0, 1]).predict([*scores, 0.4]))


@every
def test_one_class_alone_raises(name):
    with pytest.raises(DataError, match=r"one class only \(1\)"):
        fitted(name, [0.2, 0.4, 0.9], [1, 1, 1])


@every
@pytest.mark.parametrize(
    "labels", [np.array(["no", "yes"]), np.array([False, True]), np.array([0.0, 1.0]), np.array([-1, 1])]
)
def test_labels_may_be_of_any_kind(name, labels):
    scores, y = margins()
    calibrator = fitted(name, scores, labels[y])
    np.testing.assert_array_equal(calibrator.classes_, labels)
    np.testing.assert_array_equal(calibrator.predict(GRID), fitted(name, scores, y).predict(GRID))


@every
def test_a_row_of_weight_zero_is_as_if_absent(name):
    scores, y = margins()
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = fitted(name, scores[weight > 0], y[weight > 0], weight[weight > 0])
    np.testing.assert_array_equal(fitted(name, scores, y, weight).predict(GRID), kept.predict(GRID))


@every
def test_a_weight_of_two_is_the_row_twice(name):
    scores, y = margins()
    times = np.random.default_rng(1).integers(1, 4, len(y))
    twice = fitted(name, np.repeat(scores, times), np.repeat(y, times))
    weighted = fitted(name, scores, y, times)
    np.testing.assert_allclose(weighted.predict(GRID), twice.predict(GRID), rtol=1e-6, atol=1e-9)


@every
def test_the_order_of_the_rows_does_not_matter(name):
    scores, y = margins()
    order = np.random.default_rng(1).permutation(len(y))
    there, here = fitted(name, scores[order], y[order]), fitted(name, scores, y)
    np.testing.assert_allclose(there.predict(GRID), here.predict(GRID), rtol=1e-6, atol=1e-9)


@every
def test_a_second_fit_gives_the_same_bits(name):
    scores, y = margins()
    weight = np.random.default_rng(1).random(len(y))
    calibrator = fitted(name, scores, y, weight)
    first = calibrator.predict(GRID)
    np.testing.assert_array_equal(calibrator.fit(scores, y, weight).predict(GRID), first)


@every
@pytest.mark.parametrize("factor", [1e9, -1e9, 1e-9])
def test_margins_of_any_size_give_probabilities(name, factor):
    scores, y = margins()
    assert_probabilities(fitted(name, factor * scores, y).predict(factor * GRID))


@every
def test_single_precision_and_whole_numbers_are_scores(name):
    scores, y = margins()
    for given_scores in (scores.astype(np.float32), (10 * scores).astype(int), (10 * scores).astype(np.int8)):
        single = fitted(name, given_scores, y).predict(given_scores)
        double = fitted(name, given_scores.astype(float), y).predict(given_scores.astype(float))
        np.testing.assert_array_equal(single, double)


@every
def test_arguments_are_not_modified(name):
    scores, y = margins()
    weight = np.ones(len(y))
    scores.flags.writeable = y.flags.writeable = weight.flags.writeable = False
    assert_probabilities(fitted(name, scores, y, weight).predict(scores))


@every
def test_what_json_holds_gives_the_same_probabilities(name):
    logits, classes = three_classes()
    for table, y in (margins(), (logits, classes), (logits[:, :2], classes % 2)):
        calibrator = fitted(name, table, np.array(["a", "b", "c"])[y])
        read = calibrator_from_dict(json.loads(json.dumps(calibrator.to_dict())))
        assert type(read) is type(calibrator)
        np.testing.assert_array_equal(read.predict(table), calibrator.predict(table))
        np.testing.assert_array_equal(read.classes_, calibrator.classes_)


@every
def test_a_clone_has_the_parameters_and_nothing_learned(name):
    scores, y = margins()
    copy = clone(fitted(name, scores, y))
    assert repr(copy) == repr(CALIBRATORS[name]())
    with pytest.raises(NotFittedError):
        copy.predict(scores)


@every
def test_rows_of_several_columns_sum_to_one(name):
    logits, y = three_classes()
    for table in (logits, softmax(logits, axis=1), 1e9 * logits):
        proba = fitted(name, table, y).predict(table)
        assert proba.shape == table.shape
        assert_probabilities(proba)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


@every
def test_two_columns_of_probabilities_are_one_score(name):
    scores, y = margins()
    score = expit(scores)
    one = fitted(name, score, y).predict(score)
    two = fitted(name, np.stack([1.0 - score, score], axis=1), y).predict(np.stack([1.0 - score, score], axis=1))
    np.testing.assert_allclose(two, np.stack([1.0 - one, one], axis=1), rtol=1e-6, atol=1e-9)


@every
@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_the_rows_beside_a_row_do_not_matter(name, n_columns):
    logits, y = three_classes()
    logits[0] = [0.2, 0.8, 0.0]  # alone it looks like probabilities
    calibrator = fitted(name, logits[:, :n_columns], y % max(2, n_columns))
    alone = [calibrator.predict(logits[row : row + 1, :n_columns])[0] for row in range(4)]
    np.testing.assert_allclose(alone, calibrator.predict(logits[:, :n_columns])[:4], rtol=1e-12)


@every
def test_another_number_of_columns_than_in_fit_raises(name):
    calibrator = fitted(name, *margins())
    with pytest.raises(DataError, match="column"):
        calibrator.predict([[0.2, 0.8]])


@every
def test_a_monotone_map_loses_rank_by_ties_alone(name):
    scores, y = margins()
    for given_scores in (scores, expit(scores)):
        calibrator = fitted(name, given_scores, y)
        if calibrator.is_monotone:
            steps = np.diff(calibrator.predict(np.sort(given_scores)))
            assert (steps >= 0).all()


@every
def test_the_inverse_leads_back(name):
    scores, y = margins()
    for given_scores, requested in ((scores, np.linspace(-0.8, 0.8, 9)), (expit(scores), np.linspace(0.3, 0.7, 9))):
        calibrator = fitted(name, given_scores, y)
        if hasattr(calibrator, "inverse"):
            proba = calibrator.predict(requested)
            np.testing.assert_allclose(calibrator.inverse(proba), requested, rtol=1e-6, atol=1e-9)


finite = st.floats(-1e150, 1e150)  # squares are numbers still


# These scores leave Newton's equations of a shift singular
SINGULAR = [(33.0, True), (0.0, False), (0.35, False), (0.77, False), (-28.0, False), (0.0, False), (32.0, True)]


@every
@given(rows=st.lists(st.tuples(finite | st.floats(0, 1), st.booleans()), min_size=2, max_size=30), requested=finite)
@example(rows=SINGULAR, requested=0.0)
def test_odd_scores_give_probabilities(name, rows, requested):
    scores, y = np.array([score for score, _ in rows]), np.array([label for _, label in rows])
    if y.all() or not y.any():
        y[0] = not y[0]
    assert_probabilities(fitted(name, scores, y).predict([*scores, requested, 0.0, 0.5, 1.0]))


@every
@given(scores=st.lists(finite | st.floats(0, 1), min_size=2, max_size=30), data=st.data())
def test_odd_weights_give_probabilities(name, scores, data):
    weights = st.floats(1e-6, 1e6) | st.just(0.0)
    weight = data.draw(st.lists(weights, min_size=len(scores), max_size=len(scores)))
    weight[:2] = [1.0, 1.0]
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(scores) - 2, max_size=len(scores) - 2))]
    assert_probabilities(fitted(name, scores, y, weight).predict(scores))
