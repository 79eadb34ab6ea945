"""Calibrators of many classes against the packages of those who proposed them."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from calibrant.calibration import Dirichlet, MatrixScaling, Temperature, VectorScaling

MADE = json.loads(Path(__file__).with_name("multiclass_calibrators.json").read_text())["sets"]
EQUAL = {
    "dirichlet none (dirichletcal)": Dirichlet(off_diagonal=0, intercept=0, l2=0),
    "dirichlet odir (dirichletcal)": Dirichlet(off_diagonal=0.1, intercept=0.05, l2=0),
    "dirichlet l2 (dirichletcal)": Dirichlet(off_diagonal=0, intercept=0, l2=0.1),
    "vector (dirichletcal)": VectorScaling(strength=0),
    "temperature (dirichletcal)": Temperature(),
    "temperature (probmetrics)": Temperature(),
    "sms to the end (probmetrics)": MatrixScaling(),
    "svs to the end (probmetrics)": VectorScaling(),
}
EARLY = {
    "sms (probmetrics)": MatrixScaling(),
    "svs (probmetrics)": VectorScaling(),
    "vector (probmetrics)": VectorScaling(strength=0),
    "matrix (probmetrics)": MatrixScaling(strength=0),
}


@pytest.fixture(params=list(MADE))
def made(request):
    return MADE[request.param]


def fitted(calibrator, made):
    scores = softmax(np.array(made["logits"]), axis=1)
    return calibrator.fit(scores, made["y"]), scores


def loss(weights, logs, y, n_rows, strength):
    """The objective of structured scaling, written from the paper."""
    matrix, intercepts = weights[:, :-1], weights[:, -1]
    k, off = len(matrix), ~np.eye(len(matrix), dtype=bool)
    squares = np.sum((np.diag(matrix) - 1) ** 2) + np.sum(intercepts**2) + (k - 1) * np.sum(matrix[off] ** 2)
    fit = log_softmax(logs @ matrix.T + intercepts, axis=1)
    return -fit[np.arange(n_rows), y].mean() + strength * k / n_rows * squares


@pytest.mark.parametrize("name", EQUAL)
def test_probabilities_are_the_packages(name, made):
    calibrator, scores = fitted(EQUAL[name], made)
    np.testing.assert_allclose(calibrator.predict(scores)[:20], made["found"][name]["proba"], atol=2e-8)


@pytest.mark.parametrize("name", EARLY)
def test_where_a_package_stops_early_ours_is_near_and_has_the_smaller_loss(name, made):
    calibrator, scores = fitted(EARLY[name], made)
    np.testing.assert_allclose(calibrator.predict(scores)[:20], made["found"][name]["proba"], atol=3e-3)
    ours, theirs = (
        loss(np.asarray(weights), calibrator._logs(scores), made["y"], len(scores), calibrator.strength)
        for weights in (np.column_stack([calibrator.coef_, calibrator.intercept_]), made["found"][name]["weights"])
    )
    assert ours <= theirs <= ours + 1e-5
