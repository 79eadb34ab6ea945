"""Trials of an experiment: one engine whose results depend on nothing but the method, the split and the seed."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import MEstimate
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import mse
from calibrant.resampling import Bootstrap632, CrossValidation, LeaveOneOut, Nested, estimate_performance
from calibrant.resampling._internal import Experiment, MethodTrial, splitters
from calibrant.resampling._plans.plan import read_plan_rows
from calibrant.resampling._trials import experiment as split_source
from calibrant.resampling._trials.experiment import SplitSource
from calibrant.resampling._trials.families import open_seeds
from calibrant.trees import ProbabilityTreeClassifier

RNG = np.random.default_rng(11)
N = 80
TOWN = RNG.choice(["a", "b", "c"], N)
X = pd.DataFrame({"x": RNG.normal(size=N).round(1), "town": TOWN, "z": RNG.integers(0, 5, N)})
X.loc[RNG.random(N) < 0.1, "x"] = np.nan
Y = np.where(X["x"].fillna(0) + (TOWN == "a") + RNG.normal(size=N) > 0.5, "yes", "no")
NUMBERS = RNG.normal(size=(N, 3))
PLAN = CrossValidation(4)


def trees(**params: Any) -> dict[str, Any]:
    estimates = ("frequency", "laplace", "kernel_density", MEstimate(m="cv"))
    return {str(each): ProbabilityTreeClassifier(estimate=each, **params) for each in estimates}


FORESTS = {
    "b": BaggedTreesClassifier(n_trees=4, n_jobs=1),
    "eb": BaggedTreesClassifier(n_trees=4, out_of_bag="count"),
    "mob": BaggedTreesClassifier(n_trees=4, out_of_bag="condition", estimate="laplace"),
}
STUDIES: dict[str, tuple[dict[str, Any], Any]] = {
    "trees": (trees(), X),
    "table trees": ({name: ProbabilityTreeClassifier(estimate=name) for name in ("m", "laplace")}, X),
    "random ties": (trees(tie_break="random"), X),
    "honest": (trees(honest=True), X),
    "reduced error": (trees(prune="reduced_error"), X),
    "generator": (trees(honest=True, random_state=np.random.default_rng(3)), X),
    "forests": (FORESTS, X),
    "scikit-learn": (
        {
            "forest": RandomForestClassifier(5),
            "pipeline": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)),
            "bayes": GaussianNB(),
        },
        NUMBERS,
    ),
}


def equal(one: MethodTrial, other: MethodTrial) -> None:
    assert (one.split, one.method, one.seed, one.choice) == (other.split, other.method, other.seed, other.choice)
    np.testing.assert_array_equal(one.predictions, other.predictions)
    np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("plan", [PLAN, Bootstrap632(3), Nested(CrossValidation(3))], ids=["folds", "draws", "nested"])
def test_a_trial_depends_on_no_other_split_or_method(name: str, plan: Any) -> None:
    methods, table = STUDIES[name]
    whole = list(Experiment.read(methods, table, Y).trials(plan, seed=5))
    numbers = sorted({trial.split for trial in whole})
    for trial in whole[::3]:
        alone = Experiment.read(methods, table, Y).trials(plan, splits=[trial.split], seed=5)
        equal(trial, next(each for each in alone if each.method == trial.method))
    if not isinstance(plan, Nested):
        for position, (own, method) in enumerate(methods.items()):
            alone_of_family = Experiment.read({own: method}, table, Y).trials(plan, seed=5)
            by_position = Experiment.read(methods, table, Y).trials(plan, seed=5, positions=[position], splits=numbers)
            mine = [trial for trial in whole if trial.method == position]
            for trial, one, other in zip(mine, alone_of_family, by_position, strict=True):
                np.testing.assert_array_equal(trial.predictions, one.predictions)
                equal(trial, other)


def test_trials_come_split_by_split_and_in_the_order_of_the_methods() -> None:
    methods = {"bayes": GaussianNB(), **{name: ProbabilityTreeClassifier(estimate=name) for name in ("m", "laplace")}}
    found = [(each.split, each.method) for each in Experiment.read(methods, NUMBERS, Y).trials(PLAN, splits=[2, 0])]
    assert found == [(2, 0), (2, 1), (2, 2), (0, 0), (0, 1), (0, 2)]


def test_values_are_those_of_estimate_performance() -> None:
    methods = {"bayes": GaussianNB(), "tree": ProbabilityTreeClassifier()}
    found = estimate_performance(methods, NUMBERS, Y, PLAN, ["mse", "auc"])
    for trial in Experiment.read(methods, NUMBERS, Y, ["mse", "auc"]).trials(PLAN):
        np.testing.assert_array_equal(trial.values, found.values[trial.method, :, trial.split])


def test_an_open_seed_is_that_of_the_split_and_a_set_one_stays() -> None:
    methods = {"open": RandomForestClassifier(3), "set": RandomForestClassifier(3, random_state=4)}
    trials = Experiment.read(methods, NUMBERS, Y).trials(PLAN, seed=9)
    for trial in trials:
        train = next(pair[0] for number, pair in enumerate(PLAN.split(NUMBERS, Y)) if number == trial.split)
        seed = splitters.split_seed(9, trial.split) if trial.method == 0 else 4
        expected = RandomForestClassifier(3, random_state=seed).fit(NUMBERS[train], Y[train])
        np.testing.assert_array_equal(trial.predictions, expected.predict_proba(NUMBERS[trial.test]))
        assert trial.seed == (seed if trial.method == 0 else None)


def test_seeds_are_found_at_any_depth_and_differ_by_split() -> None:
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert open_seeds(pipeline) == ("decisiontreeclassifier__random_state",)
    seeds = [splitters.split_seed(0, number) for number in range(-1, 1000)]
    assert len(set(seeds)) == 1001
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert splitters.split_seed(1, 0) != splitters.split_seed(0, 0)


def test_without_a_seed_nothing_is_set() -> None:
    assert next(Experiment.read(RandomForestClassifier(2), NUMBERS, Y).trials(PLAN)).seed is None


class Failing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fails where the first training row is not row 0, which is in one test set only."""

    def __init__(self, error: type[BaseException] = RuntimeError) -> None:
        self.error = error

    def fit(self, X: Any, y: Any) -> Failing:
        if X[0, 0] != NUMBERS[0, 0]:
            raise self.error("row 0 is absent")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_method_that_fails_on_a_split_stops_nothing_else(n_jobs: int | None) -> None:
    methods = {"failing": Failing(), "bayes": GaussianNB(), "tree": ProbabilityTreeClassifier()}
    found = list(Experiment.read(methods, NUMBERS, Y, n_jobs=n_jobs).trials(PLAN, errors="record"))
    failed = [trial for trial in found if trial.error]
    assert len(found) == 12
    assert [trial.method for trial in failed] == [0]
    assert "RuntimeError: row 0 is absent" in failed[0].error
    assert "Traceback" in failed[0].error
    assert failed[0].values is None
    assert failed[0].predictions is None
    assert failed[0].n_train == 60


def test_by_default_an_error_is_raised() -> None:
    with pytest.raises(RuntimeError, match="row 0"):
        list(Experiment.read(Failing(), NUMBERS, Y).trials(PLAN))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_never_recorded(error: type[BaseException]) -> None:
    with pytest.raises(error):
        list(Experiment.read(Failing(error), NUMBERS, Y).trials(PLAN, errors="record"))


def test_a_metric_that_fails_is_recorded_for_its_method_alone() -> None:
    def fails_on_certainty(y: Any, proba: Any) -> float:
        if (proba == 1).any():
            raise ValueError("certain")
        return float(mse(y, proba))

    methods = {"certain": LinearSVC(), "smoothed": ProbabilityTreeClassifier()}
    found = list(Experiment.read(methods, NUMBERS, Y, {"mine": fails_on_certainty}).trials(PLAN, errors="record"))
    assert all("ValueError: certain" in trial.error for trial in found if trial.method == 0)
    assert not any(trial.error for trial in found if trial.method == 1)


@pytest.mark.parametrize(
    "methods",
    [
        {"bad": ProbabilityTreeClassifier(estimate="m", empty_leaf="nonsense"), "good": ProbabilityTreeClassifier()},
        {"bad": BaggedTreesClassifier(n_trees=3, estimate="nonsense"), "good": BaggedTreesClassifier(n_trees=3)},
        {"good": BaggedTreesClassifier(n_trees=3), "bad": BaggedTreesClassifier(n_trees=3, in_bag_counts="nonsense")},
    ],
    ids=["tree", "head of forests", "member of forests"],
)
def test_a_member_with_a_bad_parameter_does_not_stop_its_family(methods: dict[str, Any]) -> None:
    experiment = Experiment.read(methods, NUMBERS, Y)
    assert len(experiment.families(PLAN)) == 1
    names, good = list(methods), {"good": methods["good"]}
    expected = list(Experiment.read(good, NUMBERS, Y).trials(PLAN, seed=1))
    found = list(experiment.trials(PLAN, seed=1, errors="record"))
    for trial, other in zip([each for each in found if names[each.method] == "good"], expected, strict=True):
        np.testing.assert_array_equal(trial.predictions, other.predictions)
    assert all("ParameterError" in each.error for each in found if names[each.method] == "bad")


def test_a_nested_split_whose_candidate_fails_is_recorded() -> None:
    methods = {"failing": Failing(), "bayes": GaussianNB()}
    plan = Nested(CrossValidation(4), CrossValidation(2))
    found = list(Experiment.read(methods, NUMBERS, Y).trials(plan, errors="record"))
    assert [trial.split for trial in found] == [0, 1, 2, 3]
    assert all("row 0 is absent" in trial.error for trial in found)


def test_all_rows_are_trained_and_tested_on() -> None:
    plan = Bootstrap632(3, plus=True)
    found = list(Experiment.read(GaussianNB(), NUMBERS, Y, ["error"]).trials(plan, splits=[1, splitters.ALL_ROWS]))
    assert [trial.split for trial in found] == [1, splitters.ALL_ROWS]
    model = clone(GaussianNB()).fit(NUMBERS, Y)
    wrong = 1 - model.score(NUMBERS, Y)
    assert found[1].values == found[1].training_values == pytest.approx(wrong)
    shares = [np.mean(name == Y) * np.mean(model.predict(NUMBERS) != name) for name in ("no", "yes")]
    assert found[1].no_information == pytest.approx(sum(shares))
    assert found[0].training_values is found[0].no_information is None


def test_metrics_of_training_rows_are_computed_where_requested() -> None:
    trial = next(Experiment.read(GaussianNB(), NUMBERS, Y, ["error"]).trials(PLAN, tests_training=True))
    train, _ = next(PLAN.split(NUMBERS, Y))
    model = GaussianNB().fit(NUMBERS[train], Y[train])
    assert trial.training_values == pytest.approx(1 - model.score(NUMBERS[train], Y[train]))


def test_growth_is_timed_apart_from_what_a_trial_takes_alone() -> None:
    for methods in (FORESTS, {name: ProbabilityTreeClassifier(estimate=name) for name in ("m", "laplace")}):
        for trial in Experiment.read(methods, X, Y).trials(PLAN):
            assert trial.seconds.n_sharing == len(methods)
            assert trial.seconds.shared > 0
            assert trial.seconds.predict > 0
    alone = next(Experiment.read(GaussianNB(), NUMBERS, Y).trials(PLAN)).seconds
    assert (alone.shared, alone.n_sharing) == (0, 1)
    assert alone.fit > 0


def test_a_split_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ParameterError, match="has 4 splits; got number 4"):
        list(Experiment.read(GaussianNB(), NUMBERS, Y).trials(PLAN, splits=[4]))
    with pytest.raises(ParameterError, match="positions"):
        Experiment.read(GaussianNB(), NUMBERS, Y).trials(PLAN, positions=[1])
    with pytest.raises(DataError, match="n_folds"):
        list(Experiment.read(GaussianNB(), NUMBERS, Y).trials(CrossValidation(500), errors="record"))


def test_rows_of_weight_0_are_absent_from_every_split() -> None:
    weight = np.ones(N)
    weight[[3, 40]] = 0
    plan = splitters.read_plan([(np.arange(60), np.arange(60, N)), (np.arange(20, N), np.arange(20))])
    experiment = Experiment.read(GaussianNB(), NUMBERS, Y, sample_weight=weight)
    found = [next(experiment.trials(plan, splits=[number])) for number in (1, 0)]
    assert [trial.n_train for trial in found] == [59, 58]


def test_splits_of_leave_one_out_are_not_all_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_source, "_MAX_KEPT_BYTES", 100_000)
    n_rows = 1500  # all splits would take 18 MB
    source = SplitSource(LeaveOneOut(), read_plan_rows(np.zeros((n_rows, 1))))
    tracemalloc.start()
    for number in range(0, n_rows, 7):
        assert source.get(number)[1].tolist() == [number]
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert source.get(3)[1].tolist() == [3]


def test_threads_may_share_the_splits_of_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_source, "_MAX_KEPT_BYTES", 10_000)
    source = SplitSource(LeaveOneOut(), read_plan_rows(np.zeros((300, 1))))
    numbers = RNG.integers(0, 300, 200).tolist()
    with ThreadPoolExecutor(8) as pool:
        assert [test.tolist() for _, test in pool.map(source.get, numbers)] == [[number] for number in numbers]
