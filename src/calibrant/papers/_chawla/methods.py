"""The systems of the paper, and further ones below them: the same trees read and grown in other ways."""

from __future__ import annotations

from typing import Any, Final

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.papers._reproduction.paper import C45
from calibrant.trees import ProbabilityTreeClassifier

BASELINE: Final = "Frequency"
SMOOTHED: Final = ("Laplace", "m-estimate", "Bagged", "Bagged-Laplace")  # the bars of Figure 3

_N_BAGS = 30


def paper_methods() -> dict[str, Any]:
    """Return the systems of Figure 3 and Table 3, and below them others that its findings are compared with.

    These are the bagged m-estimate, collapsed trees, and the estimates of Zadrozny & Elkan (2001).
    """
    return {
        BASELINE: ProbabilityTreeClassifier(estimate="frequency"),
        "Laplace": ProbabilityTreeClassifier(estimate="laplace"),
        "m-estimate": ProbabilityTreeClassifier(estimate="m"),
        "Bagged": _bagged("frequency"),
        "Bagged-Laplace": _bagged("laplace"),
        "Pruned frequency": ProbabilityTreeClassifier(estimate="frequency", prune="pessimistic", collapse=True),
        "Pruned Laplace": ProbabilityTreeClassifier(estimate="laplace", prune="pessimistic", collapse=True),
        "Bagged m-estimate": _bagged("m"),
        "Collapsed frequency": ProbabilityTreeClassifier(estimate="frequency", collapse=True),
        "Collapsed Laplace": ProbabilityTreeClassifier(estimate="laplace", collapse=True),
        "Curtailment": ProbabilityTreeClassifier(estimate="curtailment"),
        "Smoothed curtailment": ProbabilityTreeClassifier(estimate="smoothed_curtailment"),
        "Bagged curtailment": _bagged("curtailment"),
    }


def _bagged(estimate: str) -> BaggedTreesClassifier:
    return BaggedTreesClassifier(n_trees=_N_BAGS, estimate=estimate, prune=None, collapse=False, **C45)
