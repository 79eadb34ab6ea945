"""The automatic calibrator against probabilities that are known: no harm where nothing is miscalibrated, else a gain.

Bounds are of the excess of the log-loss over the truth's, in units of 1 / n: a map of two numbers pays about 1.
"""

import numpy as np
import pytest
from scipy.special import expit

from calibrant.calibration import Auto, Platt
from calibrant.calibration._auto.choice import assign_folds, pool_equal_rows
from calibrant.calibration._validation import read_scored

DRAWS = 20


def draw(random, n_rows, truth):
    x = 1.5 * random.normal(size=n_rows)
    return expit(x), expit(truth(x))


def excess(calibrator, n_rows, seed, truth):
    """Return n times the mean Kullback-Leibler divergence of fresh rows."""
    random = np.random.default_rng([seed, n_rows])
    scores, proba = draw(random, n_rows, truth)
    calibrator.fit(scores, random.random(n_rows) < proba)
    scores, proba = draw(random, 4000, truth)
    found = calibrator.predict(scores)
    return n_rows * np.mean(proba * np.log(proba / found) + (1 - proba) * np.log((1 - proba) / (1 - found)))


@pytest.mark.parametrize("n_rows", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_calibrated_scores_are_harmed_less_than_by_any_map_of_two_numbers(n_rows):
    auto, platt = (
        np.array([excess(kind(), n_rows, seed, lambda x: x) for seed in range(DRAWS)]) for kind in (Auto, Platt)
    )
    assert auto.mean() < 0.7
    assert auto.mean() < platt.mean()


@pytest.mark.parametrize("truth", [lambda x: 0.6 * x - 0.5, lambda x: x + 0.4 * np.sin(2 * x)], ids=["line", "waves"])
@pytest.mark.parametrize("n_rows", [500, 8000])
def test_what_is_wrong_is_mended_at_the_rate_of_the_maps(truth, n_rows):
    random = np.random.default_rng(n_rows)
    scores, proba = draw(random, n_rows, truth)
    found = Auto().fit(scores, random.random(n_rows) < proba)
    scores, proba = draw(random, 4000, truth)
    assert np.sqrt(np.mean((found.predict(scores) - proba) ** 2)) <= 4.0 * n_rows**-0.5


def test_folds_do_not_flatter_maps_that_follow_the_noise():
    random = np.random.default_rng(0)
    gaps = []
    for _ in range(DRAWS):
        scores, y = random.random(400).round(1), random.random(400) < 0.5
        pooled = pool_equal_rows(read_scored(scores, y))
        pieces = assign_folds(pooled, 10)
        rate = [
            np.average(pooled.codes[pieces.rows], weights=pieces.weight * (pieces.fold != fold)) for fold in range(10)
        ]
        own = [
            np.average(pooled.codes[pieces.rows], weights=pieces.weight * (pieces.fold == fold)) for fold in range(10)
        ]
        shares = _shares_by_score(pooled, pieces)
        gaps.append(np.corrcoef(shares)[0, 1])
        assert np.abs(np.subtract(rate, own)).max() < 0.05
    assert np.mean(gaps) < 0.2


def _shares_by_score(pooled, pieces):
    """Return the share of positive rows at each score, in the first fold and in the others."""
    values, position = np.unique(pooled.scores[pieces.rows, 0], return_inverse=True)
    first = pieces.fold == 0
    shares = []
    for chosen in (first, ~first):
        weight = pieces.weight * chosen
        total = np.bincount(position, weight, len(values))
        shares.append(np.bincount(position, weight * pooled.codes[pieces.rows], len(values)) / np.maximum(total, 1e-9))
    return np.array(shares)
