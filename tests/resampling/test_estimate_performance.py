"""Performance estimated by plans: the figures of scikit-learn and of the tests, for classifiers and regressors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from joblib import parallel_config
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from calibrant.comparison import corrected_resampled_t_test
from calibrant.data import load
from calibrant.exceptions import CalibrantWarning, DataError, DataTypeError, ParameterError
from calibrant.metrics import aulc, avll, evaluate, mse
from calibrant.resampling import (
    AcrossGroups,
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Nested,
    RepeatedHoldout,
    Resubstitution,
    SmallerTraining,
    TimeOrderedHoldout,
    estimate_performance,
    learning_curve,
)
from calibrant.trees import ProbabilityTreeClassifier

X, Y = load_iris(return_X_y=True)
NUMBERS, TARGET = load_diabetes(return_X_y=True)
TREE = ProbabilityTreeClassifier()


def test_the_values_of_every_split_are_those_of_scikit_learn() -> None:
    plan = CrossValidation(5, 2)
    found = estimate_performance(TREE, X, Y, plan, ["accuracy", "log_loss"])
    theirs = cross_validate(TREE, X, Y, cv=plan, scoring=["accuracy", "neg_log_loss"])
    np.testing.assert_allclose(found.split_values("accuracy"), theirs["test_accuracy"])
    np.testing.assert_allclose(found.split_values("log_loss"), -theirs["test_neg_log_loss"], rtol=1e-10)


@pytest.mark.parametrize("backend", [None, "threading", pytest.param("loky", marks=pytest.mark.long)])
def test_the_scores_of_any_classifier_are_those_of_scikit_learn(backend: str | None) -> None:
    """Starting processes takes seconds, so that threads take their place in the everyday run."""
    models = {"bayes": GaussianNB(), "line": make_pipeline(StandardScaler(), LogisticRegression())}
    with parallel_config(backend or "sequential"):
        n_jobs = None if backend is None else 2
        found = estimate_performance(models, X, Y, KFold(3, shuffle=True, random_state=0), ["mse"], n_jobs=n_jobs)
    for name, model in models.items():
        theirs = cross_validate(model, X, Y, cv=KFold(3, shuffle=True, random_state=0), scoring="neg_brier_score")
        np.testing.assert_allclose(found.split_values("mse", name), -theirs["test_score"], rtol=1e-10)


def test_pooled_predictions_are_those_of_cross_val_predict() -> None:
    plan = CrossValidation(4)
    pooled = estimate_performance(GaussianNB(), X, Y, plan, ["mse"]).pooled()
    order = np.argsort(pooled.row)
    np.testing.assert_array_equal(pooled.row[order], np.arange(150))
    theirs = cross_val_predict(GaussianNB(), X, Y, cv=plan, method="predict_proba")
    np.testing.assert_allclose(pooled.y_pred[order], theirs)
    assert pooled.to_frame().columns.tolist() == ["row", "split", "y_true", "p(0)", "p(1)", "p(2)"]


def test_regressors_are_scored_by_the_errors_of_table_5_8() -> None:
    plan = CrossValidation(5)
    found = estimate_performance({"line": LinearRegression(), "ridge": Ridge()}, NUMBERS, TARGET, plan)
    theirs = cross_validate(Ridge(), NUMBERS, TARGET, cv=plan, scoring=["neg_mean_absolute_error"])
    values = found.split_values("mean_absolute_error", "ridge")
    np.testing.assert_allclose(values, -theirs["test_neg_mean_absolute_error"])
    assert found.mean("relative_root_mean_squared_error", "line") < 1
    assert found.pooled("line").y_pred.shape == (len(TARGET),)


def test_relative_errors_use_the_mean_of_the_training_rows() -> None:
    found = estimate_performance(LinearRegression(), NUMBERS, TARGET, Holdout(), ["relative_squared_error"])
    train, test = next(Holdout().split(NUMBERS, TARGET))
    predicted = LinearRegression().fit(NUMBERS[train], TARGET[train]).predict(NUMBERS[test])
    by_hand = ((predicted - TARGET[test]) ** 2).sum() / ((TARGET[train].mean() - TARGET[test]) ** 2).sum()
    assert found.mean("relative_squared_error") == pytest.approx(by_hand)


def squared(y_true: Any, y_proba: Any) -> float:
    """A metric of a range that only its author knows."""
    return mse(y_true, y_proba)


def test_the_interval_by_splits_of_an_unknown_range_is_that_of_the_corrected_resampled_t_test() -> None:
    found = estimate_performance(TREE, X, Y, CrossValidation(10, 10), [squared], interval="splits")
    values = found.split_values("squared")
    test = corrected_resampled_t_test(values, np.zeros(100), n_train=135, n_test=15, k=10)
    score = found.score("squared")
    assert (score.low, score.high) == pytest.approx((test.low, test.high))


def test_repeats_of_scikit_learn_do_not_count_as_further_splits_either() -> None:
    plan = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    found = estimate_performance(TREE, X, Y, plan, [squared], interval="splits")
    test = corrected_resampled_t_test(found.split_values("squared"), np.zeros(20), n_train=120, n_test=30, k=5)
    assert found.score("squared").high == pytest.approx(test.high)


def test_the_interval_by_splits_of_repeated_holdouts_counts_every_repeat() -> None:
    found = estimate_performance(TREE, X, Y, RepeatedHoldout(8), [squared], interval="splits")
    test = corrected_resampled_t_test(found.split_values("squared"), np.zeros(8), n_train=100, n_test=50)
    assert found.score("squared").high == pytest.approx(test.high)


@pytest.mark.parametrize("plan", [Resubstitution(), AcrossGroups()], ids=str)
def test_there_is_no_interval_where_none_holds(plan: Any) -> None:
    found = estimate_performance(TREE, X, Y, plan, ["error"], groups=np.arange(150) % 2)
    assert found.score("error").low is None


def test_one_regression_split_has_an_interval_by_its_rows() -> None:
    score = estimate_performance(LinearRegression(), NUMBERS, TARGET, TimeOrderedHoldout(), ["correlation"]).score(
        "correlation"
    )
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.value < score.high


def by_formula(test: float, train: float, guess: float) -> float:
    """Efron & Tibshirani (1997), equations 24, 28 to 32."""
    capped = min(test, guess)
    overfitting = (capped - train) / (guess - train) if capped > train else 0.0
    more = (capped - train) * 0.368 * 0.632 * overfitting / (1 - 0.368 * overfitting)
    return 0.368 * train + 0.632 * test + more


@pytest.mark.parametrize("model", [GaussianNB(), DecisionTreeClassifier(random_state=0)], ids=str)
def test_632_and_632_plus_follow_their_formulas(model: Any) -> None:
    y = np.where(np.random.default_rng(1).random(150) < 0.3, 2 - Y, Y)
    test, train = [], []
    for drawn, out_of_bag in Bootstrap632(6).split(X, y):
        model.fit(X[drawn], y[drawn])
        test.append((model.predict(X[out_of_bag]) != y[out_of_bag]).mean())
        train.append((model.predict(X[drawn]) != y[drawn]).mean())
    plain = estimate_performance(model, X, y, Bootstrap632(6), ["error"]).mean("error")
    assert plain == pytest.approx(0.632 * np.mean(test) + 0.368 * np.mean(train))
    predicted = model.fit(X, y).predict(X)  # .632+ takes the training error and that of guessing from all rows
    of_all, guess = (predicted != y).mean(), (predicted[:, None] != y[None, :]).mean()
    plus = estimate_performance(model, X, y, Bootstrap632(6, plus=True), ["error"]).mean("error")
    assert plus == pytest.approx(by_formula(np.mean(test), of_all, guess))


def test_632_plus_takes_the_training_error_of_a_stump_from_the_fit_on_all_rows_of_iris() -> None:
    """By scikit-learn and by hand: three classes of 50, a stump finds one of them, so 1/3 and 2/3 by guessing."""
    iris, species = load_iris(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    tested = []
    for drawn, out_of_bag in Bootstrap632(50).split(iris, species):
        stump.fit(iris[drawn], species[drawn])
        tested.append(1 - stump.score(iris[out_of_bag], species[out_of_bag]))
    found = estimate_performance(stump, iris, species, Bootstrap632(50, plus=True), ["error", "accuracy"])
    assert found.mean("error") == pytest.approx(by_formula(np.mean(tested), 1 / 3, 2 / 3), rel=1e-12)
    assert found.mean("accuracy") == pytest.approx(1 - found.mean("error"), rel=1e-12)


def test_632_plus_of_a_nested_plan_and_of_smaller_training_takes_one_fit_on_all_rows() -> None:
    methods = {"bayes": GaussianNB(), "memory": KNeighborsClassifier(1)}
    for plan in (Nested(Bootstrap632(4, plus=True)), SmallerTraining(Bootstrap632(4, plus=True), 0.5)):
        found = estimate_performance(methods, X, Y, plan, ["error"])
        assert np.isfinite(found.values).all()
        assert found.n_splits == 4
        assert len(found.choices) in (0, 4)
    assert estimate_performance(TREE, X, Y, Bootstrap632(1, plus=True), ["error"]).score("error").low is None


def test_632_plus_takes_no_correlation_for_that_of_guessing() -> None:
    rows, target, plan = NUMBERS[:80], TARGET[:80], Bootstrap632(6, plus=True)
    test, train, plus = (
        estimate_performance(LinearRegression(), rows, target, each, ["correlation"]).mean("correlation")
        for each in (list(plan.split(rows)), Resubstitution(), plan)
    )
    assert 1 - plus == pytest.approx(by_formula(1 - test, 1 - train, 1.0))


def test_632_takes_weights_numbers_and_several_methods() -> None:
    weight = np.random.default_rng(0).choice([1.0, 2.0], len(TARGET))
    models = {"line": LinearRegression(), "ridge": Ridge()}
    found = estimate_performance(models, NUMBERS, TARGET, Bootstrap632(3, plus=True), sample_weight=weight)
    assert np.isfinite(found.values).all()


def test_a_warning_names_a_method_that_takes_no_weights() -> None:
    with pytest.warns(CalibrantWarning, match="KNeighborsClassifier: fit does not take sample_weight"):
        estimate_performance(KNeighborsClassifier(), X, Y, 3, ["error"], sample_weight=np.arange(1, 151))


def test_weights_reach_a_step_of_a_pipeline_by_metadata_routing() -> None:
    weight = np.random.default_rng(0).integers(1, 4, 150)
    with sklearn.config_context(enable_metadata_routing=True):
        step = GaussianNB().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        piped = estimate_performance(make_pipeline(scaler, step), X, Y, 3, ["mse"], sample_weight=weight)
    alone = estimate_performance(GaussianNB(), X, Y, 3, ["mse"], sample_weight=weight)
    np.testing.assert_allclose(piped.values, alone.values, rtol=1e-6)


def test_a_classifier_without_probabilities_has_certain_probabilities() -> None:
    found = estimate_performance(LinearSVC(), X, Y == 1, CrossValidation(3), ["accuracy", "log_loss"])
    theirs = cross_validate(LinearSVC(), X, Y == 1, cv=CrossValidation(3))
    np.testing.assert_allclose(found.split_values("accuracy"), theirs["test_score"])
    assert found.mean("log_loss") == math.inf


def test_a_precomputed_kernel_is_cut_to_the_training_rows() -> None:
    found = estimate_performance(SVC(kernel="precomputed"), X @ X.T, Y, CrossValidation(3), ["accuracy"])
    theirs = estimate_performance(SVC(kernel="linear"), X, Y, CrossValidation(3), ["accuracy"])
    np.testing.assert_allclose(found.values, theirs.values)


def test_a_nested_plan_cuts_a_precomputed_kernel_too() -> None:
    plan = Nested(CrossValidation(3), CrossValidation(2))
    found = estimate_performance(SVC(kernel="precomputed"), X @ X.T, Y, plan, ["accuracy"])
    alone = estimate_performance(SVC(kernel="linear"), X, Y, CrossValidation(3), ["accuracy"])
    np.testing.assert_allclose(found.values, alone.values)


class OneColumn(GaussianNB):  # type: ignore[misc]
    """Returns the probability of the last class only."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, -1:]


def test_predict_proba_must_return_a_column_for_each_class() -> None:
    with pytest.raises(DataError, match=r"OneColumn.predict_proba must return a column for each of 3 classes"):
        estimate_performance(OneColumn(), X, Y, 3, ["error"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_every_library_have_the_same_values(frame: Any) -> None:
    columns = {f"x{j}": X[:, j] for j in range(4)}
    found = estimate_performance(TREE, frame(columns), Y, CrossValidation(3), ["mse"])
    np.testing.assert_array_equal(found.values, estimate_performance(TREE, X, Y, CrossValidation(3), ["mse"]).values)


def test_groups_reach_the_plan_and_foreign_splitters() -> None:
    groups = np.arange(150) // 5
    found = estimate_performance(TREE, X, Y, GroupKFold(3), ["error"], groups=groups)
    assert found.n_test.tolist() == [50, 50, 50]
    assert found.plan == "GroupKFold(n_splits=3, random_state=None, shuffle=False)"


def test_splits_may_be_pairs_of_rows() -> None:
    found = estimate_performance(TREE, X, Y, [(np.arange(0, 150, 2), np.arange(1, 150, 2))], ["error"])
    assert (found.n_splits, found.n_train[0]) == (1, 75)


def test_priors_are_those_of_the_training_rows() -> None:
    train, test = np.arange(100), np.arange(100, 150)
    y = np.where(np.arange(150) % 3 == 0, 1, 0)
    y[:20] = 1
    found = estimate_performance(
        ProbabilityTreeClassifier(estimate="frequency"), X, y, [(train, test)], ["avll", "aulc"]
    )
    p = ProbabilityTreeClassifier(estimate="frequency").fit(X[train], y[train]).predict_proba(X[test])
    prior = np.bincount(y[train]) / 100
    assert found.mean("avll") == pytest.approx(avll(y[test], p, prior=prior), rel=1e-12)
    assert found.mean("aulc") == pytest.approx(aulc(y[test], p, prior=prior), rel=1e-12)


def test_metrics_may_be_functions_and_have_keywords_by_row() -> None:
    gifts = np.arange(150.0)
    y = (Y == 1).astype(int)
    found = estimate_performance(
        GaussianNB(),
        X,
        y,
        CrossValidation(3),
        {"profit": None, "rows": lambda y, _: float(len(y))},
        metric_params={"profit": {"amount": gifts, "cost": 0.68}},
    )
    assert found.split_values("rows").tolist() == [50.0, 50.0, 50.0]
    assert np.isfinite(found.split_values("profit")).all()


def test_each_nested_split_tests_the_method_that_its_validation_rows_chose() -> None:
    methods = {"base rate": DummyClassifier(strategy="prior"), "bayes": GaussianNB()}
    plan = Nested(CrossValidation(4), CrossValidation(3))
    found = estimate_performance(methods, X, Y, plan, ["log_loss", "error"])
    assert found.choices == ("bayes",) * 4
    alone = estimate_performance(GaussianNB(), X, Y, CrossValidation(4), ["log_loss", "error"])
    np.testing.assert_array_equal(found.values, alone.values)
    assert "Chosen, number of splits: bayes 4." in repr(found)


def test_a_nested_choice_on_noise_is_no_better_than_chance() -> None:
    rng = np.random.default_rng(3)
    noise, coin = rng.random((120, 3)), np.array([0, 1] * 60)
    methods = {str(k): ProbabilityTreeClassifier(min_leaf=k) for k in (2, 3, 5, 8, 13, 21)}
    found = estimate_performance(methods, noise, coin, Nested(CrossValidation(5)), ["error"], choose_by="error")
    assert abs(found.mean("error") - 0.5) < 4 * 0.5 / math.sqrt(120)


def test_a_learning_curve_has_a_performance_for_each_size() -> None:
    curve = learning_curve({"bayes": GaussianNB()}, X, Y, CrossValidation(3), ["error"], sizes=[0.2, 50, 1.0])
    assert curve.sizes == (20.0, 50.0, 100.0)
    full = estimate_performance(GaussianNB(), X, Y, CrossValidation(3), ["error"])
    np.testing.assert_array_equal(curve.performances[-1].values, full.values)
    assert curve.means("error").shape == (3,)
    assert repr(curve).startswith("Learning curve by 3-fold cross-validation, stratified\n  rows  bayes error\n")
    assert curve.to_frame()["n_train"].tolist() == [20.0, 50.0, 100.0]


def test_a_metric_that_is_undefined_in_a_split_is_noted_and_left_out_of_the_mean() -> None:
    found = estimate_performance(GaussianNB(), X[:100], Y[:100], LeaveOneOut(), ["auc", "error"])
    assert math.isnan(found.mean("auc"))
    assert "auc: without a value in 100 of 100 splits; no interval: it has no value in any split." in repr(found)
    pooled = found.pooled()
    assert evaluate(pooled.y_true, pooled.y_pred, metrics=["auc"], confidence=None)["auc"].value == 1.0


def test_several_methods_are_printed_in_one_table_with_notes() -> None:
    donors = load("appeal")
    methods = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "m")}
    found = estimate_performance(methods, donors.X, donors.y, RepeatedHoldout(3), ["mse", "auc"])
    lines = repr(found).splitlines()
    assert lines[0].startswith("Performance by 3 times holdout of 33 % of the rows, stratified: 1,500 rows, 3 splits")
    assert [line.split()[0] for line in lines[1:4]] == ["mse", "laplace", "m"]
    assert lines[4] == "Intervals at 95 % for rows drawn anew, by the losses of the tested rows."
    by_splits = estimate_performance(methods, donors.X, donors.y, RepeatedHoldout(3), ["mse"], interval="splits")
    assert "Nadeau & Bengio" in repr(by_splits)
    assert "<table>" in found._repr_html_()


def test_frames_have_a_row_for_each_method_and_metric_or_for_each_split() -> None:
    found = estimate_performance({"a": GaussianNB(), "b": TREE}, X, Y, CrossValidation(3), ["mse", "error"])
    assert found.to_frame().columns.tolist() == ["method", "metric", "mean", "sd", "low", "high", "n_splits"]
    by_split = found.to_frame(by="split")
    assert by_split.columns.tolist() == ["split", "name", "n_train", "n_test", "method", "mse", "error"]
    assert len(by_split) == 6
    np.testing.assert_allclose(
        by_split.groupby("method")["mse"].mean(), [found.mean("mse", "a"), found.mean("mse", "b")]
    )


def test_smaller_training_of_a_bootstrap_is_still_a_632_bootstrap() -> None:
    plan = SmallerTraining(Bootstrap632(3), 0.5)
    plain = estimate_performance(TREE, X, Y, plan, ["error"])
    assert plain.mean("error") < estimate_performance(TREE, X, Y, list(plan.split(X, Y)), ["error"]).mean("error")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: estimate_performance({}, X, Y), ParameterError, "at least one method"),
        (lambda: estimate_performance(GaussianNB, X, Y), DataTypeError, "must be an estimator with fit and predict"),
        (lambda: estimate_performance([GaussianNB(), Ridge()], X, Y), DataTypeError, "classifiers and regressors"),
        (lambda: estimate_performance(StandardScaler(), X, Y), DataTypeError, "must be an estimator"),
        (lambda: estimate_performance(TREE, X, Y, "folds"), ParameterError, r"plan must be '10', '10x3'"),
        (lambda: estimate_performance(TREE, X, Y, metrics=["acuracy"]), ParameterError, "Did you mean 'accuracy'"),
        (lambda: estimate_performance(TREE, X, Y, metrics=["ks"]), ParameterError, "pass pos_label="),
        (lambda: estimate_performance(TREE, X, Y, metrics=["profit"]), ParameterError, "'profit' needs"),
        (lambda: estimate_performance(TREE, X, Y, confidence=1.5), ParameterError, "confidence"),
        (lambda: estimate_performance(TREE, X, Y, pos_label=7), ParameterError, "pos_label is 7"),
        (lambda: estimate_performance(Ridge(), X, np.append(Y[1:], np.nan)), DataError, "finite numbers"),
        (lambda: estimate_performance(TREE, X, Y, Nested(), choose_by="auc", metrics=["mse"]), ParameterError, "auc"),
        (lambda: estimate_performance([TREE, TREE], X, Y, 3).mean("mse"), ParameterError, "method must be specified"),
        (lambda: estimate_performance(TREE, X, Y, 3).mean("mes"), ParameterError, "Did you mean 'mse'"),
        (lambda: learning_curve(TREE, X, Y, sizes=[1.5]), ParameterError, "sizes must be shares"),
    ],
)
def test_errors_name_what_is_wrong(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
