"""Kinds of weights in bands and intervals, and the warning of weights that are no frequencies."""

import numpy as np
import pytest

from calibrant.curves import decision_curve, reliability
from calibrant.decisions import profit
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.metrics import evaluate

RANDOM = np.random.default_rng(0)
PROBA = RANDOM.random(400).round(2)
Y = (RANDOM.random(400) < PROBA).astype(int)
SUM_1 = np.full(400, 1 / 400)


@pytest.mark.parametrize("method", ["fixed", "equal_mass", "corp"])
@pytest.mark.parametrize("bands", ["consistency", "honest"])
def test_bands_of_equal_probability_weights_are_those_without_weights(method, bands):
    options = {"method": method, "bands": bands, "n_resamples": 50}
    weighted = reliability(Y, PROBA, sample_weight=SUM_1, weight_kind="probability", **options)
    plain = reliability(Y, PROBA, **options)
    for name in ("lower", "upper"):
        np.testing.assert_allclose(getattr(weighted.band, name), getattr(plain.band, name), atol=1e-9)
    np.testing.assert_allclose(weighted.weight, plain.weight / 400)


def test_unequal_probability_weights_widen_the_band():
    weight = RANDOM.choice([1.0, 9.0], 400)
    narrow, wide = (
        reliability(Y, PROBA, bands="honest", sample_weight=weight, weight_kind=kind).band
        for kind in ("frequency", "probability")
    )
    assert (wide.upper - wide.lower).mean() > 1.3 * (narrow.upper - narrow.lower).mean()


@pytest.mark.parametrize(
    "measure",
    [
        lambda kind: evaluate(Y, PROBA, metrics=["auc"], sample_weight=SUM_1, weight_kind=kind),
        lambda kind: reliability(Y, PROBA, bands="consistency", sample_weight=SUM_1, weight_kind=kind),
        lambda kind: decision_curve(Y, PROBA, confidence=0.95, n_boot=20, sample_weight=SUM_1, weight_kind=kind),
        lambda kind: profit(Y, PROBA, [[0, -1], [0, 5]], n_boot=20, sample_weight=SUM_1, weight_kind=kind),
    ],
    ids=["evaluate", "reliability", "decision_curve", "profit"],
)
def test_intervals_warn_of_weights_that_sum_to_one_unless_they_are_probabilities(measure):
    with pytest.warns(CalibrantWarning, match=r"400 rows sums to 1"):
        measure("frequency")
    measure("probability")


def test_nothing_is_said_of_weights_without_intervals():
    evaluate(Y, PROBA, metrics=["auc"], sample_weight=SUM_1, confidence=None)
    reliability(Y, PROBA, sample_weight=SUM_1)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="weight_kind must be"):
        reliability(Y, PROBA, weight_kind="survey")


def test_rows_of_next_to_no_weight_are_left_out() -> None:
    """Their weights round to 0, of which no frequency is made."""
    rng = np.random.default_rng(0)
    proba, weight = rng.random(90), np.where(np.arange(90) % 3 == 0, 1e-12, 1e6)
    y = rng.random(90) < proba
    curve = reliability(y, proba, method="corp", sample_weight=weight, weight_kind="probability")
    heavy = weight > 1.0
    assert curve.observed.tolist() == reliability(y[heavy], proba[heavy], method="corp").observed.tolist()
