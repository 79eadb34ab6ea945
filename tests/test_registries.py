"""Names of metrics, calibrators, estimates and data sets: a misspelt one suggests the nearest."""

from __future__ import annotations

import pytest

from calibrant.calibration import CalibratedClassifier
from calibrant.data import load
from calibrant.ensembles import BPETsClassifier
from calibrant.exceptions import ParameterError
from calibrant.metrics import evaluate
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

X, Y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]


@pytest.mark.parametrize(("written", "meant"), [("AUC", "auc"), ("logloss", "log_loss"), ("roc_auc", "auc")])
def test_a_metric_suggests_the_nearest(written: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"Did you mean '{meant}'\?"):
        evaluate([0, 1, 1], [0.2, 0.7, 0.6], metrics=[written], confidence=None)
    with pytest.raises(ParameterError, match=rf"Did you mean '{meant}'\?"):
        estimate_performance(ProbabilityTreeClassifier(), X * 3, Y * 3, plan=CrossValidation(2), metrics=[written])


@pytest.mark.parametrize(
    ("written", "meant"), [("Isotonic", "isotonic"), ("sigmoid", "platt"), ("vennabers", "venn_abers")]
)
def test_a_calibrator_suggests_the_nearest(written: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"Did you mean '{meant}'\?"):
        CalibratedClassifier(ProbabilityTreeClassifier(), written).fit(X, Y)


@pytest.mark.parametrize(("written", "meant"), [("Laplace", "laplace"), ("m-estimate", "m")])
def test_an_estimate_suggests_the_nearest(written: str, meant: str) -> None:
    for model in (ProbabilityTreeClassifier(estimate=written), BPETsClassifier(estimate=written)):
        with pytest.raises(ParameterError, match=rf"Did you mean '{meant}'\?"):
            model.fit(X, Y)


@pytest.mark.parametrize(("written", "meant"), [("Iris", "iris"), ("WDBC", "wdbc"), ("nielsen.Zoo", "nielsen.zoo")])
def test_a_data_set_suggests_the_nearest(written: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"Did you mean '{meant}'\?"):
        load(written)
