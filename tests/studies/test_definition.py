"""The definition of a study: validation, documents, keys of trials."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from calibrant.data import load
from calibrant.ensembles import BPETsClassifier
from calibrant.exceptions import CalibrantError, ParameterError, StudyError
from calibrant.resampling import CrossValidation, Holdout, Nested
from calibrant.studies import Dataset, Grid
from calibrant.studies._definition.definition import StudyDefinition, define_study
from calibrant.studies._trials.records import PlannedTrials
from calibrant.trees import ProbabilityTreeClassifier

NB = {"nb": "sklearn.naive_bayes.GaussianNB"}


def half(*_: object) -> float:
    return 0.5


def define(**changes: object) -> StudyDefinition:
    arguments: dict[str, object] = {"datasets": ["iris"], "methods": NB, "plan": CrossValidation(3), "metrics": ["auc"]}
    return define_study(changes.pop("name", "s"), **(arguments | changes))


def stored(definition: StudyDefinition) -> StudyDefinition:
    document = json.loads(json.dumps(definition.document, allow_nan=False))
    assert document == definition.document
    return StudyDefinition.from_document(document)


def test_a_definition_comes_back_from_its_document() -> None:
    one = define(
        datasets={"a": "iris", "b": Dataset("nielsen.zoo", positive="mammal")},
        methods={"tree": Grid(ProbabilityTreeClassifier(), min_leaf=[1, 2]), "nb": GaussianNB()},
        metrics={"auc": None, "half": half},
        metric_params={"half": {}},
        seed=3,
        training_metrics=True,
        keep_predictions=True,
    )
    again = stored(one)
    assert again.document == one.document
    assert list(again.methods) == ["tree(min_leaf=1)", "tree(min_leaf=2)", "nb"]
    assert again.metrics == {"auc": None, "half": half}
    assert repr(again.plan) == repr(one.plan)
    assert again.group_digest("iris", "f", "nb") == one.group_digest("iris", "f", "nb")


def test_a_definition_with_an_opaque_method_can_be_read_but_not_run() -> None:
    class Mine(GaussianNB):
        pass

    again = stored(define(methods={"mine": Mine()}, metrics={"m": lambda *_: 0.0}))
    assert again.trial_methods == ("mine",)
    with pytest.raises(StudyError, match=r"methods.mine: Mine\(\) has no description"):
        _ = again.methods
    with pytest.raises(StudyError, match=r"metrics.m: <function"):
        _ = again.metrics


def test_a_method_that_cannot_be_told_apart_is_an_error() -> None:
    class Mine(GaussianNB):
        def __init__(self, lock: object = None) -> None:
            super().__init__()
            self.lock = lock

    with pytest.raises(StudyError, match=r"method 'mine': Mine.* can be neither described nor pickled"):
        define(methods={"mine": Mine(threading.Lock())})


def test_a_document_imports_nothing_before_it_is_used() -> None:
    document = define().document
    document["methods"][0]["method"] = {"class": "no_such_package.Model"}
    again = StudyDefinition.from_document(document)
    assert list(again.method_names) == ["nb"]
    with pytest.raises(StudyError, match=r"methods.nb.class: 'no_such_package.Model' cannot be imported"):
        _ = again.methods


def test_a_definition_can_be_pickled() -> None:
    for one in (define(), stored(define())):
        assert pickle.loads(pickle.dumps(one)).document == one.document  # noqa: S301


def test_a_damaged_or_newer_document_is_an_error() -> None:
    with pytest.raises(StudyError, match="damaged"):
        StudyDefinition.from_document({"version": 1, "name": "x"})
    with pytest.raises(StudyError, match="newer calibrant"):
        StudyDefinition.from_document(define().document | {"version": 99})


# --- keys of trials -----------------------------------------------------------------------------------------------


def key(definition: StudyDefinition, fingerprint: str = "f", split: int = 0) -> str:
    digests = {name: definition.group_digest("iris", fingerprint, name) for name in definition.trial_methods}
    (first, *_) = PlannedTrials("iris", (definition.trial_methods,), (split,), digests)
    return first.key


@pytest.mark.parametrize(
    "change",
    [
        {"methods": {"nb": GaussianNB(var_smoothing=0.1)}},
        {"plan": CrossValidation(4)},
        {"plan": CrossValidation(3, random_state=1)},
        {"seed": 1},
    ],
)
def test_the_key_changes_with_what_the_result_depends_on(change: dict[str, object]) -> None:
    assert key(define(**change)) != key(define())


def test_the_key_changes_with_rows_and_split() -> None:
    assert len({key(define()), key(define(), "g"), key(define(), split=1), key(define(), split=-1)}) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"metrics": ["mse", "auc"]},
        {"training_metrics": True},
        {"keep_predictions": True},
        {"datasets": ["iris", "wine"]},
        {"methods": {"nb": GaussianNB(), "b": GaussianNB(priors=[0.5, 0.25, 0.25])}},
    ],
)
def test_the_key_does_not_change_with_anything_else(change: dict[str, object]) -> None:
    assert key(define(**change)) == key(define())


def test_the_key_does_not_change_with_the_number_of_threads() -> None:
    keys = [key(define(methods={"f": BPETsClassifier(n_trees=5, n_jobs=n)})) for n in (1, 2)]
    assert keys[0] == keys[1]


@pytest.mark.long
def test_the_key_is_the_same_in_another_process() -> None:
    code = (
        "from calibrant.studies._definition.definition import define_study\n"
        "from calibrant.resampling import CrossValidation\n"
        "d = define_study('s', datasets=['iris'], methods={'nb': 'sklearn.naive_bayes.GaussianNB'},\n"
        "                 plan=CrossValidation(3), metrics=['auc'])\n"
        "print(d.group_digest('iris', 'f', 'nb') + '-0')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == key(define()) == "ade0057e5626433cbc6789dc-0"


def test_a_nested_plan_records_the_chosen_method_whose_key_is_of_all_candidates() -> None:
    plan = Nested(CrossValidation(3), Holdout())
    one = define(plan=plan, metrics=["auc", "mse"])
    assert one.trial_methods == ("chosen",)
    assert one.choose_by == "auc"
    more = define(plan=plan, metrics=["auc", "mse"], methods={**NB, "tree": ProbabilityTreeClassifier()})
    by_mse = define(plan=plan, metrics=["auc", "mse"], choose_by="mse")
    assert len({key(one), key(more), key(by_mse)}) == 3


# --- plans --------------------------------------------------------------------------------------------------------


def test_a_plan_without_a_random_state_takes_the_seed() -> None:
    assert define(plan=CrossValidation(3, random_state=None), seed=5).plan.random_state == 5
    assert define(plan=StratifiedKFold(3, shuffle=True), seed=5).plan.random_state == 5
    assert define(plan=ShuffleSplit(3), seed=5).plan.random_state == 5
    assert define(plan=Nested(CrossValidation(3, random_state=None)), seed=5).plan.outer.random_state == 5
    assert define(plan=KFold(3), seed=5).plan.random_state is None


def test_the_plan_that_was_passed_is_not_changed() -> None:
    plan = CrossValidation(3, random_state=None)
    define(plan=plan)
    assert plan.random_state is None


def test_a_plan_may_be_a_number_of_folds_or_pairs_of_rows() -> None:
    assert define(plan=4).plan.n_folds == 4
    assert define(plan=None).plan.n_folds == 10
    pairs = define(plan=[([0, 1], [2]), ([1, 2], [0])])
    assert stored(pairs).plan.describe() == "2 predefined splits"


# --- validation ---------------------------------------------------------------------------------------------------

BAD = [
    ({"name": ""}, "the name of a study must be text"),
    ({"name": 3}, "the name of a study must be text"),
    ({"name": "a\0b"}, "must have no NUL characters"),
    ({"methods": {"\ud800": GaussianNB()}}, "no unpaired surrogates"),
    ({"datasets": []}, "datasets is empty"),
    ({"datasets": {}}, "datasets is empty"),
    ({"datasets": "iris"}, "datasets must be a list"),
    ({"datasets": 3}, "datasets must be a list"),
    ({"datasets": ["irsi"]}, "data set 'irsi': 'irsi' is not a known data set. Did you mean 'iris'"),
    ({"datasets": ["no/such.csv"]}, r"data set 'such': there is no file .*no/such.csv"),
    ({"datasets": ["iris", "iris"]}, "two data sets are named 'iris'"),
    ({"datasets": [3]}, "source must be the name of a data set"),
    ({"datasets": {3: "iris"}}, "a name must be text"),
    ({"datasets": {"": "iris"}}, "a name must be text"),
    ({"datasets": {"a": Dataset("iris", name="b")}}, "is named 'b' by its Dataset"),
    ({"datasets": [([[1]], [1])]}, r"datasets\[0\] has no name"),
    ({"methods": {}}, "methods is empty"),
    ({"methods": [GaussianNB()]}, "methods must be a dict"),
    ({"methods": {"a": GaussianNB}}, r"write GaussianNB\(\)"),
    ({"methods": {"a": 3}}, "method 'a' must be an estimator"),
    ({"methods": {3: GaussianNB()}}, "a name must be text"),
    (
        {"methods": {"a": "sklearn.naive_bayes.GausianNB"}},
        "method 'a': sklearn.naive_bayes has no 'GausianNB'. Did you",
    ),
    ({"methods": {"a": "numpy.pi"}}, "method 'a' must be an estimator"),
    ({"methods": {"a": "calibrant.data.list_datasets"}}, "method 'a' must be an estimator"),
    ({"methods": {"a": [GaussianNB()]}}, "a list must hold grids"),
    ({"methods": {"a": GaussianNB(), "b": LinearRegression()}}, "classifiers and regressors"),
    (
        {"methods": {"a": Grid(GaussianNB(), var_smothing=[1])}},
        "method 'a': Grid: GaussianNB has no parameter 'var_smothing'. Did you",
    ),
    ({"methods": {"a": [Grid(GaussianNB(), var_smoothing=[1])] * 2}}, "their grids overlap"),
    ({"metrics": []}, "metrics is empty"),
    ({"metrics": ["acu"]}, "there is no metric 'acu'. Did you mean 'auc'"),
    ({"metrics": ["auc", "auc"]}, "'auc' is there twice"),
    ({"metrics": 3}, "metrics must be a list"),
    ({"metrics": {"x": 3}}, "must be a function"),
    ({"metrics": ["profit"]}, "'profit' needs amount, which data set 'iris' lacks"),
    ({"metric_params": {"mse": {}}}, "names 'mse', which is not in metrics: auc"),
    ({"metric_params": {"auc": {"averag": 1}}}, "'auc' has no keyword 'averag'. Did you mean 'average'"),
    ({"metric_params": {"auc": 3}}, "metric_params must be a dict"),
    ({"plan": "cv"}, "plan must be '10', '10x3'"),
    ({"plan": CrossValidation}, r"write CrossValidation\(\)"),
    ({"plan": CrossValidation(1)}, "plan: n_folds must be"),
    ({"plan": CrossValidation(3, random_state=np.random.default_rng(0))}, "random_state must be an int or None"),
    ({"choose_by": "auc"}, "choose_by is for a nested plan"),
    ({"plan": Nested(), "choose_by": "acu"}, "Did you mean 'auc'"),
    ({"plan": Nested(), "metrics": {"half": half}}, "is a function"),
    ({"seed": -1}, "seed must be"),
    ({"seed": "x"}, "seed must be"),
    ({"training_metrics": 1}, "training_metrics must be a bool"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=lambda each: str(each)[:60])
def test_a_wrong_definition_is_an_error_that_says_what_to_do(change: dict[str, object], message: str) -> None:
    with pytest.raises(CalibrantError, match=message):
        define(**change)


def test_names_may_be_any_unicode_text() -> None:
    one = define(name="étude ☃", datasets={"Blüten": "iris"}, methods={"Bäume 🌳": GaussianNB()})
    assert stored(one).document == one.document


def test_default_metrics_depend_on_the_methods() -> None:
    assert list(define(metrics=None).metrics) == ["error", "mse", "log_loss", "auc"]
    assert "correlation" in define(metrics=None, methods={"line": LinearRegression()}).metrics


def test_a_function_of_ours_is_the_metric_of_its_name() -> None:
    from calibrant.metrics import auc

    assert define(metrics=[auc]).metrics == {"auc": None}


# --- grids --------------------------------------------------------------------------------------------------------


def test_a_grid_names_its_configurations_in_order_the_last_parameter_fastest() -> None:
    grid = Grid(ProbabilityTreeClassifier(), min_leaf=[2, 1], estimate=["laplace", "m"])
    assert list(grid.configurations("t")) == [
        "t(min_leaf=2, estimate='laplace')",
        "t(min_leaf=2, estimate='m')",
        "t(min_leaf=1, estimate='laplace')",
        "t(min_leaf=1, estimate='m')",
    ]


def test_a_grid_sets_parameters_of_nested_estimators() -> None:
    from calibrant.calibration import CalibratedClassifier

    inner = ProbabilityTreeClassifier(min_leaf=7)
    grid = Grid(CalibratedClassifier(inner), {"estimator": [GaussianNB(), inner], "calibrator": ["platt"]})
    found = grid.configurations("c")
    assert [type(each.estimator).__name__ for each in found.values()] == ["GaussianNB", "ProbabilityTreeClassifier"]
    nested = Grid(CalibratedClassifier(inner), {"estimator__min_leaf": np.arange(1, 3)}).configurations("c")
    assert [each.estimator.min_leaf for each in nested.values()] == [1, 2]
    assert inner.min_leaf == 7


@pytest.mark.parametrize(
    ("arguments", "lists", "message"),
    [
        ((GaussianNB(),), {}, "pass at least one parameter"),
        ((GaussianNB(), 3), {}, "params must be a dict"),
        ((GaussianNB(),), {"priors": []}, "priors has no values"),
        ((GaussianNB(),), {"priors": "abc"}, r"Write priors=\[...\]"),
        ((GaussianNB(),), {"priors": 3}, "must be a list of values"),
        ((GaussianNB(), {"priors": [1]}), {"priors": [2]}, "passed twice"),
        ((GaussianNB(),), {"priors": range(10**6), "var_smoothing": range(10**6)}, "at most 100,000 are allowed"),
    ],
)
def test_a_wrong_grid_is_a_parameter_error(
    arguments: tuple[object, ...], lists: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Grid(*arguments, **lists)


def test_two_configurations_of_one_name_are_an_error() -> None:
    with pytest.raises(ParameterError, match="two configurations are nb"):
        Grid(GaussianNB(), var_smoothing=[0.1, 0.1]).configurations("nb")


def test_a_factory_function_is_called() -> None:
    copied = {"factory": "sklearn.base.clone", "params": {"estimator": {"class": "sklearn.naive_bayes.GaussianNB"}}}
    assert type(define(methods={"nb": copied}).methods["nb"]) is GaussianNB


def test_a_table_in_a_list_has_its_own_name() -> None:
    assert list(define(datasets=[load("iris")]).datasets) == ["iris"]
