"""Oversampled rows: many exact copies of rows with continuous columns."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.calibration import CalibratedClassifier
from calibrant.data._internal import warn_of_copies
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import MEstimate
from calibrant.exceptions import CalibrantWarning
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 3))
Y = (X[:, 0] + RANDOM.normal(size=300) > 1).astype(int)
OVER = np.r_[np.arange(300), np.repeat(np.flatnonzero(Y == 1), 4)]
MESSAGE = r'rows are exact copies of others, .* groups= .* weight_kind="probability"'


@pytest.mark.parametrize(
    "table",
    [
        X[OVER],
        pd.DataFrame(X[OVER]),
        np.c_[X[OVER].round(2), RANDOM.integers(0, 2, 300)[OVER]],
        X[OVER, :1],
        X[OVER].tolist(),
    ],
    ids=["array", "frame", "rounded", "one column", "list"],
)
def test_oversampled_rows_get_a_warning(table):
    with pytest.warns(CalibrantWarning, match=MESSAGE):
        warn_of_copies(table, Y[OVER])


@pytest.mark.parametrize(
    "table",
    [
        X,
        RANDOM.integers(0, 3, (300, 3)).astype(float),
        RANDOM.integers(18, 90, (300, 1)).astype(float),
        X[:, :1].round(1),
        np.c_[X[:, :1].round(1), RANDOM.integers(0, 4, (300, 2))],
        np.full((300, 2), 0.123456),
        np.array(["a", "b", "c"])[RANDOM.integers(0, 3, (300, 2))],
    ],
    ids=["distinct", "counts", "ages", "rounded", "rounded and counts", "constant", "names"],
)
def test_rows_that_repeat_by_chance_get_none(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_copies(table, Y)


def test_columns_without_values_do_no_harm():
    table = np.c_[X[OVER], np.full(len(OVER), np.nan)]
    with pytest.warns(CalibrantWarning, match=MESSAGE):
        ProbabilityTreeClassifier(estimate=MEstimate("cv")).fit(table, Y[OVER])
    ProbabilityTreeClassifier(estimate=MEstimate("cv")).fit(np.full((300, 2), np.nan), Y)


def test_what_is_not_a_table_is_not_checked():
    warn_of_copies([[{}]] * 60, np.zeros(60, dtype=int))


def test_a_calibrated_classifier_warns_unless_groups_are_passed():
    with pytest.warns(CalibrantWarning, match=MESSAGE):
        CalibratedClassifier(GaussianNB(), "platt").fit(X[OVER], Y[OVER])
    CalibratedClassifier(GaussianNB(), "platt").fit(X[OVER], Y[OVER], groups=OVER)


def test_a_number_chosen_by_cv_warns_unless_groups_are_passed():
    with pytest.warns(CalibrantWarning, match=MESSAGE):
        ProbabilityTreeClassifier(estimate=MEstimate("cv")).fit(X[OVER], Y[OVER])
    ProbabilityTreeClassifier(estimate=MEstimate("cv")).fit(X[OVER], Y[OVER], groups=OVER)
    ProbabilityTreeClassifier().fit(X[OVER], Y[OVER])  # nothing is held out


def test_out_of_bag_probabilities_warn_unless_groups_are_passed():
    with pytest.warns(CalibrantWarning, match=MESSAGE):
        _ = BaggedTreesClassifier(n_trees=5).fit(X[OVER], Y[OVER]).oob_proba_
    _ = BaggedTreesClassifier(n_trees=5).fit(X[OVER], Y[OVER], groups=OVER).oob_proba_
