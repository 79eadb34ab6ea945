"""The models of a grid as estimators, named by algorithm, setting and calibration map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from sklearn.base import clone

from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import (
    Auto,
    Beta,
    CalibratedClassifier,
    Calibrator,
    Isotonic,
    Platt,
    Spline,
    Temperature,
    VennAbers,
)
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.neighbors import NeighborsClassifier
from calibrant.neural import NeuralNetClassifier
from calibrant.svm import SVMClassifier
from calibrant.trees import tree_style

if TYPE_CHECKING:
    from calibrant.papers._caruana.scales import ModelGrid

ALGORITHMS = ("ANN", "BAG-DT", "KNN", "DT", "SVM", "BST-STMP", "BST-DT")  # in the order of Table 2
BLEND: Final = "ProbabilityClassifier"
PAPER_MAPS = ("RAW", "PLATT", "ISOTONIC")
OUR_MAPS = ("Platt on logits", "Beta", "Spline", "Venn-Abers")
AUTO: Final = "Auto"
# Raw margins scaled to [0, 1] cross 0.5 anywhere; a temperature keeps their sign, by which an SVM predicts classes
SIGN: Final = "sign"
_MAPS: dict[str, Calibrator] = {
    "PLATT": Platt(on="score"),
    "ISOTONIC": Isotonic(mode="step"),
    SIGN: Temperature(),
    "Platt on logits": Platt(),
    "Beta": Beta(),
    "Spline": Spline(),
    "Venn-Abers": VennAbers(),
    AUTO: Auto(),
}
SEPARATOR: Final = " | "  # in the name of a method: algorithm, setting and map
_N_FOLDS: Final = 3  # "Following Platt, all experiments in this paper use 3-fold cross-validation"


def calibrated(estimator: Any, name: str) -> Any:
    """Return the estimator behind a map fitted to its scores of three folds; itself where the map is ``"RAW"``.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> calibrated(ProbabilityTreeClassifier(), "PLATT").cv
    3
    """
    if name == "RAW":
        return estimator
    return CalibratedClassifier(estimator, clone(_MAPS[name]), cv=_N_FOLDS)


Models = Iterator[tuple[str, str, Any]]  # algorithm, setting, estimator

_STUMP_WORDS = {"entropy": "gain", "gain_ratio": "gain ratio", "gini": "Gini", "dkm": "DKM", "twoing": "twoing"}
_VOTE_WORDS = {
    "uniform": "plain",
    "inverse": "1/d",
    "inverse_squared": "1/d^2",
    "similarity": "1 - d",
    "gaussian": "locally weighted",
}


def boosted_trees(style: str, n_steps: int) -> tuple[str, BoostedTreesClassifier]:
    """Return the setting and the estimator of boosted trees."""
    return f"{style}, {n_steps} steps", BoostedTreesClassifier(style=style, n_trees=n_steps)


def tree_models(grid: ModelGrid) -> Models:
    """Yield the models of the table with nominal columns: trees, bagged trees, boosted trees and stumps."""
    for style in grid.tree_styles:
        yield "DT", style, tree_style(style)
    for style, n_trees in product(grid.bagged_styles, grid.bag_sizes):
        yield "BAG-DT", f"{style}, {n_trees} trees", BaggedTreesClassifier(style=style, n_trees=n_trees)
    for style, n_steps in product(grid.boosted_styles, grid.boosting_steps):
        yield "BST-DT", *boosted_trees(style, n_steps)
    for criterion, n_steps in product(grid.stump_criteria, grid.stump_steps):
        setting = f"{_STUMP_WORDS[criterion]}, {n_steps} steps"
        yield "BST-STMP", setting, BoostedStumpsClassifier(criterion=criterion, n_trees=n_steps)
    if grid.has_blend:
        yield BLEND, "default", ProbabilityClassifier()


def coded_models(grid: ModelGrid) -> Models:
    """Yield the models of the table of numbers, which they standardise: neighbours, nets and SVMs."""
    distances = ((None, "Euclidean"), ("gain_ratio", "gain ratio"))
    for (by, distance), weights, k in product(distances[: grid.n_distances], grid.neighbor_weights, grid.n_neighbors):
        estimator = NeighborsClassifier(n_neighbors=k, weights=weights, attribute_weights=by)
        yield "KNN", f"{distance}, {_VOTE_WORDS[weights]}, k = {k}", estimator
    for net, n_epochs in product(grid.nets, grid.epochs):
        yield "ANN", f"{net}, {n_epochs} epochs", NeuralNetClassifier(**asdict(net), n_epochs=n_epochs)
    for svm in grid.svms:
        yield "SVM", str(svm), SVMClassifier(**asdict(svm), max_iter=grid.svm_max_iter)


def methods_of(models: Iterable[tuple[str, str, Any]], maps: tuple[str, ...]) -> dict[str, Any]:
    """Return the methods of a study: each model behind each map; the blend, which is calibrated already, alone."""
    own = {BLEND: ("RAW",), "SVM": (*maps, SIGN) if "RAW" in maps else maps}
    return {
        SEPARATOR.join((algorithm, setting, each)): calibrated(estimator, each)
        for algorithm, setting, estimator in models
        for each in own.get(algorithm, maps)
    }
