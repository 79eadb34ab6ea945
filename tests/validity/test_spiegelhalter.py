"""Spiegelhalter's Z is standard normal for perfectly calibrated probabilities, whatever the kind of weights."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import evaluate, spiegelhalter_z

N_DRAWS, N_ROWS = 2000, 400


def found_by(kind):
    """Return Z of calibrated rows, drawn with weights of mean 20 that depend on the probabilities."""
    random = np.random.default_rng(7)
    for _ in range(N_DRAWS):
        p = random.beta(1.0, 2.0, N_ROWS)
        w = 40.0 * p * random.lognormal(0.0, 0.5, N_ROWS) + 5.0
        yield spiegelhalter_z(random.random(N_ROWS) < p, p, sample_weight=w, weight_kind=kind)


def test_z_of_probability_weights_is_standard_normal():
    found = list(found_by("probability"))
    # 2,000 draws know the standard deviation to 0.016, and a rate of 5 % to 0.5 %: bounds of four of these.
    assert np.std(found) == pytest.approx(1.0, abs=0.065)
    assert np.mean([z.p_value <= 0.05 for z in found]) == pytest.approx(0.05, abs=0.02)


def test_the_card_rejects_calibrated_survey_rows_as_often_as_it_states():
    random, n_rejected = np.random.default_rng(8), 0
    for _ in range(500):
        p = random.random(300)
        card = evaluate(
            random.random(300) < p,
            p,
            metrics=["spiegelhalter_z"],
            sample_weight=random.uniform(1.0, 40.0, 300),
            weight_kind="probability",
        )
        n_rejected += card["spiegelhalter_z"].pvalue <= 0.05
    assert n_rejected / 500 == pytest.approx(0.05, abs=0.04)
