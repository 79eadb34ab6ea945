"""The parameters of a forest, those of its trees included, and the rules that ``fit`` checks first."""

from __future__ import annotations

import math
from typing import Literal, Protocol, TypeAlias

from calibrant._params import Bool, Choice, Int, Nothing, Real, Rule
from calibrant.ensembles._bagging.bags import Bootstrap
from calibrant.ensembles._tree_style import STYLE_RULE
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import RULES as TREE_RULES
from calibrant.trees._internal import TreeParams

__all__ = ["BAGGED_RULES", "RULES", "ForestParams", "MaxFeatures", "n_drawn"]

MaxFeatures: TypeAlias = int | float | Literal["sqrt", "ceil_sqrt", "log2"] | None


class ForestParams(TreeParams, Protocol):
    """The parameters that growing and reading a forest use."""

    n_trees: int
    bootstrap: Bootstrap | None
    max_samples: float
    max_features: MaxFeatures
    redraw: bool
    combine: Literal["average", "vote"]
    smooth_votes: bool


RULES: dict[str, Rule] = TREE_RULES | {
    "n_trees": Int(1),
    "bootstrap": Choice("uniform", "by_class", "by_group", "subsample") | Nothing(),
    "max_samples": Real(0, 1, closed="right"),
    "max_features": Choice("sqrt", "ceil_sqrt", "log2") | Int(1) | Real(0, 1, closed="right") | Nothing(),
    "redraw": Bool(),
    "combine": Choice("average", "vote"),
    "smooth_votes": Bool(),
    "out_of_bag": Choice("ignore", "count", "only", "condition"),
    "out_of_bag_weight": Choice("auto", "leaf") | Real(0),
    "in_bag_counts": Choice("unique", "multiplicity"),
    "vote_trees": Choice("out_of_bag") | Real(0, 1, closed="right"),
    "warm_start": Bool(),
}

BAGGED_RULES: dict[str, Rule] = {**RULES, "style": STYLE_RULE}  # a grown forest has the parameters, not the style


def n_drawn(max_features: MaxFeatures, n_columns: int) -> int:
    """Return the number of columns drawn at each node; 0 for all of them.

    Examples
    --------
    >>> [n_drawn(m, 20) for m in (None, "sqrt", "ceil_sqrt", "log2", 0.3, 7)]
    [0, 4, 5, 4, 6, 7]
    """
    if max_features is None:
        return 0
    if isinstance(max_features, str):
        n = {"sqrt": math.sqrt, "ceil_sqrt": lambda d: math.ceil(math.sqrt(d)), "log2": math.log2}[max_features](
            n_columns
        )
    else:
        n = max_features * n_columns if isinstance(max_features, float) else max_features
    if n > n_columns:
        raise ParameterError(
            f"max_features must be at most {n_columns}, the number of columns of X; got {max_features}."
        )
    return 0 if n == n_columns else max(1, int(n))
