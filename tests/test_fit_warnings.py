"""A warning of boosting appears once for a fit that fits several models."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from calibrant.calibration import CalibratedClassifier
from calibrant.decisions import CostSensitiveClassifier, MetaCostClassifier, ThresholdClassifier
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.exceptions import CalibrantWarning
from calibrant.resampling import CrossValidation, Holdout, Nested, estimate_performance, learning_curve

X = np.arange(60.0)[:, np.newaxis]
Y = np.repeat([0, 1], 30)
BOOSTED = BoostedTreesClassifier(n_trees=5, resample=False)  # the first tree makes no error: every fit stops


def shown_by(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in shown if "boosting stops" in str(each.message)]


@pytest.mark.parametrize(
    ("call", "n_fits"),
    [
        (lambda: CalibratedClassifier(BOOSTED, "platt", cv=3).fit(X, Y), 4),
        (lambda: CalibratedClassifier(BOOSTED, "platt", cv=3, n_jobs=2).fit(X, Y), 4),
        (lambda: CalibratedClassifier(BOOSTED, "platt", cv=3, ensemble=True).fit(X, Y), 3),
        (lambda: ThresholdClassifier(BOOSTED, cv=3).fit(X, Y), 4),
        (lambda: MetaCostClassifier(BOOSTED, n_bags=3).fit(X, Y), 4),
        (lambda: CostSensitiveClassifier(BOOSTED, when="train", how="reject", n_models=3).fit(X, Y), 3),
        (lambda: estimate_performance(BOOSTED, X, Y, CrossValidation(3), "error"), 3),
        (lambda: estimate_performance(BOOSTED, X, Y, CrossValidation(3), "error", n_jobs=2), 3),
        (lambda: estimate_performance([BOOSTED], X, Y, Nested(3, 2), "error"), 9),
        (lambda: estimate_performance(CalibratedClassifier(BOOSTED, "platt", cv=2), X, Y, 3, "error"), 9),
        (lambda: learning_curve(BOOSTED, X, Y, Holdout(), "error", sizes=[0.5, 1.0]), 2),
    ],
)
def test_boosting_warns_once_for_all_fits_within_one(call: Callable[[], Any], n_fits: int) -> None:
    (message,) = shown_by(call)
    assert message.startswith("BoostedTreesClassifier: member 1 of 5 does not change the weights")
    assert message.endswith(f" This is the first of {n_fits} such fits.")


def test_a_fit_of_its_own_warns_each_time_at_the_line_that_fits() -> None:
    with pytest.warns(CalibrantWarning, match="boosting stops") as shown:
        BOOSTED.fit(X, Y)
    assert shown[0].filename == __file__
    assert len(shown_by(lambda: [BOOSTED.fit(X, Y), BOOSTED.fit(X, Y)])) == 2
    assert not any("first of" in message for message in shown_by(lambda: BOOSTED.fit(X, Y)))


def test_the_warning_of_folds_is_shown_at_the_line_that_fits() -> None:
    with pytest.warns(CalibrantWarning, match="boosting stops") as shown:
        CalibratedClassifier(BOOSTED, "platt", cv=3).fit(X, Y)
    assert shown[0].filename == __file__
