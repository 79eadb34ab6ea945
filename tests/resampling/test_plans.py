"""Plans split rows as documented, are scikit-learn splitters, and take groups, strata and seeds."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from calibrant.exceptions import DataError, LittleDataWarning, ParameterError, SchemaError
from calibrant.resampling import (
    AcrossGroups,
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Nested,
    Plan,
    RepeatedHoldout,
    Resubstitution,
    RollingOrigin,
    SmallerTraining,
    TimeOrderedHoldout,
    estimate_performance,
)

N = 60
X = np.arange(N, dtype=float)[:, None]
Y = np.array(["a", "a", "b"] * 20)
GROUPS = np.repeat(np.arange(12), 5)
PLANS: list[Plan] = [
    Holdout(),
    RepeatedHoldout(3),
    CrossValidation(4, 2),
    LeaveOneOut(),
    Bootstrap632(3),
    Bootstrap632(3, plus=True, stratified=True),
    Resubstitution(),
    TimeOrderedHoldout(),
    RollingOrigin(3),
    AcrossGroups(),
    AcrossGroups("others"),
    Nested(CrossValidation(3)),
    SmallerTraining(CrossValidation(3), 0.5),
]
each_plan = pytest.mark.parametrize("plan", PLANS, ids=str)
drawing = pytest.mark.parametrize("make", [Holdout, RepeatedHoldout, CrossValidation, Bootstrap632])


def pairs(plan: Any, y: Any = Y, groups: Any = None) -> list[tuple[list[int], list[int]]]:
    return [(train.tolist(), test.tolist()) for train, test in plan.split(X, y, groups)]


@each_plan
def test_the_number_of_splits_and_names_is_get_n_splits(plan: Plan) -> None:
    assert len(pairs(plan, groups=GROUPS)) == plan.get_n_splits(X, Y, GROUPS) == len(plan.split_names(X, Y, GROUPS))


@each_plan
def test_no_group_has_both_training_rows_and_test_rows(plan: Plan) -> None:
    if isinstance(plan, Resubstitution):
        return
    for train, test in plan.split(X, Y, GROUPS):
        assert set(GROUPS[train]) & set(GROUPS[test]) == set()


@each_plan
def test_the_same_seed_makes_the_same_splits(plan: Plan) -> None:
    assert pairs(plan, groups=GROUPS) == pairs(pickle.loads(pickle.dumps(plan)), groups=GROUPS)  # noqa: S301


@each_plan
def test_scikit_learn_accepts_every_plan(plan: Plan) -> None:
    found = cross_validate(DecisionTreeClassifier(), X, Y, cv=plan, groups=GROUPS)
    assert len(found["test_score"]) == plan.get_n_splits(X, Y, GROUPS)


@each_plan
def test_groups_reach_a_plan_by_metadata_routing(plan: Plan) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(DecisionTreeClassifier(), X, Y, cv=plan, params={"groups": GROUPS})
    assert len(found["test_score"]) == plan.get_n_splits(X, Y, GROUPS)


@each_plan
def test_every_plan_describes_itself_and_states_when_it_misleads(plan: Plan) -> None:
    assert plan.describe()
    assert plan.caution
    assert "When it misleads" in (type(plan).__doc__ or "")


def test_a_grid_search_accepts_a_plan() -> None:
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=CrossValidation(3)).fit(X, Y)
    assert search.n_splits_ == 3


@drawing
def test_another_seed_makes_other_splits(make: Any) -> None:
    assert pairs(make(random_state=0)) != pairs(make(random_state=1))


@drawing
def test_seeds_may_be_generators(make: Any) -> None:
    rng = [np.random.default_rng(5) for _ in range(2)]
    assert pairs(make(random_state=rng[0])) == pairs(make(random_state=rng[1]))


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.LittleDataWarning")
@given(st.lists(st.integers(0, 3), min_size=8, max_size=60), st.integers(2, 8), st.integers(0, 5))
def test_folds_are_even_in_rows_and_in_classes(y: list[int], n_folds: int, seed: int) -> None:
    tests = [test for _, test in CrossValidation(n_folds, random_state=seed).split([[0]] * len(y), y)]
    assert sorted(np.concatenate(tests)) == list(range(len(y)))
    sizes = [len(test) for test in tests]
    assert max(sizes) - min(sizes) <= 1
    for label in set(y):
        counts = [sum(y[row] == label for row in test) for test in tests]
        assert max(counts) - min(counts) <= 1


@given(st.lists(st.integers(0, 3), min_size=6, max_size=60), st.floats(0.1, 0.9), st.integers(0, 5))
def test_a_stratified_holdout_has_the_share_of_each_class_to_within_a_row(y: list[int], size: float, seed: int) -> None:
    _, test = next(iter(Holdout(size, random_state=seed).split([[0]] * len(y), y)))
    assert len(test) == min(max(1, round(size * len(y))), len(y) - 1)
    for label in set(y):
        share = y.count(label) * len(test) / len(y)
        assert abs(sum(y[row] == label for row in test) - share) < 1


def test_stratified_folds_are_as_stratified_as_those_of_scikit_learn() -> None:
    for _, test in CrossValidation(10).split(X, Y):
        assert np.bincount(Y[test] == "b").tolist() == [4, 2]


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.LittleDataWarning")
def test_repeats_differ_even_where_every_class_has_one_row() -> None:
    y = np.arange(N)
    found = pairs(CrossValidation(3, 2), y)
    assert found[:3] != found[3:]


def test_continuous_targets_do_not_stratify() -> None:
    y = np.linspace(0, 1, N) ** 2
    assert pairs(CrossValidation(3), y) == pairs(CrossValidation(3, stratified=False), y)


def test_grouped_folds_balance_the_classes() -> None:
    y = np.repeat([0, 0, 0, 1] * 3, 5)
    tests = [test for _, test in CrossValidation(3).split(X, y, GROUPS)]
    assert [int(y[test].sum()) for test in tests] == [5, 5, 5]


def test_a_bootstrap_draws_as_many_rows_as_there_are_and_tests_on_the_others() -> None:
    for train, test in Bootstrap632(20).split(X, Y):
        assert len(train) == N
        assert sorted({*train, *test}) == list(range(N))


def test_a_stratified_bootstrap_keeps_the_classes() -> None:
    assert all((Y[train] == "b").sum() == 20 for train, _ in Bootstrap632(5, stratified=True).split(X, Y))


def test_the_latest_rows_are_tested_and_equal_times_stay_together() -> None:
    time = [2020] * 30 + [2021] * 15 + [2022] * 15
    train, test = next(TimeOrderedHoldout(0.3, time=time, gap=5).split(X))
    assert test.tolist() == list(range(30, 60))
    assert train.tolist() == list(range(25))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_time_may_be_a_column(frame: Any) -> None:
    table = frame({"x": [1, 2, 3], "day": ["2024-03-01", "2024-01-01", "2024-02-01"]})
    train, test = next(TimeOrderedHoldout(1, time="day").split(table))
    assert (train.tolist(), test.tolist()) == ([1, 2], [0])


def test_the_error_for_a_misspelt_time_suggests_the_nearest_column() -> None:
    with pytest.raises(SchemaError, match=r"time='dya' is not a column of X. Did you mean 'day'\?"):
        next(TimeOrderedHoldout(time="dya").split(pd.DataFrame({"day": [1, 2]})))


def test_trained_in_new_york_and_tested_in_florida_and_vice_versa_p149() -> None:
    state = np.array(["New York"] * 40 + ["Florida"] * 20)
    plan = AcrossGroups()
    assert plan.split_names(X, Y, state) == ["New York -> Florida", "Florida -> New York"]
    (first, florida), (second, new_york) = plan.split(X, Y, state)
    assert set(state[first]) == set(state[new_york]) == {"New York"}
    assert set(state[second]) == set(state[florida]) == {"Florida"}


def test_one_pair_of_groups_can_be_requested() -> None:
    plan = AcrossGroups(train="New York", test="Florida")
    state = ["New York", "Florida", "Nebraska"]
    assert plan.split_names([[1]] * 3, groups=state) == ["New York -> Florida"]
    assert plan.get_n_splits(groups=state) == 1


def test_training_validation_and_test_rows_are_three_sets_p149() -> None:
    for parts in Nested(CrossValidation(4), CrossValidation(3)).split_three(X, Y, GROUPS):
        assert sorted(np.concatenate(parts)) == list(range(N))
        assert all(set(GROUPS[a]) & set(GROUPS[b]) == set() for a, b in [parts[:2], parts[1:], parts[::2]])


def test_smaller_training_sets_lie_within_larger_ones() -> None:
    few, many = (list(SmallerTraining(CrossValidation(3), size).split(X, Y)) for size in (10, 25))
    for (small, test), (large, same) in zip(few, many, strict=True):
        assert set(small) < set(large)
        assert (test == same).all()
        assert abs((Y[small] == "b").sum() - 10 / 3) <= 1


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (CrossValidation(61), "n_folds=61 is more than the 60 rows there are"),
        (Holdout(60), "test_size=60 leaves no training row of 60 rows"),
        (AcrossGroups(), "AcrossGroups needs groups= with at least 2 groups; got 0"),
        (SmallerTraining(Holdout(), 50), "train_size=50 is more than the 40 rows of a training set"),
    ],
)
def test_rows_that_cannot_be_split_raise(plan: Plan, words: str) -> None:
    with pytest.raises(DataError, match=words):
        list(plan.split(X, Y))


@pytest.mark.parametrize(
    "plan", [CrossValidation(1), Holdout(0.0), RepeatedHoldout(0), Bootstrap632(0), Nested(outer=1)]
)
def test_parameters_are_checked(plan: Plan) -> None:
    with pytest.raises(ParameterError):
        list(plan.split(X, Y))


def test_groups_need_one_name_a_row() -> None:
    with pytest.raises(DataError, match="groups has 3 rows, X 60"):
        list(CrossValidation(3).split(X, Y, [1, 2, 3]))


def test_a_plan_can_be_cloned_by_scikit_learn() -> None:
    assert repr(clone(CrossValidation(3, 2), safe=False)) == repr(CrossValidation(3, 2))


def test_a_class_of_fewer_rows_than_folds_is_warned_of_as_by_scikit_learn() -> None:
    y = np.array(["a"] * 30 + ["rare"] * 4 + ["once"])
    with pytest.warns(LittleDataWarning, match=r"class 'once' has 1 row, fewer than the 10 folds"):
        splits = list(CrossValidation(10, 2).split(np.zeros((35, 1)), y))
    assert len(splits) == 20
    with pytest.warns(UserWarning, match="less than n_splits=10"):
        list(StratifiedKFold(10).split(np.zeros((35, 1)), y))
    with pytest.warns(LittleDataWarning, match="class 1 has 4 rows, fewer than the 5 folds"):
        estimate_performance(DummyClassifier(), np.zeros((24, 1)), [0] * 20 + [1] * 4, CrossValidation(5), ["error"])


@pytest.mark.filterwarnings("error")
def test_no_warning_where_every_class_has_as_many_rows_as_folds_or_none_is_stratified() -> None:
    y = np.array(["a"] * 30 + ["b"] * 5)
    X = np.zeros((35, 1))
    for plan, target in (
        (CrossValidation(5), y),
        (CrossValidation(10, stratified=False), y),
        (CrossValidation(), None),
    ):
        list(plan.split(X, target))
    list(CrossValidation(10).split(X, np.linspace(0, 1, 35)))
    list(CrossValidation(10).split(X, np.arange(35.0)))
    estimate_performance(LinearRegression(), X, np.arange(35), 5)
