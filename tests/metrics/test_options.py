"""The options of metrics are checked by the public functions: each has a rule, and the error names it."""

import inspect

import numpy as np
import pytest

from calibrant import metrics
from calibrant.exceptions import ParameterError
from calibrant.metrics import METRICS
from calibrant.resampling import estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

SHARED = {"y_true", "y_proba", "sample_weight", "pos_label", "labels"}
OF_ROWS = {"vote", "matrix", "amount", "cost", "estimated_amount", "prior", "groups"}  # validated with the rows
NEEDED = {"k": 1.0, "matrix": np.eye(2), "vote": [0, 1, 1, 0], "amount": 1.0, "cost": 1.0, "prior": 0.5}
NAMES = sorted({*METRICS, "confusion_matrix", "decomposition", "hosmer_lemeshow", "murphy_decomposition"})
OPTIONS = [
    (name, option)
    for name in NAMES
    for option in inspect.signature(getattr(metrics, name)).parameters
    if option not in SHARED | OF_ROWS
]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_wrong_option_raises_an_error_that_names_it(name, option):
    needed = {need: NEEDED[need] for need in (METRICS[name].needs if name in METRICS else ())}
    with pytest.raises(ParameterError, match=f"^{option} must be .*; got "):
        getattr(metrics, name)([0, 1, 1, 0], [0.1, 0.7, 0.4, 0.3], **(needed | {option: "wrong"}))


def test_metric_params_of_resampling_are_checked():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(ParameterError, match="n_bins must be an int >= 1; got 0"):
        estimate_performance(ProbabilityTreeClassifier(), X, y, 2, ["ece"], metric_params={"ece": {"n_bins": 0}})
