"""Tree styles of the IND package, as Caruana & Niculescu-Mizil (2004) ran them, and of C4.4."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

from calibrant._params import Choice, check_param
from calibrant.estimates import Laplace, MEstimate, PathAverage
from calibrant.exceptions import ParameterError
from calibrant.trees._classifier import ProbabilityTreeClassifier
from calibrant.trees._tree_params import TreeParamsMixin

_NOT_OF_A_STYLE = {"estimate", "confidence", "subtree_raising", "nominal", "max_bins", "tie_break", "honest"}
# Every parameter that shapes a tree, so that a style is the same in an ensemble whose defaults are others.
_C45: Final[dict[str, Any]] = {
    each.name: each.default for each in fields(TreeParamsMixin) if each.name not in _NOT_OF_A_STYLE
}
# IND grows until a node weighs less than 1, with half a row at least on each side of a cut, cuts half-way between two
# values, and stops at depth 200.
_IND: Final[dict[str, Any]] = {
    **_C45,
    "min_leaf": 0.5,
    "min_cut": "min_leaf",
    "threshold": "midpoint",
    "mdl_penalty": False,
    "max_depth": 200,
}
# 1/K rows of each class: IND's default.
_ONE_ROW: Final = MEstimate(1, prior="uniform")
_CART: Final[dict[str, Any]] = {
    **_IND,
    "criterion": "gini",
    "nominal_splits": "subset",
    "prune": "cost_complexity",
    "estimate": _ONE_ROW,
}
_MML: Final[dict[str, Any]] = {**_IND, "criterion": "mml", "prune": "map"}

STYLES: Final[dict[str, dict[str, Any]]] = {
    # ALGORITHMS.md 8.5: IND's formulas are known from its sources, the composition of the styles is not.
    "bayes": {**_IND, "criterion": "bayes", "estimate": PathAverage()},
    "id3": {**_IND, "criterion": "entropy", "estimate": _ONE_ROW},
    "cart": {**_CART, "ccp_alpha": "cv_1se"},
    "cart0": {**_CART, "ccp_alpha": "cv"},
    "c4": {**_IND, "min_cut": "c45", "prune": "continuity", "estimate": _ONE_ROW},
    "mml": {**_MML, "estimate": _ONE_ROW},
    "smml": {**_MML, "prune": None, "estimate": PathAverage(prior="wallace")},
    "c44ls": {**_C45, "estimate": Laplace()},
    "c44bs": {**_C45, "estimate": PathAverage(prior="wallace")},
    "mmlls": {**_MML, "estimate": Laplace()},
}


def tree_style(name: str, *, alpha: float | None = None, **params: Any) -> ProbabilityTreeClassifier:
    """Return an unfitted tree of one of the ten styles of Caruana & Niculescu-Mizil (2004).

    Seven are those of Buntine's IND package, whose front end is lost: how criteria, pruning and probabilities are put
    together is our reading of its sources and of Buntine (1992). :doc:`/learning` has the table.

    Parameters
    ----------
    name : {"bayes", "id3", "cart", "cart0", "c4", "mml", "smml", "c44ls", "c44bs", "mmlls"}
        The style, in lower or upper case.
    alpha : float, optional
        The prior count of each class in the probabilities: of a leaf, or of all nodes on the path where the style
        averages over them. None: 1 for ``"bayes"``, ``"smml"``, ``"c44ls"``, ``"c44bs"`` and ``"mmlls"``, else 1
        divided by the number of classes. 0, where the style does not average: the frequencies of the leaf.
    **params
        Parameters of `ProbabilityTreeClassifier` that replace those of the style.

    Returns
    -------
    ProbabilityTreeClassifier
        The tree.

    References
    ----------
    W. Buntine, "Learning classification trees", 1992. C. S. Wallace and J. D. Patrick, "Coding decision trees", 1993.
    R. Caruana and A. Niculescu-Mizil, "Obtaining calibrated probabilities from boosting", 2004.

    Examples
    --------
    >>> tree_style("mml", class_weight="balanced").prune
    'map'
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1]
    >>> tree_style("bayes").fit(X, y).predict_proba([[1]]).round(3)
    array([[0.728, 0.272]])
    >>> tree_style("id3", alpha=0).fit(X, y).predict_proba([[1]])
    array([[1., 0.]])
    """
    lower = name.lower() if isinstance(name, str) else name
    check_param("name", lower, Choice(*STYLES))
    chosen = dict(STYLES[lower])
    if alpha is not None:
        if "estimate" in params:
            raise ParameterError("tree_style: alpha is a number of the style's own estimate; got estimate= as well.")
        own = chosen["estimate"]
        chosen["estimate"] = replace(own, alpha=alpha) if isinstance(own, PathAverage) else Laplace(alpha)
    return ProbabilityTreeClassifier(**{**chosen, **params})
