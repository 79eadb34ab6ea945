"""scikit-learn's contract of the calibrated classifier: its own checks with nothing excused, routing, company."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.wrapped_classifiers import Recording, yes_no_rows

from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import CalibrantWarning
from calibrant.trees import ProbabilityTreeClassifier


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
@parametrize_with_checks(
    [
        CalibratedClassifier(LogisticRegression()),
        CalibratedClassifier(LogisticRegression(), "platt", method="decision_function", cv=3),
        CalibratedClassifier(LogisticRegression(), "platt", ensemble=True, cv=3),
        CalibratedClassifier(ProbabilityTreeClassifier(), cv=3),
        CalibratedClassifier(GaussianNB(), cv="train"),
    ]
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.long
def test_no_check_is_skipped_if_scipy_supports_the_array_api(check_statuses):
    imports = "from sklearn.linear_model import LogisticRegression; "
    imports += "from calibrant.calibration import CalibratedClassifier as C"
    assert check_statuses(imports, "C(LogisticRegression())") == "{'passed'}"


@pytest.fixture(scope="module")
def rows():
    return yes_no_rows()


def test_weights_and_parameters_of_fit_reach_the_base_estimator_with_its_rows(rows):
    X, y = rows
    weight, mark = np.arange(1, 301.0), np.arange(300)
    model = CalibratedClassifier(Recording(), "platt", ensemble=True, cv=[(np.arange(200), np.arange(200, 300))])
    seen = model.fit(X, y, weight, mark=mark).estimators_[0].seen_
    np.testing.assert_array_equal(seen["sample_weight"], weight[:200])
    np.testing.assert_array_equal(seen["mark"], mark[:200])


def test_an_estimator_without_weights_is_fitted_with_a_warning(rows):
    with pytest.warns(CalibrantWarning, match="does not take sample_weight"):
        CalibratedClassifier(KNeighborsClassifier(), "platt").fit(*rows, sample_weight=np.ones(300))


def test_metadata_goes_where_it_was_requested(rows):
    X, y = rows
    groups, weight = np.repeat(np.arange(10), 30), np.r_[np.zeros(150), np.ones(150)]
    with sklearn.config_context(enable_metadata_routing=True):
        base = Recording().set_fit_request(sample_weight=False, mark=True)
        model = CalibratedClassifier(base, "platt", cv=GroupKFold(2))
        model.fit(X, y, sample_weight=weight, groups=groups, mark=np.arange(300))
    seen = model.estimator_.seen_
    assert seen["n"] == 300
    assert seen["sample_weight"] is None
    assert len(seen["mark"]) == 300


def test_groups_stay_together(rows):
    X, y = rows
    groups = np.repeat(np.arange(10), 30)
    with sklearn.config_context(enable_metadata_routing=True):
        model = CalibratedClassifier(LogisticRegression(), "platt", cv=GroupKFold(5), ensemble=True)
        routed = model.fit(X, y, groups=groups).held_out_
    by_hand = CalibratedClassifier(
        LogisticRegression(), "platt", cv=list(GroupKFold(5).split(X, y, groups)), ensemble=True
    )
    np.testing.assert_array_equal(routed.scores, by_hand.fit(X, y).held_out_.scores)


def test_it_is_searched_pickled_and_put_into_pipelines(rows):
    X, y = rows
    model = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), "platt", cv=2))
    search = GridSearchCV(model, {"calibratedclassifier__estimator__C": [0.1, 1.0]}, cv=2).fit(X, y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))
    assert clone(again).get_params()["calibratedclassifier__calibrator"] == "platt"
