"""Every estimator of calibrant in some configurations, and small tables of every kind to fit them to."""

from __future__ import annotations

import datetime
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import CALIBRATORS, CalibratedClassifier, Chain, Isotonic, LeafVenn, Platt
from calibrant.decisions import CostMatrix, CostSensitiveClassifier, MetaCostClassifier, ThresholdClassifier
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.estimates import ESTIMATES, MEstimate
from calibrant.linear import LogisticClassifier
from calibrant.neighbors import NeighborsClassifier
from calibrant.neural import NeuralNetClassifier
from calibrant.svm import SVMClassifier
from calibrant.trees import ProbabilityTreeClassifier

PACKAGES = ("trees", "ensembles", "bayes", "neighbors", "neural", "svm", "calibration", "decisions", "blending")
N_ROWS = 90


@dataclass(frozen=True)
class Rows:
    """A table: rows to fit, classes, and new rows, with missing values and categories never seen."""

    X: Any
    y: Any
    new: Any


def _numbers(n_rows: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(n_rows, 3)).round(2)


def _two(X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return X[:, 0] + np.sin(np.arange(len(X))) > 0


def _frame(n_rows: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    numbers = _numbers(n_rows, seed)
    numbers[::7, 1] = np.nan
    colours = rng.choice(["red", "blue", "grün"], n_rows).astype(object)
    colours[::11] = None
    return pd.DataFrame({"größe": numbers[:, 0], "b": numbers[:, 1], "colour": colours, "flag": numbers[:, 2] > 0})


def numeric() -> Rows:
    X = _numbers(N_ROWS)
    return Rows(X, _two(X).astype(int), _numbers(20, 1))


def float32() -> Rows:
    X = _numbers(N_ROWS)
    return Rows(X.astype(np.float32), _two(X), _numbers(20, 1).astype(np.float32))


def mixed_frame() -> Rows:
    frame, new = _frame(N_ROWS), _frame(20, 1)
    new.loc[3, "colour"] = "violet"
    return Rows(frame, np.where(_two(frame.to_numpy()[:, :1].astype(float)), "yes", "no"), new)


def three_classes() -> Rows:
    frame = _frame(N_ROWS)
    y = np.digitize(frame["größe"] + np.sin(np.arange(N_ROWS)), [-0.6, 0.6])
    return Rows(frame, np.array(["low", "middle", "high"], dtype=object)[y], _frame(20, 1))


def categories() -> Rows:
    frame, new = _frame(N_ROWS)[["colour", "flag"]], _frame(20, 1)[["colour", "flag"]]
    declared = pd.CategoricalDtype(["grün", "red", "blue", "never"])
    y = pd.Series(np.where(frame["flag"], "b", "a")).where(np.arange(N_ROWS) % 5 > 0, "a").astype("category")
    return Rows(frame.astype({"colour": declared}), y, new.astype({"colour": declared}))


def integer_categories() -> Rows:
    X = np.random.default_rng(0).integers(0, 4, (N_ROWS, 2))
    return Rows(
        pd.DataFrame(X, columns=["a", "b"]).astype("category"),
        (X[:, 0] > 1) * 2.0,
        pd.DataFrame(X[:20] + 1, columns=["a", "b"]),
    )


def dates() -> Rows:
    day = pd.Timestamp("2024-02-29") + pd.to_timedelta(np.arange(N_ROWS), "D")
    frame = pd.DataFrame({"day": day, "n": np.arange(N_ROWS) % 5})
    return Rows(frame, np.arange(N_ROWS) % 3 == 0, frame[40:60])


def polars_frame() -> Rows:
    rows = mixed_frame()
    return Rows(pl.from_pandas(rows.X), pl.Series(rows.y), pl.from_pandas(rows.new))


def arrow_table() -> Rows:
    rows = mixed_frame()
    return Rows(pa.table(dict(rows.X)), pa.array(rows.y), pa.table(dict(rows.new)))


def numbered_columns() -> Rows:
    rows = three_classes()
    return Rows(
        rows.X.set_axis(range(4), axis=1), pd.Series(rows.y, dtype="string"), rows.new.set_axis(range(4), axis=1)
    )


def empty_column() -> Rows:
    X = _numbers(N_ROWS)
    X[:, 1] = np.nan
    return Rows(X, np.where(_two(X), 2**40, -5), _numbers(20, 1))


def times() -> Rows:
    hours = [datetime.time(hour % 24, hour % 60) for hour in range(N_ROWS)]
    frame = pd.DataFrame(
        {"hour": hours, "took": pd.to_timedelta(np.arange(N_ROWS) ** 2, "s"), "n": np.arange(N_ROWS) % 7}
    )
    return Rows(frame, np.arange(N_ROWS) % 4 > 1, frame[30:50])


TABLES: tuple[Callable[[], Rows], ...] = (
    numeric,
    float32,
    mixed_frame,
    three_classes,
    categories,
    integer_categories,
    dates,
    polars_frame,
    arrow_table,
    numbered_columns,
    empty_column,
    times,
)


def _costs(y: Any) -> CostMatrix:
    labels = sorted(set(np.asarray(y).tolist()))
    return CostMatrix(np.where(np.eye(len(labels)), 0.0, np.arange(1.0, len(labels) + 1)[:, None]), labels=labels)


Maker = Callable[[Rows], Any]


def _of(cls: type, **params: Any) -> Maker:
    return lambda _rows: cls(**params)


def _makers() -> Iterator[tuple[str, Maker]]:
    tree = ProbabilityTreeClassifier
    yield "Constant", _of(ConstantClassifier)
    yield "ConstantZero", _of(ConstantClassifier, strategy="zero")
    for kind in ("mdl", "equal_width", "gaussian", "kernel"):
        yield f"NaiveBayes-{kind}", _of(NaiveBayesClassifier, numeric=kind)
    yield "NaiveBayes-weka", _of(NaiveBayesClassifier, numeric="gaussian", dialect="weka", counts="m")
    yield "Neighbors", _of(NeighborsClassifier, n_neighbors=5)
    yield "Neighbors-all", _of(NeighborsClassifier, n_neighbors="all", weights="inverse_squared", scale="range")
    yield "Neighbors-array", lambda rows: NeighborsClassifier(attribute_weights=np.ones(_n_columns(rows)))
    yield "Net", _of(NeuralNetClassifier, n_hidden=3, n_epochs=5, random_state=0)
    yield "Net-kept", _of(NeuralNetClassifier, n_epochs=4, keep_epochs=[1, 2], random_state=np.random.default_rng(0))
    for kernel in ("linear", "polynomial", "radial"):
        yield f"SVM-{kernel}", _of(SVMClassifier, kernel=kernel, C=0.5)
    for name in ESTIMATES:
        yield f"Tree-{name}", _of(tree, estimate=name, random_state=0)
    yield "Tree-object", _of(tree, estimate=MEstimate(m=3.0), random_state=np.random.default_rng(0))
    yield "Tree-learned", _of(tree, missing="learned", nominal_splits="binary", prune="cost_complexity", random_state=0)
    yield "Tree-pruned", _of(tree, prune="pessimistic", max_depth=4, class_weight="balanced", random_state=1)
    yield "Tree-honest", _of(tree, honest=True, random_state=0)
    yield "Bagged", _of(BaggedTreesClassifier, n_trees=5, random_state=0)
    yield "Bagged-style", _of(BaggedTreesClassifier, n_trees=5, style="mml", random_state=0)
    yield "Bagged-vote", _of(BaggedTreesClassifier, n_trees=5, combine="vote", random_state=np.random.SeedSequence(3))
    yield "Bagged-only", _of(BaggedTreesClassifier, n_trees=9, out_of_bag="only", estimate="laplace", random_state=0)
    yield "Bagged-kernel", _of(BaggedTreesClassifier, n_trees=3, estimate="kernel_density", random_state=0)
    yield "BPETs", _of(BPETsClassifier, n_trees=5, random_state=0)
    yield "EBPETs", _of(EBPETsClassifier, n_trees=5, random_state=0)
    yield "MOBESP", _of(MOBESPClassifier, n_trees=5, random_state=0)
    yield "Boosted", _of(BoostedTreesClassifier, n_trees=5, random_state=0)
    yield "Boosted-style", _of(BoostedTreesClassifier, n_trees=5, style="SMML", random_state=0)
    yield "Boosted-shallow", _of(BoostedTreesClassifier, n_trees=5, max_depth=2, resample=False, random_state=0)
    yield "Stumps", _of(BoostedStumpsClassifier, n_trees=5)
    yield "Lazy", _of(LazyOptionTreesClassifier, n_trees=3, random_state=0)
    yield "Logistic", _of(LogisticClassifier, C=0.5)
    yield "Calibrated", lambda _: CalibratedClassifier(tree(random_state=0), cv=3)
    yield "Calibrated-ensemble", lambda _: CalibratedClassifier(NaiveBayesClassifier(), "isotonic", cv=3, ensemble=True)
    yield (
        "Calibrated-oob",
        lambda _: CalibratedClassifier(BPETsClassifier(n_trees=9, random_state=0), "platt", cv="oob"),
    )
    yield (
        "Calibrated-twice",
        lambda _: CalibratedClassifier(CalibratedClassifier(ConstantClassifier(), "platt", cv=3), cv=3),
    )
    yield "Costs", lambda rows: CostSensitiveClassifier(tree(random_state=0), _costs(rows.y))
    yield "Costs-train", lambda rows: CostSensitiveClassifier(tree(random_state=0), _costs(rows.y), when="train")
    yield (
        "Costs-reject",
        lambda rows: CostSensitiveClassifier(
            tree(random_state=0), _costs(rows.y), when="train", how="reject", n_models=2, random_state=0
        ),
    )
    yield "MetaCost", lambda rows: MetaCostClassifier(tree(random_state=0), _costs(rows.y), n_bags=3)
    yield "LeafVenn", lambda rows: LeafVenn(tree(random_state=0).fit(rows.X, rows.y))


MAKERS = dict(_makers())

# For tables of numbers and of two classes only.
NUMERIC_MAKERS: dict[str, Maker] = {
    "Threshold": lambda _: ThresholdClassifier(ProbabilityTreeClassifier(random_state=0), cv=3),
    "Threshold-costs": lambda rows: ThresholdClassifier(NaiveBayesClassifier(), costs=_costs(rows.y), cv=3),
    "Calibrated-sklearn": lambda _: CalibratedClassifier(LogisticRegression(), "platt", cv=3),
    "Calibrated-forest": lambda _: CalibratedClassifier(RandomForestClassifier(5, random_state=0), "isotonic", cv=3),
    "Probability": lambda _: ProbabilityClassifier(random_state=0),
}

CALIBRATOR_MAKERS: dict[str, Callable[[], Any]] = {
    **{name: (lambda cls=cls: cls()) for name, cls in CALIBRATORS.items() if inspect.isclass(cls)},
    "chain": lambda: Chain(Platt(), Isotonic()),
}


def public_estimators() -> dict[str, type]:
    """Return the classes of estimators that calibrant exports, without abstract ones."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(f"calibrant.{package}")
        for name in module.__all__:
            cls = getattr(module, name)
            if inspect.isclass(cls) and issubclass(cls, BaseEstimator) and not inspect.isabstract(cls):
                found[name] = cls
    return found


def _n_columns(rows: Rows) -> int:
    return rows.X.shape[1]
