"""Forests grown by hand, tree by tree, each with what the plain reference needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.data._validation.estimator_rows import read_rows
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.forest_members import Members, WalkedPaths
from calibrant.trees import ProbabilityTreeClassifier

LEVELS = ["p", "q", "r", "s", "t"]


@pytest.fixture(scope="session")
def reference() -> Any:
    return load_beside("reference")


@pytest.fixture(scope="session")
def gradient_reference() -> Any:
    return load_beside("gradient_reference")


def load_beside(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"ensembles_{name}", Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_rows(n_rows: int, n_classes: int, *, nominal: bool, missing: float, seed: int) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.integers(0, 12, (n_rows, 3)).astype(float), columns=["a", "b", "c"])
    score = X["a"] / 3 + random.normal(0, 1.5, n_rows)
    if nominal:
        codes = random.integers(0, len(LEVELS), n_rows)
        X["level"] = pd.Categorical.from_codes(codes, LEVELS)
        score += codes % 3
    y = np.clip(np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score), 0, n_classes - 1)
    return X.mask(random.random(X.shape) < missing), y


def draw_bags(y: Any, n_trees: int, seed: int) -> Any:
    """Draw from each class as many as it has, so that no bag lacks a class."""
    random, bags = np.random.default_rng(seed), np.zeros((n_trees, len(y)), dtype=np.uint16)
    for bag in bags:
        for label in np.unique(y):
            rows = np.flatnonzero(y == label)
            np.add.at(bag, random.choice(rows, len(rows)), 1)
    return bags


def paths_of(trees: list[Any], X: Any) -> WalkedPaths:
    return WalkedPaths.of_rows(trees, read_rows(X, trees[0].schema, "it", has_names=isinstance(X, pd.DataFrame)), 2)


def as_numbers(X: pd.DataFrame) -> list[list[float]]:
    columns = [X[name] if X[name].dtype != "category" else X[name].cat.codes.replace(-1, np.nan) for name in X]
    return np.column_stack([np.asarray(column, dtype=float) for column in columns]).tolist()


@pytest.fixture(scope="session")
def make_forest(reference: Any) -> Callable[..., Any]:
    """Grows a forest: its `Members`, the same as a `Forest` of the reference, and new rows with their paths."""

    def make(
        n_rows=60,
        n_classes=2,
        n_trees=5,
        *,
        nominal=False,
        missing=0.0,
        weighted=False,
        seed=0,
        bootstrap=True,
        **params: Any,
    ) -> Any:
        X, y = make_rows(n_rows + 40, n_classes, nominal=nominal, missing=missing, seed=seed)
        X, y, new_rows = X.iloc[:n_rows], y[:n_rows], X.iloc[n_rows:]
        weights = np.random.default_rng(seed).integers(1, 4, n_rows).astype(float) if weighted else np.ones(n_rows)
        bags = draw_bags(y, n_trees, seed) if bootstrap else np.ones((n_trees, n_rows), dtype=np.uint16)
        grown = [ProbabilityTreeClassifier(**params).fit(X, y, sample_weight=bag * weights) for bag in bags]
        trees = [model.tree_ for model in grown]
        members = Members(
            trees, paths_of(trees, X), ForestBags(drawn=bags), y, n_classes, weights if weighted else None
        )
        plain = reference.Forest(trees, as_numbers(X), y.tolist(), bags.tolist(), weights.tolist())
        ends = [[reference.ends_of(tree, row) for tree in trees] for row in as_numbers(new_rows)]
        return SimpleNamespace(
            members=members, plain=plain, paths=paths_of(trees, new_rows), ends=ends, n_new=len(new_rows)
        )

    return make
