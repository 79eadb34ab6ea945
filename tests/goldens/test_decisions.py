"""Heckman's two steps against statsmodels, decision curves against dcurves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibrant.curves import decision_curve
from calibrant.decisions import HeckmanRegressor

GOLDEN = json.loads((Path(__file__).parent / "decisions.json").read_text())


@pytest.fixture(scope="module")
def fitted():
    seen = np.array(GOLDEN["seen"], dtype=bool)
    return HeckmanRegressor().fit(np.array(GOLDEN["X"]), np.where(seen, GOLDEN["y"], np.nan))


def test_the_probit_of_selection_is_that_of_statsmodels(fitted):
    assert fitted.selection_intercept_ == pytest.approx(GOLDEN["probit"]["intercept"], abs=1e-6)
    np.testing.assert_allclose(fitted.selection_coef_, GOLDEN["probit"]["coef"], atol=1e-6)


def test_the_regression_with_the_mills_ratio_is_that_of_statsmodels(fitted):
    assert fitted.regressor_.intercept_ == pytest.approx(GOLDEN["second_step"]["intercept"], abs=1e-5)
    np.testing.assert_allclose(fitted.regressor_.coef_, GOLDEN["second_step"]["coef"], atol=1e-5)


@pytest.mark.parametrize(("prevalence", "name"), [(None, ""), (0.1, "_prevalence_0.1")])
def test_net_benefits_are_those_of_dcurves(prevalence, name):
    curve = decision_curve(GOLDEN["seen"], GOLDEN["p"], thresholds=GOLDEN["thresholds"], prevalence=prevalence)
    np.testing.assert_allclose(curve.net_benefit, GOLDEN[f"net_benefit{name}"], atol=1e-12)
    np.testing.assert_allclose(curve.everybody, GOLDEN[f"all{name}"], atol=1e-12)
