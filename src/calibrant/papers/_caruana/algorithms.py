"""The models of a grid as estimators, named by algorithm, setting and calibration map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

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
_OURS: dict[str, type[Calibrator]] = {
    "Platt on logits": Platt,
    "Beta": Beta,
    "Spline": Spline,
    "Venn-Abers": VennAbers,
    AUTO: Auto,
}
_SEPARATOR: Final = " | "
_N_FOLDS: Final = 3  # "Following Platt, all experiments in this paper use 3-fold cross-validation"


@dataclass(frozen=True)
class CandidateName:
    """The name of a candidate: an algorithm, its setting in words, and a map.

    Examples
    --------
    >>> CandidateName("BST-DT", "C4, 64 steps", "PLATT").name
    'BST-DT | C4, 64 steps | PLATT'
    >>> CandidateName.parse("SVM | linear, C = 1 | RAW").setting
    'linear, C = 1'
    """

    algorithm: str
    setting: str
    map: str

    @property
    def name(self) -> str:
        """The name of the method in a study."""
        return _SEPARATOR.join((self.algorithm, self.setting, self.map))

    @classmethod
    def parse(cls, name: str) -> CandidateName:
        """Return the candidate of a name."""
        return cls(*name.split(_SEPARATOR))


def _make_map(name: str) -> Calibrator:
    """Return the map of a name: the paper's, of the scores themselves, or one of ours."""
    if name == "PLATT":
        return Platt(on="score")
    if name == "ISOTONIC":
        return Isotonic(mode="step")
    if name == SIGN:
        return Temperature()
    return _OURS[name]()


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
    return CalibratedClassifier(estimator, _make_map(name), cv=_N_FOLDS)


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
