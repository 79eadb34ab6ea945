"""Methods fitted to rows taken from a table that is coded once predict what their own `fit` on the rows predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from calibrant import _core
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.estimates import MEstimate
from calibrant.exceptions import CalibrantWarning
from calibrant.resampling import Bootstrap632, CrossValidation, LeaveOneOut
from calibrant.resampling._internal import Experiment
from calibrant.resampling._trials.coded_rows import CodedRows, fits_coded_rows
from calibrant.resampling._trials.trial_data import read_trial_data
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import TrainingSet

RNG = np.random.default_rng(23)
N = 90
SEED = {"random_state": 2}
METHODS: dict[str, Any] = {
    "b": BPETsClassifier(n_trees=4, **SEED),
    "eb": EBPETsClassifier(n_trees=4, **SEED),
    "mob": MOBESPClassifier(n_trees=4, **SEED),
    "pruned": BaggedTreesClassifier(n_trees=3, prune="pessimistic", **SEED),
    "balanced": BaggedTreesClassifier(n_trees=3, class_weight="balanced", **SEED),
    "probability": BaggedTreesClassifier(n_trees=3, weight_kind="probability", **SEED),
    "honest": ProbabilityTreeClassifier(honest=True, **SEED),
    "reduced": ProbabilityTreeClassifier(prune="reduced_error", **SEED),
    "alpha": ProbabilityTreeClassifier(prune="cost_complexity", ccp_alpha="cv", **SEED),
    "cv": ProbabilityTreeClassifier(estimate=MEstimate(m="cv"), **SEED),
    "density": ProbabilityTreeClassifier(estimate="kernel_density", **SEED),
    "boosted": BoostedTreesClassifier(n_trees=3, **SEED),
    "lazy": LazyOptionTreesClassifier(n_trees=2, **SEED),
}


def table(kind: str) -> Any:
    """Return rows with a rare category and missing values, the first 70 of a column of objects among them."""
    town = RNG.choice(["a", "b", "c", "d"], N, p=[0.5, 0.3, 0.17, 0.03])
    frame = pd.DataFrame({"x": RNG.normal(size=N).round(1), "town": town, "z": RNG.integers(0, 5, N)})
    frame.loc[RNG.random(N) < 0.1, "x"] = np.nan
    if kind == "declared":
        return frame.astype({"town": "category"})
    if kind == "objects":
        flag = np.array([None] * 70 + [True] * (N - 71) + [False], dtype=object)
        late = np.array([None] * 70 + [1.5, 2.5] * ((N - 70) // 2), dtype=object)
        return frame.astype({"town": object}).assign(flag=flag, late=late)
    if kind == "list":
        return [[float(x), str(town)] for x, town in zip(frame["z"], frame["town"], strict=True)]
    return frame[["x", "z"]].to_numpy() if kind == "numbers" else frame


def subset(X: Any, rows: np.ndarray) -> Any:
    if isinstance(X, list):
        return [X[row] for row in rows]
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


TABLES = {kind: table(kind) for kind in ("numbers", "declared", "collected", "objects")}
CLASSES = RNG.choice(["no", "yes"], N)
WEIGHTS, GROUPS = RNG.choice([0.5, 1.0, 1.7], N), RNG.integers(0, 20, N)


def check(methods: dict[str, Any], X: Any, y: Any, plan: Any, weight: Any = None, groups: Any = None) -> None:
    splits = list(plan.split(X, y, groups))
    members = list(methods.values())
    trials = Experiment.read(methods, X, y, ["mse"], groups=groups, sample_weight=weight).trials(plan)
    for trial in trials:
        train, test = splits[trial.split]
        more = {} if weight is None else {"sample_weight": weight[train]}
        more |= {} if groups is None else {"groups": groups[train]}
        model = clone(members[trial.method]).fit(subset(X, train), y[train], **more)
        np.testing.assert_array_equal(trial.predictions, model.predict_proba(subset(X, test)))


@given(
    chosen=st.lists(st.integers(0, N - 1), min_size=2, max_size=60),
    weighted=st.booleans(),
    grouped=st.booleans(),
    class_weight=st.sampled_from([None, "balanced", {"yes": 2.5}]),
)
@pytest.mark.filterwarnings("ignore:sample_weight of:calibrant.exceptions.CalibrantWarning")  # few rows weigh little
@pytest.mark.parametrize("kind", ["numbers", "declared", "collected", "objects"])
def test_rows_taken_are_the_rows_that_fit_codes(
    kind: str, chosen: list[int], weighted: bool, grouped: bool, class_weight: Any
) -> None:
    rows, method = np.array(chosen), BaggedTreesClassifier(class_weight=class_weight)
    X, y, weight, groups = TABLES[kind], CLASSES, WEIGHTS if weighted else None, GROUPS if grouped else None
    coded = CodedRows.of(read_trial_data(X, y, weight, groups, is_regression=False), "auto", 1)
    assert coded is not None
    if not coded.can_take(rows):
        return
    taken = coded.take(rows, method, has_groups=grouped)
    parts = [None if each is None else each[rows] for each in (weight, groups)]
    alone = TrainingSet.read(method, subset(X, rows), y[rows], *parts)
    assert taken.fingerprint() == alone.fingerprint()
    assert taken.fingerprint() == alone.fingerprint()
    assert (taken.n_declared, taken.feature_names) == (alone.n_declared, alone.feature_names)
    np.testing.assert_array_equal(taken.order, alone.order)


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["numbers", "declared", "collected", "objects", "list"])
@pytest.mark.parametrize("plan", [CrossValidation(3), Bootstrap632(2)], ids=["folds", "draws"])
@pytest.mark.filterwarnings("ignore:BoostedTreesClassifier:calibrant.exceptions.CalibrantWarning")
def test_predictions_are_those_of_an_ordinary_fit(kind: str, plan: Any) -> None:
    X, y = table(kind), RNG.choice(["no", "yes"], N)
    check(METHODS, X, y, plan)


def test_weights_and_groups_count_as_in_an_ordinary_fit() -> None:
    X, y = table("collected"), RNG.choice(["no", "yes"], N)
    methods = {name: METHODS[name] for name in ("b", "balanced", "probability", "honest", "reduced", "cv")}
    check(methods, X, y, CrossValidation(3), weight=RNG.choice([0.5, 1.0, 2.25], N))
    check(methods, X, y, CrossValidation(3), groups=RNG.integers(0, 20, N))


def test_a_class_that_is_not_trained_on_is_left_to_an_ordinary_fit() -> None:
    X, y = RNG.normal(size=(24, 2)), np.array(["a", "b"] * 11 + ["c", "b"])
    trials = Experiment.read(METHODS["honest"], X, y, ["mse"]).trials(LeaveOneOut(), splits=[22])
    assert next(trials).predictions[0, 2] == 0.0


def test_forests_and_trees_of_a_plan_share_one_coding(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    code_table = _core.code_table
    monkeypatch.setattr(_core, "code_table", lambda *args: calls.append(1) or code_table(*args))
    X, y = table("declared"), RNG.choice(["no", "yes"], N)
    methods = {name: METHODS[name] for name in ("b", "eb", "mob", "honest", "reduced", "cv")}
    methods["plain"] = ProbabilityTreeClassifier()
    list(Experiment.read(methods, X, y).trials(CrossValidation(4)))
    assert len(calls) == 1


def test_other_nominal_columns_are_another_coding() -> None:
    methods = [ProbabilityTreeClassifier(honest=True, nominal=nominal, **SEED) for nominal in ("auto", [0], [0])]
    experiment = Experiment.read(dict(zip("abc", methods, strict=True)), RNG.integers(0, 3, (60, 2)), [0, 1] * 30)
    first, *others = (family.rows for family in experiment._prepare(None, "raise").families)
    assert others[0] is not first
    assert len(others) == 1  # two methods of the same columns and parameters are a family


def test_weights_that_are_no_frequencies_are_warned_of_as_in_fit() -> None:
    X, y, weight = RNG.normal(size=(60, 2)), [0, 1] * 30, np.full(60, 1e-4)
    with pytest.warns(CalibrantWarning, match="as frequencies"):
        next(Experiment.read(METHODS["honest"], X, y, sample_weight=weight).trials(CrossValidation(3)))


def test_a_subclass_with_a_fit_of_its_own_is_fitted_by_it() -> None:
    class Own(ProbabilityTreeClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
            return super().fit(X, y, sample_weight, groups)

    class Inheriting(ProbabilityTreeClassifier):
        pass

    assert [fits_coded_rows(each()) for each in (Own, Inheriting, MOBESPClassifier)] == [False, True, True]


def test_rows_of_objects_without_a_value_are_not_taken() -> None:
    data = read_trial_data(table("objects"), [0, 1] * (N // 2), None, None, is_regression=False)
    rows = CodedRows.of(data, "auto", 1)
    assert rows is not None
    assert not rows.can_take(np.arange(70))
    assert rows.can_take(np.arange(N)[::-1])


@pytest.mark.long
def test_processes_return_the_same_bits() -> None:
    X, y = table("collected"), RNG.choice(["no", "yes"], N)
    methods = {name: METHODS[name] for name in ("b", "honest", "cv")}
    one, two = (Experiment.read(methods, X, y, n_jobs=n_jobs).trials(CrossValidation(3)) for n_jobs in (1, 2))
    for trial, other in zip(one, two, strict=True):
        np.testing.assert_array_equal(trial.predictions, other.predictions)
