"""Readings of forests whose rows are in parts equal those of all rows at once, to the bit, for any partition."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.local_parts import LocalParts, source_facts

from calibrant._random import seed_sequence
from calibrant.data._bins.bins import bins_of
from calibrant.data._internal import CodedPart, fit_columns
from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._levels.cluster_forest import forest_plan, grow_forest_levels
from calibrant.ensembles._levels.level_reading import read_levels
from calibrant.exceptions import DataError, NotSavedError
from calibrant.files import load_model, save
from calibrant.trees import Tree

N_ROWS = 400
EDGES = (0, 0, 1, 97, 97, 98, 301, N_ROWS, N_ROWS)  # parts without rows, and with one
WEIGHTS = {
    "ones": None,
    "whole": np.random.default_rng(1).integers(1, 4, N_ROWS).astype(float),
    "fractions": np.random.default_rng(2).random(N_ROWS) + 0.1,
}
ROW_BY_ROW = {
    "b_pets": BPETsClassifier(n_trees=7),
    "forest": BaggedTreesClassifier(n_trees=7, bootstrap="subsample"),
    "votes": BaggedTreesClassifier(n_trees=7, combine="vote"),
    "smoothed votes": BaggedTreesClassifier(n_trees=7, combine="vote", smooth_votes=True, class_weight="balanced"),
}
EB_PETS = {
    "frequency": EBPETsClassifier(n_trees=7),
    "laplace": EBPETsClassifier(n_trees=7, estimate="laplace", out_of_bag_weight=0.3, bootstrap="uniform"),
    "auto": EBPETsClassifier(n_trees=7, estimate="m", out_of_bag_weight="auto"),
    "leaf": EBPETsClassifier(n_trees=7, out_of_bag_weight="leaf", in_bag_counts="multiplicity"),
    "only": EBPETsClassifier(n_trees=7, out_of_bag="only", class_weight="balanced"),
    "not local": BaggedTreesClassifier(n_trees=7, out_of_bag="count", out_of_bag_weight="auto"),
    "m_branch": EBPETsClassifier(n_trees=7, estimate="m_branch", out_of_bag_weight=0.7),
}
MOB_ESP = {
    "frequency": MOBESPClassifier(n_trees=9),
    "laplace": MOBESPClassifier(n_trees=9, estimate="laplace", out_of_bag_weight=0.3, bootstrap="uniform"),
    "multiplicity": MOBESPClassifier(n_trees=9, in_bag_counts="multiplicity", vote_trees="out_of_bag"),
    "no bags": MOBESPClassifier(n_trees=3, bootstrap=None),
}


def table() -> tuple[pd.DataFrame, Any]:
    """Return rows whose declared order of three classes is not the sorted one."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({f"x{j}": rng.normal(size=N_ROWS).round(1) for j in range(4)})
    X["x3"] = X["x3"].where(rng.random(N_ROWS) > 0.1)
    X["town"] = np.array(["Bonn", "Oslo", "Rome"])[rng.integers(3, size=N_ROWS)]
    score = X["x0"] - X["x1"] + (X["town"] == "Rome") + rng.normal(size=N_ROWS)
    return X, pd.Categorical.from_codes(np.digitize(score, [0.0, 1.0]), ["yes", "badly", "no"])


def fit_local(model: Any, weights: Any = None, groups: Any = None) -> Any:
    X, y = table()
    params = {"max_bins": 255, "missing": "learned", "random_state": 3}
    return clone(model).set_params(**params).fit(X, y, weights, groups)


def fit_in_parts(local: Any, weights: Any = None, edges: tuple[int, ...] = EDGES) -> Any:
    """Return the classifier of a local one's parameters that is fitted to its rows in parts, through a pickle."""
    X, _ = table()
    rows, bins = local._forest.examples, bins_of(fit_columns(X), weights, 255)
    whole = bins.code(fit_columns(X)), rows.labels, rows.weights, rows.groups
    parts = LocalParts(
        [CodedPart(i, *(each if each is None else each[i:j] for each in whole)) for i, j in pairwise(edges)]
    )
    model = clone(local)
    n_groups = None if rows.groups is None else int(rows.groups.max()) + 1
    seed = seed_sequence(model.random_state)
    facts = source_facts(bins, N_ROWS, n_classes=len(rows.classes), n_declared=rows.n_declared, n_groups=n_groups)
    plan = forest_plan(parts, facts, model, seed)
    examples = rows.without_rows()
    cores = grow_forest_levels(parts, plan, seed, range(model.n_trees))
    trees = tuple(Tree(core, rows.order, rows.classes, bins.schema) for core in cores)
    forest = Forest(trees, cast("Any", examples), cast("Any", plan.params), seed)
    model._keep(read_levels(parts, plan, forest, model._reading_options()))
    return pickle.loads(pickle.dumps(model))  # noqa: S301


def assert_same(found: Any, local: Any) -> None:
    X, _ = table()
    np.testing.assert_array_equal(found.predict_proba(X), local.predict_proba(X))
    np.testing.assert_array_equal(found.oob_proba_, local.oob_proba_)
    assert found.oob_score_ == local.oob_score_


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_what_is_read_row_by_row_is_that_of_all_rows(name: str, weights: str) -> None:
    local = fit_local(ROW_BY_ROW[name], WEIGHTS[weights])
    assert np.isfinite(local.oob_proba_).any()
    assert_same(fit_in_parts(local, WEIGHTS[weights]), local)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", EB_PETS)
def test_counts_of_parts_add_up_to_those_of_all_rows(name: str, weights: str) -> None:
    local = fit_local(EB_PETS[name], WEIGHTS[weights])
    found = fit_in_parts(local, WEIGHTS[weights])
    assert found._reading.eb_pets.alpha == local._reading.eb_pets.alpha
    assert_same(found, local)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", MOB_ESP)
def test_counts_by_leaf_and_vote_add_up_to_those_of_all_rows(name: str, weights: str) -> None:
    local = fit_local(MOB_ESP[name], WEIGHTS[weights])
    found, (X, _) = fit_in_parts(local, WEIGHTS[weights]), table()
    assert found._reading.n_voters == local._reading.n_voters
    np.testing.assert_array_equal(found.predict_proba(X), local.predict_proba(X))
    np.testing.assert_array_equal(found.vote(X), local.vote(X))
    for name in ("oob_proba_", "oob_score_"):
        with pytest.raises(DataError, match="all pairs of rows that share a leaf"):
            getattr(found, name)


def test_votes_of_the_trees_that_label_new_rows_are_counted() -> None:
    model = MOBESPClassifier(n_trees=9, combine="vote", vote_trees="out_of_bag")
    local = fit_local(model)
    assert_same(fit_in_parts(local), local)


def test_a_reading_of_parts_is_saved_and_loaded(tmp_path: Path) -> None:
    X, _ = table()
    for model in (EB_PETS["leaf"], MOB_ESP["multiplicity"]):
        found = fit_in_parts(fit_local(model))
        save(found, tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict_proba(X), found.predict_proba(X))
        with pytest.raises(NotSavedError, match="fitted to a source"):
            found.reread("eb_pets", in_bag_counts="unique")


def test_trees_are_counted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.ensembles._levels.level_reading._CELLS_AT_ONCE", 500)
    local = fit_local(EB_PETS["auto"])
    assert_same(fit_in_parts(local), local)
    local, (X, _) = fit_local(MOB_ESP["frequency"]), table()
    np.testing.assert_array_equal(fit_in_parts(local).predict_proba(X), local.predict_proba(X))


def test_rows_of_a_group_may_be_in_several_parts() -> None:
    local = fit_local(BPETsClassifier(n_trees=5), groups=np.arange(N_ROWS) % 50)
    assert_same(fit_in_parts(local), local)


def test_probabilities_that_do_not_fit_memory_are_not_stored_but_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    local = fit_local(BPETsClassifier(n_trees=5))
    monkeypatch.setattr("calibrant.ensembles._levels.level_reading.machine_memory", lambda: 4 * N_ROWS * 3 * 8 - 1)
    found = fit_in_parts(local)
    assert found.oob_score_ == local.oob_score_
    with pytest.raises(DataError, match="more than a quarter of the memory"):
        _ = found.oob_proba_


def test_a_forest_without_bags_has_nothing_out_of_the_bag() -> None:
    found = fit_in_parts(fit_local(BPETsClassifier(n_trees=2, bootstrap=None)))
    with pytest.raises(NotSavedError, match="fitted to a source"):
        _ = found.oob_proba_
