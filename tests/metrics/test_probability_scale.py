"""Percent and log-odds as probabilities: recognized by values and names, or one question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax

from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import to_probabilities

P = np.array([0.031, 0.5, 0.87])
LOG_ODDS = np.log(P / (1 - P))


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (pd.Series(P, name="score"), "probability"),
        (pd.Series(100 * P, name="pct_churn"), "percent"),
        (pd.Series(100 * P, name="churnPercent"), "percent"),
        (pd.Series(100 * P, name="p (%)"), "percent"),
        (["3.1%", "50 %", " 87%"], "percent"),
        (["3,1%", "50,0 %", "87 %"], "percent"),
        (["0,031", "0,5", ".87"], "probability"),
        (pd.Series(LOG_ODDS, name="log_odds"), "logit"),
        (pd.Series(LOG_ODDS, name="LogOdds_yes"), "logit"),
        (pd.Series(LOG_ODDS, name="margin"), "logit"),
    ],
)
def test_a_scale_is_recognized_by_values_or_names(values: object, scale: str) -> None:
    found = to_probabilities(values)
    assert found.scale == scale
    np.testing.assert_allclose(found.proba, P, atol=1e-12)
    assert bool(found.notes) == (scale != "probability")


@pytest.mark.parametrize(
    ("values", "name", "question"),
    [
        ([-4.2, 3.1], "score", 'pass scale="logit" if it holds log-odds, or calibrate it first'),
        ([3.0, 97.0], "score", 'pass scale="percent" if it holds percent'),
        ([3.0, 640.0], "score", "or calibrate it first"),
        ([3.0, 640.0], "pct", "goes from 3 to 640, outside [0, 1]"),
        ([0.5, -0.1], "percent", 'scale="logit"'),
    ],
)
def test_other_values_are_asked_about_in_one_sentence(values: list[float], name: str, question: str) -> None:
    with pytest.raises(DataError) as raised:
        to_probabilities(values, name=name)
    assert question in str(raised.value)
    assert str(raised.value).count(". ") == 0


def test_a_scale_that_is_passed_wins() -> None:
    np.testing.assert_allclose(to_probabilities([0.2, 0.9], scale="percent").proba, [0.002, 0.009])
    np.testing.assert_allclose(to_probabilities([0.2, 0.9], scale="logit").proba, expit([0.2, 0.9]))
    with pytest.raises(DataError, match=r"outside \[0, 100\], so they are not in percent"):
        to_probabilities([0.2, 900], scale="percent")
    with pytest.raises(DataError, match=r"outside \[0, 1\]"):
        to_probabilities([0.2, 90], scale="probability")
    with pytest.raises(ParameterError, match="Did you mean 'percent'"):
        to_probabilities([0.2], scale="procent")


def test_a_name_that_the_values_contradict_is_noted() -> None:
    found = to_probabilities([0.1, 0.9], name="pct")
    assert found.scale == "probability"
    assert 'pass scale="percent"' in found.notes[0]


def test_log_odds_of_classes_are_told_from_the_arguments_of_a_softmax() -> None:
    proba = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    np.testing.assert_allclose(to_probabilities(np.log(proba / (1 - proba)), scale="logit").proba, proba)
    scores = np.array([[2.0, -1.0, 0.5], [800.0, 1.0, 0.0]])
    np.testing.assert_allclose(to_probabilities(scores, scale="logit").proba, softmax(scores, axis=1))


def test_rows_rounded_to_a_few_digits_are_divided_by_their_sums() -> None:
    found = to_probabilities(np.array([[33.3, 33.3, 33.3], [20.0, 30.0, 50.0]]), scale="percent")
    np.testing.assert_allclose(found.proba.sum(axis=1), 1.0)
    assert "rounded to 3 digits" in found.notes[1]
    wrong = np.array([[0.3, 0.3, 0.1]])
    np.testing.assert_array_equal(to_probabilities(wrong).proba, wrong)


def test_extreme_log_odds_and_missing_values_stay_what_they_are() -> None:
    np.testing.assert_array_equal(to_probabilities([-np.inf, np.nan, np.inf], scale="logit").proba, [0, np.nan, 1])
    assert np.isnan(to_probabilities(["", None, "NA"]).proba).all()
    assert to_probabilities([-900.0, 900.0], scale="logit").proba.tolist() == [0.0, 1.0]


def test_text_that_is_no_number_is_an_error() -> None:
    with pytest.raises(DataError, match="column 'p' must hold probabilities; got 'high'"):
        to_probabilities(pd.Series(["0.1", "high"], name="p"))
    with pytest.raises(DataError, match="write all of them the same way"):
        to_probabilities(["10%", "0.2"])


def test_rounding_beyond_one_is_no_question_but_more_is() -> None:
    assert to_probabilities(np.array([-1e-7, 1.0000001])).proba.tolist() == [0.0, 1.0]
    with pytest.raises(DataError, match=r"go from 0.5 to 1.00001, outside \[0, 1\]"):
        to_probabilities([0.5, 1.00001])
