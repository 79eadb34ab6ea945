"""The names of the candidates: an algorithm, its setting, and the calibration map behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

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

__all__ = ["ALGORITHMS", "AUTO", "BLEND", "OUR_MAPS", "PAPER_MAPS", "SIGN", "CandidateName", "calibrated"]

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
    """What is tried: an algorithm, its setting in words, and a map.

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
