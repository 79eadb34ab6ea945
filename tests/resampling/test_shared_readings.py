"""Methods that read one fit in several ways, and their calibrated versions, share it and predict as each alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from calibrant.calibration import CalibratedClassifier, Platt
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.exceptions import ParameterError
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.resampling._internal import Experiment
from calibrant.resampling._trials.families import group_families
from calibrant.trees import ProbabilityTreeClassifier

LENGTHS = (1, 3, 12)
BOOSTED = {
    "trees": BoostedTreesClassifier(max_depth=3),
    "resampled with a seed": BoostedTreesClassifier(min_leaf=5, random_state=1),
    "reweighted": BoostedTreesClassifier(resample=False, min_leaf=20, algorithm="real"),
    "stumps": BoostedStumpsClassifier(),
    "real stumps": BoostedStumpsClassifier(algorithm="real", criterion="gini"),
}


def make_rows(n_classes: int = 2) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(240, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0] + np.abs(X[:, 1])) + rng.normal(size=240)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X, y, rng.integers(1, 4, 240).astype(float)


def with_calibrated(readings: Sequence[Any], **params: Any) -> dict[str, Any]:
    maps = [CalibratedClassifier(each, name, cv=3, **params) for name in ("platt", "isotonic") for each in readings]
    return {str(number): each for number, each in enumerate([*readings, *maps])}


def lengths_of(boosted: Any, **params: Any) -> dict[str, Any]:
    return with_calibrated([clone(boosted).set_params(n_trees=n) for n in LENGTHS], **params)


def count_fits(methods: dict[str, Any]) -> tuple[int, int]:
    found = Experiment.read(methods, *make_rows()[:2]).sharing(CrossValidation(2))
    return found.n_fits, found.n_fits_without


def predictions(methods: dict[str, Any], *, weighted: bool = False, n_classes: int = 2) -> list[Any]:
    X, y, weights = make_rows(n_classes)
    plan = CrossValidation(2, random_state=0)
    experiment = Experiment.read(methods, X, y, ["mse"], sample_weight=weights if weighted else None)
    trials = list(experiment.trials(plan, seed=5, tests_training=True))
    return [[t.predictions for t in trials if t.method == method] for method in range(len(methods))]


@pytest.fixture
def n_fits(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Count the fits of boosted trees, bagged trees and Gaussian naive Bayes."""
    fitted: list[Any] = []

    def count(cls: type, name: str) -> None:
        fit = getattr(cls, name)
        monkeypatch.setattr(cls, name, lambda self, *args, **kw: fitted.append(self) or fit(self, *args, **kw))

    count(BoostedTreesClassifier, "_fit_coded")
    count(GaussianNB, "fit")
    count(BaggedTreesClassifier, "_grow_coded")
    return fitted


@pytest.mark.sample(2)
@pytest.mark.filterwarnings("ignore:.*boosting stops:calibrant.exceptions.CalibrantWarning")
@pytest.mark.parametrize("name", BOOSTED)
def test_boosting_read_at_every_step_is_each_length_fitted_alone(name: str) -> None:
    methods = lengths_of(BOOSTED[name])
    assert [family.positions for family in group_families(methods)] == [tuple(range(9))]
    together, weighted = predictions(methods), predictions(methods, weighted=True)
    for number, (key, each) in enumerate(methods.items()):
        assert np.array_equal(together[number], predictions({key: each})[0])
        if number % 3 == 1:
            assert np.array_equal(weighted[number], predictions({key: each}, weighted=True)[0])


@pytest.mark.filterwarnings("ignore:.*boosting stops:calibrant.exceptions.CalibrantWarning")
def test_three_classes_are_read_alike() -> None:
    methods = lengths_of(BoostedStumpsClassifier(algorithm="samme"))
    alone = [predictions({name: each}, n_classes=3)[0] for name, each in methods.items()]
    assert all(map(np.array_equal, predictions(methods, n_classes=3), alone))


@pytest.mark.filterwarnings("ignore:.*boosting stops:calibrant.exceptions.CalibrantWarning")
def test_readings_and_maps_share_one_fit_and_those_of_the_folds(n_fits: list[Any]) -> None:
    methods = lengths_of(BOOSTED["trees"])
    predictions(methods)
    assert len(n_fits) == 2 * (1 + 3)  # of two splits
    assert count_fits(methods) == (2 * (1 + 3), 2 * (3 + 6 * (1 + 3)))
    assert {each.n_trees for each in n_fits} == {12}


@pytest.mark.parametrize(
    ("estimator", "n_expected"),
    [(GaussianNB(), 1 + 3), (BaggedTreesClassifier(n_trees=3, random_state=0), 2 + 3)],
)
def test_maps_of_one_estimator_share_its_folds(estimator: Any, n_expected: int, n_fits: list[Any]) -> None:
    X, y, _ = make_rows()
    methods, plan = with_calibrated([estimator]), CrossValidation(2, random_state=0)
    together = estimate_performance(methods, np.nan_to_num(X), y, plan, ["mse"])
    assert len(n_fits) == 2 * n_expected
    for name, each in methods.items():
        alone = estimate_performance({name: each}, np.nan_to_num(X), y, plan, ["mse"])
        assert np.array_equal(together.pooled(name).y_pred, alone.pooled(name).y_pred)


@pytest.mark.parametrize("estimator", [SVC(), make_pipeline(StandardScaler(), SVC(kernel="linear"))])
def test_margins_are_shared_too(estimator: Any) -> None:
    X, y, _ = make_rows()
    methods = with_calibrated([clone(estimator)]) | {"again": CalibratedClassifier(clone(estimator), "beta", cv=4)}
    methods |= {"proba": CalibratedClassifier(clone(estimator), "platt", method="decision_function", cv=3)}
    assert len(group_families(methods)) == 1
    plan = CrossValidation(2, random_state=0)
    together = estimate_performance(methods, np.nan_to_num(X), y, plan, ["mse"])
    for name, each in methods.items():
        alone = estimate_performance({name: each}, np.nan_to_num(X), y, plan, ["mse"])
        assert np.array_equal(together.pooled(name).y_pred, alone.pooled(name).y_pred)


class FailsLate(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A logistic function of a column; more than two steps fail on fewer than 100 rows, such as those of a fold."""

    _READING = frozenset({"n_steps"})

    def __init__(self, n_steps: int = 1) -> None:
        self.n_steps = n_steps

    def fit(self, X: Any, y: Any) -> FailsLate:  # noqa: ARG002
        if self.n_steps > 2 and len(y) < 100:
            raise ValueError("the weights became infinite")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-np.nan_to_num(X[:, 0])))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @classmethod
    def _family_head(cls, members: Sequence[Any]) -> Any:
        return max(members, key=lambda member: member.n_steps)

    def _predict_readings(self, X: Any, members: Sequence[Any]) -> list[Any]:
        return [self.predict_proba(X) for _ in members]


def test_a_fold_that_fails_late_leaves_shorter_readings_what_they_are_alone() -> None:
    X, y, _ = make_rows()
    methods = with_calibrated([FailsLate(1), FailsLate(3)])
    experiment, plan = Experiment.read(methods, X, y, ["mse"]), CrossValidation(2, random_state=0)
    trials = list(experiment.trials(plan, seed=5, errors="record"))
    assert {trial.method for trial in trials if trial.error} == {3, 5}
    alone = Experiment.read({"short": CalibratedClassifier(FailsLate(1), "platt", cv=3)}, X, y, ["mse"])
    expected = [trial.predictions for trial in alone.trials(plan, seed=5)]
    assert np.array_equal([trial.predictions for trial in trials if trial.method == 2], expected)


def test_calibrated_trees_are_a_family_apart_from_trees() -> None:
    tree = ProbabilityTreeClassifier()
    methods = with_calibrated([tree]) | {"m": ProbabilityTreeClassifier(estimate="m")}
    assert [family.positions for family in group_families(methods)] == [(0, 3), (1, 2)]


def test_a_subclass_may_predict_otherwise() -> None:
    class Reversed(BoostedStumpsClassifier):
        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X)[:, ::-1]

    assert len(group_families({"a": Reversed(n_trees=2), "b": Reversed(n_trees=3)})) == 2


def test_a_reading_that_is_none_raises_as_alone() -> None:
    methods = {"one": BoostedStumpsClassifier(n_trees=2), "none": BoostedStumpsClassifier(n_trees=0)}
    with pytest.raises(ParameterError, match="n_trees must be an int >= 1; got 0"):
        predictions(methods)


def test_rows_of_weight_0_are_left_to_each_alone() -> None:
    X, y, weights = make_rows()
    weights[::7] = 0
    methods, plan = with_calibrated([SVC()]), CrossValidation(2, random_state=0)
    together = estimate_performance(methods, np.nan_to_num(X), y, plan, ["mse"], sample_weight=weights)
    for name, each in methods.items():
        alone = estimate_performance({name: each}, np.nan_to_num(X), y, plan, ["mse"], sample_weight=weights)
        assert np.array_equal(together.pooled(name).y_pred, alone.pooled(name).y_pred)


def test_a_map_that_fails_does_not_stop_the_other_members(n_fits: list[Any]) -> None:
    X, y, _ = make_rows()
    base = BoostedTreesClassifier(n_trees=3, max_depth=2, random_state=0)
    methods = {"raw": base, "platt": CalibratedClassifier(base, "platt", cv=3)}
    methods["bad"] = CalibratedClassifier(base, Failing(), cv=3)
    trials = list(Experiment.read(methods, X, y, ["mse"]).trials(CrossValidation(2), errors="record"))
    assert [bool(trial.error) for trial in trials] == [False, False, True] * 2
    assert "no map today" in trials[2].error
    assert len(n_fits) == 2 * (1 + 3)


class Failing(Platt):
    def _fit_rows(self, rows: Any) -> Any:  # noqa: ARG002
        raise ValueError("no map today")


def test_an_estimator_without_get_params_fails_in_its_own_trial() -> None:
    class Bare:
        _estimator_type = "classifier"
        fit = predict = predict_proba = None

        def __sklearn_tags__(self) -> Any:
            return GaussianNB().__sklearn_tags__()

    X, y, _ = make_rows()
    experiment = Experiment.read({"bare": Bare(), "bayes": GaussianNB()}, np.nan_to_num(X), y, ["mse"])
    trials = list(experiment.trials(CrossValidation(2), errors="record"))
    assert [bool(trial.error) for trial in trials] == [True, False] * 2


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored:UserWarning")
def test_folds_of_a_splitter_are_shared_where_they_are_equal() -> None:
    splitters = [StratifiedKFold(3), StratifiedKFold(3), GroupKFold(3)]
    methods = {str(i): CalibratedClassifier(GaussianNB(), "platt", cv=cv) for i, cv in enumerate(splitters)}
    X, y, _ = make_rows()
    groups, plan = np.arange(240) % 12, CrossValidation(2, random_state=0)
    experiment = Experiment.read(methods, np.nan_to_num(X), y, ["mse"], groups=groups)
    assert len(experiment.families(plan)) == 1
    for trial in experiment.trials(plan):
        alone = Experiment.read({"one": methods[str(trial.method)]}, np.nan_to_num(X), y, ["mse"], groups=groups)
        assert np.array_equal(trial.predictions, next(iter(alone.trials(plan, splits=[trial.split]))).predictions)
