"""Calibrators beside scikit-learn 1.9.1 and R's isoreg on six made-up sets of scores.

Figures: CALIBRANT_GOLDENS, described in its README.md. Isotonic maps within 1e-10. Sigmoids within 1e-6, since
scikit-learn ends its search at about 1e-8 from the optimum.
"""

import json

import numpy as np
import pytest

from calibrant.calibration import Isotonic, Platt

pytestmark = pytest.mark.filterwarnings("ignore:all scores are equal")
CASES = ["cont", "round1", "round2", "sep", "skew", "const"]


@pytest.fixture(scope="module")
def cases(goldens):
    return {case["mode"]: case for case in json.loads((goldens / "calibration_sklearn_R.json").read_text())["cases"]}


@pytest.mark.parametrize("name", CASES)
def test_isotonic_is_that_of_scikit_learn(cases, name):
    case = cases[name]
    fitted = Isotonic().fit(case["f"], case["y"])
    np.testing.assert_allclose(fitted.predict(case["f"]), case["iso_train_pred"], atol=1e-10)
    np.testing.assert_allclose(fitted.predict(case["iso_grid"]), case["iso_grid_pred"], atol=1e-10)
    np.testing.assert_allclose(fitted.scores_, case["iso_x"], atol=1e-10)
    np.testing.assert_allclose(fitted.probabilities_, case["iso_y"], atol=1e-10)


@pytest.mark.parametrize("name", ["cont", "sep", "skew"])
@pytest.mark.parametrize("mode", ["interpolate", "step"])
def test_isotonic_is_that_of_r_where_no_scores_are_equal(cases, name, mode):
    case = cases[name]
    fitted = Isotonic(mode=mode).fit(case["f"], case["y"]).predict(np.sort(case["f"]))
    np.testing.assert_allclose(fitted, case["R_isoreg_yf_sorted"], atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_the_sigmoid_is_that_of_scikit_learn(cases, name):
    case = cases[name]
    fitted = Platt(on="score").fit(case["f"], case["y"])
    np.testing.assert_allclose([-fitted.slope_, -fitted.intercept_], [case["platt_A"], case["platt_B"]], atol=1e-6)
    np.testing.assert_allclose(fitted.predict(case["f"]), case["platt_p"], atol=1e-6)
