"""Trees to read: two and many classes, missing values, weights, pruned and honest, with empty leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calibrant.trees import ProbabilityTreeClassifier

TOWNS = ["ash", "beech", "cedar", "elm", "fir", "oak"]
N_TRAIN, N_TEST = 700, 160


@dataclass(frozen=True)
class Case:
    """A tree to grow: classes, the odds of the first, the share of missing values, and the tree's parameters."""

    n_classes: int = 2
    missing: float = 0.0
    missing_in_test: float = 0.0
    declared: bool = True
    weighted: bool = False
    declared_classes: bool = False
    shift: float = 0.0
    params: Mapping[str, Any] = field(default_factory=dict)


CASES = {
    "two classes": Case(shift=1.5),
    "rare class": Case(shift=-1.0, params={"mdl_penalty": False}),
    "six classes": Case(n_classes=6),
    "missing": Case(missing=0.15, missing_in_test=0.3),
    "missing values in the test rows only": Case(n_classes=3, missing_in_test=0.4),
    "fractional weights": Case(n_classes=3, missing=0.1, missing_in_test=0.2, weighted=True),
    "subsets": Case(n_classes=3, missing=0.1, missing_in_test=0.2, params={"nominal_splits": "subset"}),
    "one against the rest": Case(missing=0.1, missing_in_test=0.2, params={"nominal_splits": "binary"}),
    "unseen categories": Case(n_classes=4, declared=False, missing=0.05),
    "pruned": Case(n_classes=3, missing=0.1, missing_in_test=0.2, params={"prune": "pessimistic", "confidence": 0.5}),
    "pruned by cost": Case(n_classes=3, params={"prune": "cost_complexity", "ccp_alpha": 0.002}),
    "honest": Case(missing=0.1, missing_in_test=0.4, params={"honest": True, "min_leaf": 1, "mdl_penalty": False}),
    "honest, many classes": Case(n_classes=5, missing_in_test=0.3, params={"honest": True, "min_leaf": 1}),
    "j48": Case(n_classes=3, missing=0.1, missing_in_test=0.3, params={"dialect": "j48"}),
    "empty leaves vote": Case(n_classes=3, missing_in_test=0.1, params={"empty_leaf": "majority"}),
    "empty leaves take their parent's": Case(n_classes=3, missing_in_test=0.1, params={"empty_leaf": "parent"}),
    "declared classes": Case(n_classes=4, declared_classes=True, params={"criterion": "gini"}),
    "balanced": Case(shift=0.5, params={"class_weight": "balanced", "criterion": "dkm"}),
    "a single leaf": Case(n_classes=3, params={"min_leaf": 400}),
}


@dataclass(frozen=True)
class Grown:
    """A tree, what it was grown from, and rows to predict."""

    model: ProbabilityTreeClassifier
    X: pd.DataFrame
    y: Any
    weight: NDArray[np.float64] | None
    X_test: pd.DataFrame


def rows_of(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as plain values, a mapping each."""
    return [dict(zip(X, values, strict=True)) for values in X.itertuples(index=False)]


def grow(case: Case, seed: int = 0) -> Grown:
    random = np.random.default_rng([seed, case.n_classes])
    columns = draw_columns(random, N_TRAIN + N_TEST)
    y = draw_classes(random, columns, case)
    train, test = columns[:N_TRAIN], columns[N_TRAIN:]
    if not case.declared:
        train = train[train["town"] != "fir"]
    y = y[train.index]
    if case.declared_classes:
        y = pd.Categorical(y, categories=sorted(set(y), reverse=True))
    weight = random.uniform(0.2, 2.5, len(train)) if case.weighted else None
    X = declare(with_missing(train, case.missing, random), case)
    model = ProbabilityTreeClassifier(random_state=seed, **case.params).fit(X, y, weight)
    return Grown(model, X, y, weight, declare(with_missing(test, case.missing_in_test, random), case))


def draw_columns(random: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw numbers with and without ties, and nominal columns; ``cedar`` is rare, ``oak`` is in test rows only."""
    town = random.choice(TOWNS[:5], n, p=[0.4, 0.3, 0.02, 0.2, 0.08])
    town[N_TRAIN::9] = "oak"
    return pd.DataFrame(
        {
            "age": random.normal(40, 12, n),
            "visits": random.integers(0, 9, n).astype(float),
            "income": random.gamma(2, 10, n).round(),
            "town": town,
            "member": random.choice(["yes", "no", "was"], n),
        }
    )


def draw_classes(random: np.random.Generator, columns: pd.DataFrame, case: Case) -> NDArray[Any]:
    signal = (columns["age"] - 40) / 12 + columns["town"].isin(["ash", "elm", "oak"]) + columns["visits"] / 4
    noise = random.gumbel(size=(len(columns), case.n_classes)) * 0.8
    scores = np.outer(signal, np.linspace(-1, 1, case.n_classes)) + noise
    scores[:, 0] += case.shift
    return np.array([f"class {k}" for k in scores.argmax(axis=1)])


def with_missing(columns: pd.DataFrame, share: float, random: np.random.Generator) -> pd.DataFrame:
    return columns.mask(random.random(columns.shape) < share) if share else columns


def declare(columns: pd.DataFrame, case: Case) -> pd.DataFrame:
    return columns.assign(town=pd.Categorical(columns["town"], categories=TOWNS)) if case.declared else columns
