"""Estimators of scikit-learn, LightGBM and XGBoost in model files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.files.models import numbers, quiet, table, three_classes, two_classes

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import CalibrantError, MissingExtraError, ModelFileError

SKLEARN = (
    LogisticRegression(),
    SGDClassifier(),
    GaussianNB(),
    LinearDiscriminantAnalysis(),
    SVC(),
    MLPClassifier((4,), max_iter=5),
    DecisionTreeClassifier(max_depth=4),
    RandomForestClassifier(4),
    ExtraTreesClassifier(4),
    GradientBoostingClassifier(n_estimators=4),
    HistGradientBoostingClassifier(max_iter=4),
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(n_estimators=3),
    VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"),
    StackingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], cv=3),
    CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=3),
    make_pipeline(StandardScaler(), QuantileTransformer(n_quantiles=20), LogisticRegression()),
    make_pipeline(StandardScaler(), NaiveBayesClassifier()),
)


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "m.calibrant", **options)
    return calibrant.load_model(folder / "m.calibrant")


def scores(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.decision_function(X)


@pytest.mark.sample(3)
@pytest.mark.parametrize("y", [two_classes(), three_classes()], ids=["two", "three"])
@pytest.mark.parametrize("estimator", SKLEARN, ids=lambda each: type(each).__name__)
def test_a_scikit_learn_estimator_comes_back(estimator: Any, y: np.ndarray, tmp_path: Path) -> None:
    with quiet():
        model = clone(estimator).fit(numbers(), y)
    loaded = back(model, tmp_path)
    assert scores(loaded, numbers()).tobytes() == scores(model, numbers()).tobytes()
    assert loaded.predict(numbers()).tolist() == model.predict(numbers()).tolist()
    assert clone(loaded).get_params().keys() == clone(model).get_params().keys()


@pytest.mark.parametrize(
    "estimator", [RandomForestClassifier(3), SVC(), LogisticRegression()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("ensemble", [False, True])
def test_it_is_calibrated_as_before(estimator: Any, ensemble: bool, tmp_path: Path) -> None:
    with quiet():
        model = CalibratedClassifier(estimator, "platt", cv=3, ensemble=ensemble).fit(numbers(), two_classes())
    assert back(model, tmp_path).predict_proba(numbers()).tobytes() == model.predict_proba(numbers()).tobytes()


def test_a_pipeline_with_columns_of_a_frame_comes_back(tmp_path: Path) -> None:
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "c"]),
            ("town", OneHotEncoder(handle_unknown="ignore"), ["town"]),
        ]
    )
    model = make_pipeline(steps, LogisticRegression()).fit(table(), two_classes())
    loaded = back(CalibratedClassifier(model, "platt", cv="prefit").fit(table(), two_classes()), tmp_path)
    assert loaded.estimator_.predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()


def lightgbm_model(**options: Any) -> Any:
    return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=5, min_child_samples=5, verbose=-1, **options)


def xgboost_model(**options: Any) -> Any:
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=5, enable_categorical=True, **options)


def frame() -> Any:
    return table().astype({"town": "category"})


@pytest.mark.parametrize(
    "options", [{}, {"boosting_type": "dart"}, {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1}]
)
@pytest.mark.parametrize("y", [two_classes(), three_classes(), two_classes() == "yes"], ids=["two", "three", "bool"])
@pytest.mark.sample(4)
def test_lightgbm_comes_back(y: np.ndarray, options: dict[str, Any], tmp_path: Path) -> None:
    model = lightgbm_model(**options).fit(frame(), y)
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(frame()).tobytes() == model.predict_proba(frame()).tobytes()
    assert loaded.predict(frame()).tolist() == model.predict(frame()).tolist()
    assert loaded.classes_.dtype == model.classes_.dtype
    assert (loaded.feature_name_, loaded.n_features_in_) == (model.feature_name_, model.n_features_in_)
    assert clone(loaded).get_params() == clone(model).get_params()


@pytest.mark.parametrize(
    "options", [{}, {"booster": "dart"}, {"num_parallel_tree": 2}, {"max_cat_to_onehot": 9}], ids=str
)
@pytest.mark.parametrize("y", [two_classes(), three_classes()], ids=["two", "three"])
@pytest.mark.filterwarnings("ignore:.*`booster=dart` is deprecated")
def test_xgboost_comes_back(y: np.ndarray, options: dict[str, Any], tmp_path: Path) -> None:
    codes = np.unique(y, return_inverse=True)[1]
    model = xgboost_model(**options).fit(frame(), codes)
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(frame()).tobytes() == model.predict_proba(frame()).tobytes()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert str(clone(loaded).get_params()) == str(clone(model).get_params())


def test_a_calibrated_lightgbm_in_a_pipeline_comes_back(tmp_path: Path) -> None:
    pipeline = make_pipeline(StandardScaler(), lightgbm_model())
    with quiet():
        model = CalibratedClassifier(pipeline, "platt", cv=3).fit(numbers(), two_classes())
        loaded = back(model, tmp_path)
        assert loaded.predict_proba(numbers()).tobytes() == model.predict_proba(numbers()).tobytes()


class Own(ClassifierMixin, BaseEstimator):
    """A classifier that calibrant does not know."""

    def fit(self, X: Any, y: Any) -> Own:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.full((len(X), 2), 0.5)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Own(), r"estimator .*Own"),
        (make_pipeline(StandardScaler(), Own()), r"steps\[1\] .*Own"),
        (
            make_pipeline(StandardScaler(), KNeighborsClassifier()),
            r"steps\[1\] .*sklearn\.neighbors.*KNeighborsClassifier",
        ),
        (BaggingClassifier(Own(), n_estimators=2), r"\.estimator is of a class .*Own"),
    ],
    ids=["own", "in a pipeline", "not trusted", "in a bag"],
)
def test_any_other_is_refused_and_named_before_anything_is_written(
    estimator: Any, message: str, tmp_path: Path
) -> None:
    with quiet():
        model = CalibratedClassifier(estimator, "platt", cv=3).fit(numbers(), two_classes())
    with pytest.raises(ModelFileError, match=message):
        calibrant.save(model, tmp_path / "m.calibrant")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}),
        pd.DataFrame({"a": [1.0]}),
        pd.DataFrame({"b": [1.0, 2.0], "c": ["x", "y"]}),
        [[object(), {}]],
        np.array(3.0),
        None,
    ],
    ids=["words for numbers", "a column less", "another column", "objects", "no dimensions", "nothing"],
)
def test_a_loaded_pipeline_that_fails_at_a_row_raises_our_errors(rows: Any, tmp_path: Path) -> None:
    impute = ColumnTransformer([("numbers", SimpleImputer(), ["a", "b"])])
    X = pd.DataFrame(numbers()[:, :2], columns=["a", "b"])
    with quiet():
        model = CalibratedClassifier(make_pipeline(impute, LogisticRegression()), "platt", cv=3).fit(X, two_classes())
    calibrant.save(model, tmp_path / "m.calibrant")
    loaded = calibrant.load_model(tmp_path / "m.calibrant")
    with pytest.raises(CalibrantError, match="Pipeline cannot score these rows"):
        loaded.predict_proba(rows)


def test_catboost_is_refused_and_named(tmp_path: Path) -> None:
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostClassifier(iterations=2, verbose=0, allow_writing_files=False).fit(
        numbers(), two_classes()
    )
    with pytest.raises(ModelFileError, match="CatBoostClassifier"):
        calibrant.save(model, tmp_path / "m.calibrant")


def test_a_function_of_lightgbm_is_refused(tmp_path: Path) -> None:
    model = lightgbm_model(objective=lambda y, z: (z - y, np.ones_like(y))).fit(numbers(), two_classes() == "yes")
    with pytest.raises(ModelFileError, match="objective must be"):
        calibrant.save(model, tmp_path / "m.calibrant")


def test_linear_trees_of_lightgbm_are_refused(tmp_path: Path) -> None:
    model = lightgbm_model().set_params(linear_tree=True).fit(numbers(), two_classes())
    with pytest.raises(ModelFileError, match="linear_tree is a parameter of LightGBM that model files do not hold"):
        calibrant.save(model, tmp_path / "m.calibrant")


def test_skops_missing_is_a_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = LogisticRegression().fit(numbers(), two_classes())
    calibrant.save(model, tmp_path / "m.calibrant")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ModelFileError, match=r'pip install "calibrant\[files\]"'):
        calibrant.load_model(tmp_path / "m.calibrant")
    with pytest.raises(MissingExtraError, match=r'pip install "calibrant\[files\]"'):
        calibrant.save(model, tmp_path / "other.calibrant")
    assert not (tmp_path / "other.calibrant").exists()
