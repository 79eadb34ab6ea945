"""Small models of every kind whose files are mutated."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from tests.files.models import margins, numbers, quiet, table, three_classes, two_classes
from tests.files.mutation import ModelParts

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import (
    CALIBRATORS,
    CalibratedClassifier,
    Chain,
    Isotonic,
    LeafVenn,
    Pairwise,
    Platt,
    VennAbers,
)
from calibrant.decisions import CostMatrix, CostSensitiveClassifier, ThresholdClassifier
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.linear import LogisticClassifier
from calibrant.neighbors import NeighborsClassifier
from calibrant.neural import NeuralNetClassifier
from calibrant.svm import SVMClassifier
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["FOREIGN", "NAMES", "OWN", "model_parts"]

_COSTS = CostMatrix([[0, 1], [5, 0]], labels=["no", "yes"])
_TREE = ProbabilityTreeClassifier(max_depth=3, random_state=0)

OWN: dict[str, Callable[[], Any]] = {
    "constant": ConstantClassifier,
    "bayes": NaiveBayesClassifier,
    "bayes-normal": lambda: NaiveBayesClassifier(numeric="gaussian", dialect="weka"),
    "bayes-kernel": lambda: NaiveBayesClassifier(numeric="kernel"),
    "neighbors": NeighborsClassifier,
    "neighbors-index": lambda: NeighborsClassifier(weights="inverse", n_neighbors=3, algorithm="kd_tree"),
    "net": lambda: NeuralNetClassifier(n_hidden=2, n_epochs=3, keep_epochs=[1], random_state=0),
    "svm": SVMClassifier,
    "svm-linear": lambda: SVMClassifier(kernel="linear"),
    "tree": lambda: _TREE,
    "tree-kernel": lambda: ProbabilityTreeClassifier(max_depth=2, estimate="kernel_density", random_state=0),
    "bagged": lambda: BaggedTreesClassifier(n_trees=3, max_depth=3, random_state=0),
    "eb-pets": lambda: EBPETsClassifier(n_trees=3, max_depth=3, random_state=0),
    "mob-esp": lambda: MOBESPClassifier(n_trees=3, max_depth=3, random_state=0),
    "boosted": lambda: BoostedTreesClassifier(n_trees=3, max_depth=2, random_state=0),
    "stumps": lambda: BoostedStumpsClassifier(n_trees=3),
    "lazy": lambda: LazyOptionTreesClassifier(n_trees=2, random_state=0),
    "logistic": LogisticClassifier,
    "calibrated": lambda: CalibratedClassifier(NaiveBayesClassifier(), cv=3),
    "calibrated-tree": lambda: CalibratedClassifier(_TREE, Chain(Platt(), Isotonic()), cv=3, ensemble=True),
    "costs": lambda: CostSensitiveClassifier(NaiveBayesClassifier(), _COSTS),
    "threshold": lambda: ThresholdClassifier(_TREE, _COSTS, cv=3),
    "blend": lambda: ProbabilityClassifier(members=["bayes", "logistic", "kernel"], random_state=0),
    "blend-trees": lambda: ProbabilityClassifier(members=["boosted", "gradient"], random_state=0),
}
FOREIGN: dict[str, Callable[[], Any]] = {
    "sklearn-logistic": lambda: CalibratedClassifier(LogisticRegression(), "platt", cv=3),
    "sklearn-pipeline": lambda: make_pipeline(StandardScaler(), GaussianNB()),
    "sklearn-one-hot": lambda: make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()),
    "sklearn-forest": lambda: RandomForestClassifier(2, max_depth=3, random_state=0),
    "sklearn-boosted": lambda: GradientBoostingClassifier(n_estimators=2, max_depth=2),
    "sklearn-histogram": lambda: HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=4),
    "sklearn-svm": lambda: CalibratedClassifier(SVC(), "platt", cv=3),
}


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=2, num_leaves=4, min_child_samples=5, verbose=-1)


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=2, max_depth=2, enable_categorical=True)


FOREIGN |= {
    name: make for name, make in (("lightgbm", _lightgbm), ("xgboost", _xgboost)) if importlib.util.find_spec(name)
}
_MAPS = {name: make for name, make in CALIBRATORS.items() if name not in ("none",)}
NAMES = (*OWN, *FOREIGN, *(f"map-{name}" for name in _MAPS), "map-pairs", "map-folds", "leaf-venn")


@cache
def model_parts(name: str) -> ModelParts:
    """Return the parts of the file of a model, and rows to predict."""
    with quiet():
        return _parts(name)


def _parts(name: str) -> ModelParts:
    if name.startswith("map-"):
        return _map_parts(name)
    rows = table()[:12]
    if name == "leaf-venn":
        tree = _TREE.fit(table(), two_classes())
        return ModelParts.of(name, LeafVenn(tree).fit(table(), two_classes()), rows)
    if name in OWN:
        y = three_classes() if name in ("bayes", "bagged", "boosted", "neighbors-index") else two_classes()
        return ModelParts.of(name, OWN[name]().fit(table(), y), rows)
    X = table().astype({"town": "category"}) if name in ("lightgbm", "xgboost") else numbers()
    y = (two_classes() == "yes").astype(int) if name == "xgboost" else three_classes()
    X = X.round() if name == "sklearn-one-hot" else X
    y = two_classes() if name == "sklearn-svm" else y
    return ModelParts.of(name, FOREIGN[name]().fit(X, y), X[:12], is_foreign=True)


def _map_parts(name: str) -> ModelParts:
    scores = expit(margins())
    if name == "map-folds":
        fitted = VennAbers().fit(scores, two_classes(), folds=np.arange(len(scores)) % 3)
        return ModelParts.of(name, fitted, scores[:12])
    if name == "map-pairs":
        logits = np.column_stack([-margins(), margins() ** 2 - 1, margins()])
        return ModelParts.of(name, Pairwise(Isotonic()).fit(logits, three_classes()), logits[:12])
    return ModelParts.of(name, _MAPS[name.removeprefix("map-")]().fit(scores, two_classes()), scores[:12])
