"""Tests on five replications of twofold cross-validation: Dietterich's t (1998) and Alpaydin's F (1999)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import fdtrc, fdtri

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison, agreeing_ends
from calibrant.comparison._pairwise.input_validation import read_names, read_signed_differences
from calibrant.comparison._pairwise.t_tests import t_figures
from calibrant.comparison._passages import PASSAGES
from calibrant.exceptions import DataError
from calibrant.metrics._internal import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["five_by_two_test"]

_ASSUMES = "the differences of a fold are normal, those of different replications and of both folds nearly independent"


@fill_docstring(**PASSAGES)
def five_by_two_test(
    a: Any,
    b: Any,
    *,
    statistic: Literal["t", "f"] = "t",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Test whether two methods differ by five replications of twofold cross-validation (5x2cv).

    Each replication splits the rows at random into halves, trains on one, tests on the other, and vice versa. The
    difference between the two folds estimates the variance. Dietterich's t divides the very first difference by it,
    and so depends on which came first; Alpaydin's F uses all ten. Where learners differ much between the halves of a
    table both reject too often, the F more so. At the 5 % level, of two learners that do not differ on average, t finds
    a difference in 5.0 % of all cases with nearest centroids, 5.5 % with trees and 10.0 % with nearest neighbours, F
    in 5.5 %, 7.4 % and 12.3 % (docs/size_of_tests.md).

    Parameters
    ----------
    a, b : sequence of 10, or of 5 x 2
        The values of the two methods: both folds of the first replication, then those of the second, and so on.
    statistic : {"t", "f"}
        Dietterich's t with 5 degrees of freedom, or Alpaydin's F with 10 and 5.
    %(interval_and_names)s

    Returns
    -------
    Comparison
        ``statistic``, ``df`` (5), ``pvalue``, ``difference``, ``low``, ``high``. With t the difference is that of the
        first fold, as in the test. With F it is the mean of all ten, and the interval holds the differences that the
        test would not reject; it is NaN where it would reject all.

    Examples
    --------
    >>> a = [0.80, 0.82, 0.79, 0.81, 0.84, 0.80, 0.78, 0.83, 0.82, 0.80]
    >>> b = [0.78, 0.77, 0.76, 0.80, 0.79, 0.77, 0.77, 0.78, 0.80, 0.77]
    >>> result = five_by_two_test(a, b)
    >>> round(result.statistic, 3), round(result.pvalue, 3), round(result.difference, 3)
    (1.085, 0.328, 0.02)
    >>> round(five_by_two_test(a, b, statistic="f").statistic, 3)
    3.294
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("statistic", statistic, Choice("t", "f"))
    a, b = (_flatten(name, values) for name, values in (("a", a), ("b", b)))
    folds, named = read_signed_differences(a, b, "five_by_two_test").values.reshape(5, 2), read_names(names)
    within = float(((folds - folds.mean(axis=1, keepdims=True)) ** 2).sum())
    if statistic == "t":
        figures, measure = t_figures(float(folds[0, 0]), within / 5, 5, confidence), "difference of the first fold"
    else:
        figures, measure = _f_figures(folds, within, confidence), "mean difference"
    test = "5x2cv F-test" if statistic == "f" else "5x2cv t-test"
    return Comparison(
        *figures, confidence, 10, test, _ASSUMES, named, measure, "F" if statistic == "f" else "t", "5 x 2 folds"
    )


def _f_figures(
    folds: NDArray[np.float64], within: float, confidence: float
) -> tuple[float, float, float, float, float, float]:
    """Return Alpaydin's F with the interval of the mean differences that it would not reject."""
    mean, total = float(folds.mean()), float((folds**2).sum())
    ratio = total / (2 * within) if within else (math.inf if total else 0.0)
    about = 2 * within * float(fdtri(10, 5, confidence)) - float(((folds - mean) ** 2).sum())
    half = math.sqrt(about / 10) if about >= 0 else math.nan
    pvalue = float(fdtrc(10, 5, ratio)) if math.isfinite(ratio) else 0.0
    return ratio, 5, pvalue, mean, *agreeing_ends((mean - half, mean + half), pvalue, mean, confidence)


def _flatten(name: str, values: Any) -> Any:
    try:
        shape = np.shape(values)
    except ValueError as error:
        raise DataError(
            f"{name} must have 10 values, both folds of each of 5 replications; got unequal rows."
        ) from error
    if shape not in ((10,), (5, 2)):
        raise DataError(f"{name} must have 10 values, both folds of each of 5 replications; got shape {shape}.")
    return np.ma.asarray(values).reshape(10)
