"""The candidates of a number that cross-validation chooses."""

from __future__ import annotations

import math
from typing import Final

from calibrant.estimates._base import CountedTree
from calibrant.exceptions import ParameterError

__all__ = ["CV", "not_chosen", "powers_of_two"]

CV: Final = "cv"


def powers_of_two(tree: CountedTree, *, low: float = 1.0) -> tuple[float, ...]:
    """Return ``low`` times 1, 2, 4 ... up to the training weight of a tree.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> powers_of_two(SimpleNamespace(weight=np.array([9.0, 5, 4])))
    (1.0, 2.0, 4.0, 8.0)
    """
    steps = math.floor(math.log2(max(float(tree.weight[0]) / low, 1.0)))
    return tuple(low * 2.0**step for step in range(steps + 1))


def not_chosen(who: str, parameter: str) -> ParameterError:
    """Return the error of an estimate whose number is not chosen yet.

    Examples
    --------
    >>> raise not_chosen("MEstimate", "m")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: MEstimate: m must be a number to compute probabilities; got 'cv', which a
    classifier chooses in fit. Pass a number, or use one of candidates(tree).
    """
    return ParameterError(
        f"{who}: {parameter} must be a number to compute probabilities; got 'cv', which a classifier chooses in fit. "
        "Pass a number, or use one of candidates(tree)."
    )
