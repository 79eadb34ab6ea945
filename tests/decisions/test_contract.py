"""scikit-learn's contract for the estimators of `decisions`: its own checks with nothing excused."""

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
from sklearn.utils.fixes import parse_version
from tests.wrapped_classifiers import Recording, yes_no_rows

from calibrant.decisions import CostSensitiveClassifier, HeckmanRegressor, MetaCostClassifier, ThresholdClassifier
from calibrant.exceptions import CalibrantWarning, ParameterError


def wrong_before_1_7(estimator):
    """Name checks that make two classes of three by the first row, which differs between the sets they compare."""
    is_wrong = isinstance(estimator, ThresholdClassifier) and parse_version(sklearn.__version__) < parse_version("1.7")
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return dict.fromkeys(names, "a bug of scikit-learn 1.6, fixed in 1.7") if is_wrong else {}


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
@parametrize_with_checks(
    [
        CostSensitiveClassifier(GaussianNB()),
        CostSensitiveClassifier(LogisticRegression(), when="train"),
        CostSensitiveClassifier(GaussianNB(), when="train", how="resample"),
        CostSensitiveClassifier(GaussianNB(), when="train", how="reject", n_models=2),
        MetaCostClassifier(GaussianNB(), n_bags=3),
        ThresholdClassifier(LogisticRegression(), cv=2),
        HeckmanRegressor(),
    ],
    expected_failed_checks=wrong_before_1_7,
)
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.long
def test_no_check_is_skipped_if_scipy_supports_the_array_api(check_statuses):
    imports = "from sklearn.naive_bayes import GaussianNB as G; "
    imports += (
        "from calibrant.decisions import CostSensitiveClassifier as C, HeckmanRegressor as H, MetaCostClassifier as M"
    )
    assert check_statuses(imports, "C(G()), M(G(), n_bags=2), H()") == "{'passed'}"


@pytest.fixture(scope="module")
def rows():
    return yes_no_rows()


def test_costs_and_weights_are_multiplied_and_parameters_of_fit_reach_the_base_estimator(rows):
    X, y = rows
    model = CostSensitiveClassifier(Recording(), [[0, 1], [4, 0]], when="train")
    seen = model.fit(X, y, np.full(300, 2.0), mark="here").estimator_.seen_
    ratio = seen["sample_weight"][y == "yes"][0] / seen["sample_weight"][y == "no"][0]
    assert ratio == pytest.approx(4)
    assert seen["sample_weight"].sum() == pytest.approx(600)
    assert seen["mark"] == "here"


def test_an_estimator_without_weights_can_be_trained_on_resampled_rows_only(rows):
    with pytest.raises(ParameterError, match="how='resample'"):
        CostSensitiveClassifier(KNeighborsClassifier(), [[0, 1], [4, 0]], when="train").fit(*rows)
    for how in ("resample", "reject"):
        model = CostSensitiveClassifier(KNeighborsClassifier(), [[0, 1], [4, 0]], when="train", how=how, n_models=3)
        assert set(model.fit(*rows).predict(rows[0])) == {"yes", "no"}


def test_an_estimator_without_weights_is_fitted_with_a_warning(rows):
    with pytest.warns(CalibrantWarning, match="does not take sample_weight: the weights are ignored"):
        CostSensitiveClassifier(KNeighborsClassifier()).fit(*rows, sample_weight=np.ones(300))


def test_metadata_goes_where_it_was_requested(rows):
    X, y = rows
    with sklearn.config_context(enable_metadata_routing=True):
        base = Recording().set_fit_request(sample_weight=False, mark=True)
        model = ThresholdClassifier(base, cv=GroupKFold(2))
        model.fit(X, y, groups=np.repeat(np.arange(10), 30), mark=np.arange(300))
        plain = CostSensitiveClassifier(base).fit(X, y, mark=np.arange(300))
    assert len(model.estimator_.seen_["mark"]) == len(plain.estimator_.seen_["mark"]) == 300


def test_they_work_in_grid_search_pickles_and_pipelines(rows):
    X, y = rows
    model = make_pipeline(StandardScaler(), CostSensitiveClassifier(LogisticRegression(), [[0, 1], [4, 0]]))
    search = GridSearchCV(model, {"costsensitiveclassifier__when": ["predict", "train"]}, cv=2).fit(X, y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))  # noqa: S301
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert clone(again).get_params()["costsensitiveclassifier__costs"] == [[0, 1], [4, 0]]
