"""The options of metrics are checked by the public functions, and by nothing below them."""

import inspect

import numpy as np
import pytest

from calibrant import metrics
from calibrant.exceptions import ParameterError
from calibrant.metrics import METRICS, evaluate
from calibrant.metrics import _metric as options
from calibrant.resampling import estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

SHARED = {"y_true", "y_proba", "sample_weight", "pos_label", "labels"}
OF_ROWS = {
    "vote",
    "matrix",
    "amount",
    "cost",
    "estimated_amount",
    "prior",
    "groups",
}  # validated together with the rows
NAMES = sorted({*METRICS, "confusion_matrix", "decomposition", "hosmer_lemeshow", "murphy_decomposition"})
OPTIONS = [(name, option) for name in NAMES for option in options.rules_of(name)]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_of_a_metric_has_a_rule(name):
    parameters = set(inspect.signature(getattr(metrics, name)).parameters) - SHARED - OF_ROWS
    assert parameters == set(options.rules_of(name))


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_wrong_option_raises_an_error_that_names_it(name, option):
    needed = {"k": 1.0, "matrix": np.eye(2)}
    needed = {need: needed[need] for need in (METRICS[name].needs if name in METRICS else ())}
    with pytest.raises(ParameterError, match=f"^{option} must be .*; got "):
        getattr(metrics, name)([0, 1, 1, 0], [0.1, 0.7, 0.4, 0.3], **(needed | {option: "wrong"}))


def test_metric_params_of_resampling_are_checked():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(ParameterError, match="n_bins must be an int >= 1; got 0"):
        estimate_performance(ProbabilityTreeClassifier(), X, y, 2, ["ece"], metric_params={"ece": {"n_bins": 0}})


@pytest.mark.long
def test_evaluate_checks_no_option_of_a_metric(monkeypatch):
    checked = []
    monkeypatch.setattr(options, "check_param", lambda *arguments: checked.append(arguments))
    rng = np.random.default_rng(0)
    evaluate(np.arange(100) % 2, rng.random(100), metrics="all", n_boot=20)
    assert not checked
