"""The systems of the paper, and further ones below them: the same trees read and grown in other ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier

BASELINE: Final = "Frequency"
SMOOTHED: Final = ("Laplace", "m-estimate", "Bagged", "Bagged-Laplace")  # the bars of Figure 3

_N_BAGS = 30
# C4.5's own options: forests of calibrant have other defaults.
_C45: Final[Mapping[str, Any]] = {
    "criterion": "gain_ratio",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "min_leaf": 2,
    "missing": "fractional",
    "tie_break": "first",
}


def paper_methods() -> dict[str, Any]:
    """Return the systems of Figure 3 and Table 3, and below them others that its findings are compared with.

    These are the bagged m-estimate, collapsed trees, and the estimates of Zadrozny & Elkan (2001).
    """
    return {
        BASELINE: _tree("frequency"),
        "Laplace": _tree("laplace"),
        "m-estimate": _tree("m"),
        "Bagged": _bagged("frequency"),
        "Bagged-Laplace": _bagged("laplace"),
        "Pruned frequency": _tree("frequency", prune="pessimistic", collapse=True),
        "Pruned Laplace": _tree("laplace", prune="pessimistic", collapse=True),
        "Bagged m-estimate": _bagged("m"),
        "Collapsed frequency": _tree("frequency", collapse=True),
        "Collapsed Laplace": _tree("laplace", collapse=True),
        "Curtailment": _tree("curtailment"),
        "Smoothed curtailment": _tree("smoothed_curtailment"),
        "Bagged curtailment": _bagged("curtailment"),
    }


def _tree(estimate: str, **params: Any) -> ProbabilityTreeClassifier:
    return ProbabilityTreeClassifier(estimate=estimate, **params, **_C45)


def _bagged(estimate: str) -> BaggedTreesClassifier:
    return BaggedTreesClassifier(n_trees=_N_BAGS, estimate=estimate, prune=None, collapse=False, **_C45)
