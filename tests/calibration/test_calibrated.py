"""A calibrated classifier takes scores from the right rows, fits its map to them and returns probabilities."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from calibrant.calibration import CalibratedClassifier, Platt
from calibrant.ensembles import BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.exceptions import CalibrantWarning, DataError, DataTypeError, ParameterError


def rows(n=300, n_classes=2, seed=0):
    return make_classification(n, 6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=seed)


def test_pooled_folds_are_scikit_learns_on_the_score():
    X, y = rows()
    folds = StratifiedKFold(3)
    ours = CalibratedClassifier(LinearSVC(random_state=0), Platt(on="score"), cv=folds).fit(X, y)
    theirs = CalibratedClassifierCV(LinearSVC(random_state=0), cv=folds, ensemble=False).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_an_ensemble_of_folds_is_scikit_learns_on_the_score():
    X, y = rows(n_classes=3)
    folds = StratifiedKFold(4)
    ours = CalibratedClassifier(LinearSVC(random_state=0), Platt(on="score"), cv=folds, ensemble=True).fit(X, y)
    theirs = CalibratedClassifierCV(LinearSVC(random_state=0), cv=folds, ensemble=True).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert len(ours.estimators_) == len(ours.calibrators_) == 4
    assert not hasattr(ours, "estimator_")


def test_held_out_scores_are_those_of_cross_validation():
    X, y = rows()
    model = CalibratedClassifier(GaussianNB(), "platt", cv=StratifiedKFold(5)).fit(X, y)
    expected = cross_val_predict(GaussianNB(), X, y, cv=StratifiedKFold(5), method="predict_proba")
    np.testing.assert_array_equal(model.held_out_.scores[:, 0], expected[:, 1])
    np.testing.assert_array_equal(model.held_out_.y, y)
    np.testing.assert_array_equal(model.estimator_.theta_, GaussianNB().fit(X, y).theta_)


def test_one_split_without_refitting_keeps_the_model_of_the_train_part():
    X, y = rows()
    split = StratifiedShuffleSplit(1, test_size=0.4, random_state=0)
    train, test = next(split.split(X, y))
    model = CalibratedClassifier(GaussianNB(), "platt", cv=split, refit=False).fit(X, y)
    np.testing.assert_array_equal(model.estimator_.theta_, GaussianNB().fit(X[train], y[train]).theta_)
    np.testing.assert_array_equal(model.held_out_.rows, np.sort(test))


def test_several_splits_without_refitting_raise():
    with pytest.raises(ParameterError, match="refit=False keeps the model of one split; cv has 5"):
        CalibratedClassifier(GaussianNB(), "platt", refit=False).fit(*rows())


@pytest.mark.parametrize("wrap", [lambda model: model, FrozenEstimator])
def test_a_fitted_model_is_calibrated_as_it_is(wrap):
    X, y = rows()
    fitted = wrap(GaussianNB().fit(X[:150], y[:150]))
    model = CalibratedClassifier(fitted, "platt", cv="prefit").fit(X[150:], y[150:])
    assert model.estimator_ is fitted
    expected = Platt().fit(fitted.predict_proba(X[150:])[:, 1], y[150:])
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], expected.predict(fitted.predict_proba(X)[:, 1]))


def test_a_frozen_model_in_folds_is_calibrated_on_all_rows():
    X, y = rows()
    frozen = FrozenEstimator(GaussianNB().fit(X[:150], y[:150]))
    folds = CalibratedClassifier(frozen, "platt").fit(X[150:], y[150:])
    prefit = CalibratedClassifier(frozen, "platt", cv="prefit").fit(X[150:], y[150:])
    np.testing.assert_allclose(folds.predict_proba(X), prefit.predict_proba(X))


def test_a_fitted_model_keeps_its_classes_where_the_calibration_rows_lack_one():
    X, y = rows(n_classes=3)
    fitted = GaussianNB().fit(X, y)
    with pytest.raises(DataError, match="got none of the class"):
        CalibratedClassifier(fitted, "platt", cv="prefit").fit(X[y < 2], y[y < 2])


def test_the_same_rows_twice_warn_but_for_naive_bayes():
    X, y = rows()
    own = CalibratedClassifier(GaussianNB(), "platt", cv="train").fit(X, y)
    np.testing.assert_array_equal(own.held_out_.scores[:, 0], GaussianNB().fit(X, y).predict_proba(X)[:, 1])
    with pytest.warns(CalibrantWarning, match="cv='train' fits the map to scores of the rows"):
        CalibratedClassifier(DecisionTreeClassifier(max_depth=3), "platt", cv="train").fit(X, y)


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(50, random_state=0),
        ExtraTreesClassifier(50, bootstrap=True, random_state=0),
        BaggingClassifier(n_estimators=50, random_state=0),
    ],
)
def test_out_of_bag_rows_have_the_scores_of_scikit_learns_forests(forest):
    X, y = rows()
    model = CalibratedClassifier(forest, "platt", cv="oob").fit(X, y)
    expected = model.estimator_.oob_decision_function_[:, 1]
    np.testing.assert_array_equal(model.held_out_.scores[:, 0], expected)
    assert not forest.oob_score


@pytest.mark.parametrize("forest", [BPETsClassifier, EBPETsClassifier, MOBESPClassifier])
def test_out_of_bag_rows_have_the_scores_of_our_forests(forest):
    X, y = rows(n_classes=3)
    model = CalibratedClassifier(forest(n_trees=30, random_state=0), "platt", cv="oob").fit(X, y)
    np.testing.assert_array_equal(model.held_out_.scores, model.estimator_.oob_proba_)


@pytest.mark.parametrize(
    "forest", [RandomForestClassifier(3, random_state=0), BaggingClassifier(n_estimators=3, random_state=0)]
)
def test_rows_in_every_bag_are_left_out(forest):
    X, y = rows(100)
    model = CalibratedClassifier(forest, "platt", cv="oob").fit(X, y)
    assert 50 < len(model.held_out_.rows) < 100
    np.testing.assert_array_equal(model.held_out_.y, y[model.held_out_.rows])


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GaussianNB(), "needs a forest with out-of-bag scores"),
        (ExtraTreesClassifier(), "ExtraTreesClassifier without"),
        (BPETsClassifier(bootstrap=None, n_trees=3), "needs a forest with bootstrap"),
    ],
)
def test_an_estimator_without_out_of_bag_scores_raises(estimator, message):
    with pytest.raises(ParameterError, match=message):
        CalibratedClassifier(estimator, "platt", cv="oob").fit(*rows())


def test_out_of_bag_scores_on_noise_do_not_see_the_class_of_their_row():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(1000, 3)), rng.integers(2, size=1000)
    held = CalibratedClassifier(EBPETsClassifier(n_trees=20, random_state=0), "platt", cv="oob").fit(X, y).held_out_
    assert abs(roc_auc_score(held.y, held.scores) - 0.5) < 0.1


def test_a_row_scored_by_several_models_counts_once():
    X, y = rows(100)
    held = CalibratedClassifier(GaussianNB(), "platt", cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=3)).fit(X, y)
    assert len(held.held_out_.rows) == 300
    assert held.held_out_.weight.sum() == pytest.approx(100)


def test_rows_of_weight_zero_are_as_if_absent():
    X, y = rows()
    weight = np.r_[np.ones(200), np.zeros(100)]
    for cv in (3, StratifiedKFold(3), "train"):
        without = CalibratedClassifier(GaussianNB(), "platt", cv=cv).fit(X[:200], y[:200], weight[:200])
        weighted = CalibratedClassifier(GaussianNB(), "platt", cv=cv).fit(X, y, weight)
        np.testing.assert_array_equal(weighted.predict_proba(X), without.predict_proba(X))


def test_pairs_refer_to_the_rows_as_passed():
    X, y = rows()
    weight = np.r_[np.zeros(100), np.ones(200)]
    pairs = [(np.arange(200), np.arange(200, 300)), (np.arange(150, 300), np.arange(150))]
    held = CalibratedClassifier(GaussianNB(), "platt", cv=pairs).fit(X, y, weight).held_out_
    without = [(np.arange(100), np.arange(100, 200)), (np.arange(50, 200), np.arange(50))]
    expected = CalibratedClassifier(GaussianNB(), "platt", cv=without).fit(X[100:], y[100:]).held_out_
    np.testing.assert_array_equal(held.scores, expected.scores)


def test_the_same_seed_gives_the_same_bits_for_any_number_of_jobs():
    X, y = rows()
    with parallel_config(backend="threading"):
        one, two = (CalibratedClassifier(GaussianNB(), "platt", n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    other = CalibratedClassifier(GaussianNB(), "platt", random_state=1).fit(X, y)
    assert (other.held_out_.scores != one.held_out_.scores).any()


def test_support_vector_machines_are_calibrated_by_their_margins():
    X, y = rows()
    model = CalibratedClassifier(SVC(), "platt").fit(X, y)
    assert model.calibrator_.on_ == "score"
    by_margin = CalibratedClassifier(LogisticRegression(), "platt", method="decision_function").fit(X, y)
    np.testing.assert_array_equal(by_margin.estimator_.decision_function(X) > 0, by_margin.estimator_.predict(X) == 1)
    assert by_margin.calibrator_.on_ == "score"
    with pytest.raises(ParameterError, match="with predict_proba; got SVC"):
        CalibratedClassifier(SVC(), "platt", method="predict_proba").fit(X, y)


def test_similarities_are_split_by_row_and_column():
    X, y = rows(150)
    by_rows = CalibratedClassifier(SVC(kernel="linear"), "platt").fit(X, y)
    by_pairs = CalibratedClassifier(SVC(kernel="precomputed"), "platt").fit(X @ X.T, y)
    np.testing.assert_allclose(by_pairs.predict_proba(X @ X.T), by_rows.predict_proba(X), atol=1e-4)


class OnlyFrames(GaussianNB):
    """A classifier that rejects anything but a frame with the columns a and b."""

    def fit(self, X, y, sample_weight=None):
        assert list(X.columns) == ["a", "b"]
        self.kind_ = type(X)
        return super().fit(X.to_numpy(), y, sample_weight)

    def predict_proba(self, X):
        assert type(X) is self.kind_
        return super().predict_proba(X.to_numpy())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_estimator_as_they_are(frame):
    X, y = rows()
    table = frame({"a": X[:, 0], "b": X[:, 1]})
    model = CalibratedClassifier(OnlyFrames(), "platt").fit(table, y)
    assert model.estimator_.kind_ is frame
    assert model.predict_proba(table).shape == (300, 2)


def test_arrow_tables_reach_our_trees_as_they_are():
    pa = pytest.importorskip("pyarrow")
    X, y = rows()
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    forest = BPETsClassifier(n_trees=5, random_state=0)
    arrow = CalibratedClassifier(forest, "platt").fit(table, y).predict_proba(table)
    np.testing.assert_array_equal(arrow, CalibratedClassifier(forest, "platt").fit(X[:, :2], y).predict_proba(X[:, :2]))


def test_sparse_rows_are_taken_where_the_estimator_takes_them():
    X, y = rows()
    dense = CalibratedClassifier(LogisticRegression(), "platt").fit(X, y)
    scarce = CalibratedClassifier(LogisticRegression(), "platt").fit(sparse.coo_array(X), y)
    np.testing.assert_allclose(scarce.predict_proba(X), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("names", [["no", "yes"], [False, True], [1.0, 2.0], [7, 3]])
def test_classes_come_back_as_passed(names):
    X, y = rows()
    model = CalibratedClassifier(GaussianNB(), "platt").fit(X, [names[code] for code in y])
    assert model.classes_.tolist() == sorted(names)
    assert set(model.predict(X).tolist()) == set(names)


def test_importances_are_those_of_the_base_model():
    X, y = rows()
    model = CalibratedClassifier(RandomForestClassifier(10, random_state=0), "platt", cv="oob").fit(X, y)
    np.testing.assert_array_equal(model.feature_importances_, model.estimator_.feature_importances_)
    assert not hasattr(CalibratedClassifier(GaussianNB(), "platt").fit(X, y), "feature_importances_")


def test_a_rare_class_lowers_the_number_of_folds():
    X, y = rows(100)
    y = np.where(np.arange(100) < 3, 2, y)
    with pytest.warns(CalibrantWarning, match=r"has 3 rows, fewer than cv=5 folds: 3 folds"):
        CalibratedClassifier(GaussianNB(), "platt").fit(X, y)
    with pytest.raises(DataError, match="has 1 row only"):
        CalibratedClassifier(GaussianNB(), "platt").fit(X, np.where(np.arange(100) < 1, 3, y))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cv": "loo"}, "cv must be an int >= 2, 'prefit', 'train', 'oob'"),
        ({"cv": 1}, "cv must be an int >= 2"),
        ({"cv": "oob", "ensemble": True}, "ensemble=True needs folds"),
        ({"calibrator": "plat"}, "Did you mean 'platt'"),
        ({"method": "predict"}, "method must be 'auto'"),
    ],
)
def test_invalid_parameters_raise(params, message):
    with pytest.raises(ParameterError, match=message):
        CalibratedClassifier(GaussianNB(), **params).fit(*rows())


@pytest.mark.parametrize("X", [np.array(3.0), 3.0, None])
def test_rows_without_dimensions_raise_our_error(X):
    with pytest.raises(DataTypeError, match="X must be a table of rows and columns"):
        CalibratedClassifier(GaussianNB()).fit(X, [0, 1])


def test_folds_that_lack_a_class_raise():
    X, y = rows()
    ordered = np.argsort(y, kind="stable")
    halves = [(ordered[:100], ordered[100:])]
    with pytest.raises(DataError, match="must have rows of every class"):
        CalibratedClassifier(GaussianNB(), "platt", cv=halves).fit(X, y)
