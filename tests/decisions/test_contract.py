"""scikit-learn's contract of everything in `decisions` that is fitted: its own checks with nothing excused."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.decisions import CostSensitiveClassifier, HeckmanRegressor
from calibrant.trees import ProbabilityTreeClassifier


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
@parametrize_with_checks(
    [
        CostSensitiveClassifier(LogisticRegression()),
        CostSensitiveClassifier(ProbabilityTreeClassifier()),
        CostSensitiveClassifier(GaussianNB(), when="train"),
        CostSensitiveClassifier(LogisticRegression(), when="train", how="resample"),
        CostSensitiveClassifier(LogisticRegression(), when="train", how="reject", n_models=2),
        HeckmanRegressor(),
    ]
)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
