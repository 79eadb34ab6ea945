"""A calibrated blend takes the held-out probabilities that the blend has already."""

from __future__ import annotations

import numpy as np

from calibrant import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier, Platt


def test_held_out_probabilities_of_one_fit_are_calibrated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = rng.random(300) < 1 / (1 + np.exp(-X[:, 0]))
    blend = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0)
    model = CalibratedClassifier(blend, "platt", cv="oob").fit(X, y)
    fitted = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(X, y)
    by_hand = Platt().fit(fitted.held_out_proba_[:, 1], y)
    assert np.array_equal(model.held_out_.scores[:, 0], fitted.held_out_proba_[:, 1])
    assert np.allclose(model.predict_proba(X)[:, 1], by_hand.predict(fitted.predict_proba(X)[:, 1]), rtol=0, atol=1e-12)
