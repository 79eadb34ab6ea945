"""The models of a grid as estimators, by algorithm and setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calibrant.blending import ProbabilityClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.neighbors import NeighborsClassifier
from calibrant.neural import NeuralNetClassifier
from calibrant.papers._caruana.candidates import BLEND, SIGN, CandidateName, calibrated
from calibrant.papers._caruana.model_grid import ModelGrid
from calibrant.svm import SVMClassifier
from calibrant.trees import tree_style

__all__ = ["boosted_trees", "coded_models", "methods_of", "tree_models"]

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
    for style in grid.bagged_styles:
        for n_trees in grid.bag_sizes:
            yield "BAG-DT", f"{style}, {n_trees} trees", BaggedTreesClassifier(style=style, n_trees=n_trees)
    for style in grid.boosted_styles:
        for n_steps in grid.boosting_steps:
            yield "BST-DT", *boosted_trees(style, n_steps)
    for criterion in grid.stump_criteria:
        for n_steps in grid.stump_steps:
            setting = f"{_STUMP_WORDS[criterion]}, {n_steps} steps"
            yield "BST-STMP", setting, BoostedStumpsClassifier(criterion=criterion, n_trees=n_steps)
    if grid.has_blend:
        yield BLEND, "default", ProbabilityClassifier()


def coded_models(grid: ModelGrid) -> Models:
    """Yield the models of the table of numbers, which they standardise: neighbours, nets and SVMs."""
    yield from _neighbors(grid)
    for net in grid.nets:
        for n_epochs in grid.epochs:
            made = NeuralNetClassifier(n_hidden=net.n_hidden, momentum=net.momentum, n_epochs=n_epochs)
            yield "ANN", f"{net}, {n_epochs} epochs", made
    for svm in grid.svms:
        estimator = SVMClassifier(
            kernel=svm.kernel, degree=svm.degree, gamma=svm.gamma, C=svm.C, max_iter=grid.svm_max_iter
        )
        yield "SVM", str(svm), estimator


def _neighbors(grid: ModelGrid) -> Models:
    distances = ((None, "Euclidean"), ("gain_ratio", "gain ratio"))
    for attribute_weights, distance in distances[: grid.n_distances]:
        for weights in grid.neighbor_weights:
            for k in grid.n_neighbors:
                estimator = NeighborsClassifier(n_neighbors=k, weights=weights, attribute_weights=attribute_weights)
                yield "KNN", f"{distance}, {_VOTE_WORDS[weights]}, k = {k}", estimator


def methods_of(models: Models, maps: tuple[str, ...]) -> dict[str, Any]:
    """Return the methods of a study: each model behind each map; the blend, which is calibrated already, alone."""
    own = {BLEND: ("RAW",), "SVM": (*maps, SIGN) if "RAW" in maps else maps}
    return {
        CandidateName(algorithm, setting, each).name: calibrated(estimator, each)
        for algorithm, setting, estimator in models
        for each in own.get(algorithm, maps)
    }
