"""Figures of relplot, model-diagnostics, hmeasure and netcal on four sets of probabilities; see SOURCE.md."""

import json
from pathlib import Path

import pytest

from calibrant.metrics import decomposition, ece, h_measure, smooth_ece

SETS = json.loads(Path(__file__).with_name("metrics.json").read_text())


@pytest.mark.parametrize("found", SETS)
def test_smooth_ece_is_relplots(found):
    assert smooth_ece(found["y"], found["proba"]) == pytest.approx(found["smooth_ece"], abs=1e-3)


@pytest.mark.parametrize("found", SETS)
@pytest.mark.parametrize(("score", "key"), [("brier", "squared"), ("log_loss", "log")])
def test_corp_decompositions_are_those_of_model_diagnostics(found, score, key):
    parts = decomposition(found["y"], found["proba"], score=score)
    for part, value in found[key].items():
        assert getattr(parts, part) == pytest.approx(value, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("found", SETS)
def test_the_h_measure_is_that_of_hmeasure(found):
    y, proba = found["y"], found["proba"]
    n_positive = sum(y)
    older = {"alpha": 2.0, "beta": 1 + (len(y) - n_positive) / n_positive}
    assert h_measure(y, proba) == pytest.approx(found["h"], rel=1e-9)
    assert h_measure(y, proba, **older) == pytest.approx(found["h_beta_2"], rel=1e-9)


@pytest.mark.parametrize("found", SETS)
@pytest.mark.parametrize("n_bins", [10, 15])
def test_the_expected_calibration_error_is_netcals(found, n_bins):
    y, proba, golden = found["y"], found["proba"], found["netcal"][str(n_bins)]
    assert ece(y, proba, n_bins=n_bins) == pytest.approx(golden["ece"], rel=1e-12)
    if "mass" in golden and len(y) % n_bins == 0:
        assert ece(y, proba, n_bins=n_bins, strategy="mass") == pytest.approx(golden["mass"], rel=1e-12)


@pytest.mark.parametrize("found", SETS)
def test_the_greatest_calibration_error_is_netcals(found):
    golden = found["netcal"]["15"]["mce"]
    assert ece(found["y"], found["proba"], norm="max") == pytest.approx(golden, rel=1e-12)
