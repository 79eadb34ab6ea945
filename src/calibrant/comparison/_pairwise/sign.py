"""The sign test: the number of pairs in which each method is the better one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import bdtr

from calibrant._docstrings import fill_docstring
from calibrant._params import check_param
from calibrant.comparison._pairwise.comparison_result import Comparison
from calibrant.comparison._pairwise.input_validation import read_names, read_signed_differences
from calibrant.comparison._passages import PASSAGES
from calibrant.metrics._internal import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["binomial_pvalue", "sign_test"]


@fill_docstring(**PASSAGES)
def sign_test(a: Any, b: Any, *, confidence: float = 0.95, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """Test whether two methods are equally often the better one: exact, two-sided, equal pairs left out.

    It uses only the signs of the differences, so no outlier matters, and has less power than `wilcoxon`.

    %(pair_sections)s
        ``statistic`` (the pairs in which a is greater), ``pvalue``, ``difference`` (the median difference of
        unequal pairs), ``low`` and ``high``: its interval, between two of the sorted differences, whose coverage is at
        least `confidence` and which is infinite where there are too few pairs.

    See Also
    --------
    scipy.stats.binomtest : The same p-value from the counts.

    Examples
    --------
    >>> result = sign_test([5, 6, 7, 8, 9, 10, 3], [4, 4, 4, 4, 4, 4, 4])
    >>> result.statistic, result.pvalue, result.difference
    (6, 0.125, 3.0)
    """
    check_param("confidence", confidence, CONFIDENCE)
    found, named = read_signed_differences(a, b, "sign_test").values, read_names(names)
    wins, losses, n = int((found > 0).sum()), int((found < 0).sum()), len(found)
    kept = found[found != 0.0] if wins + losses else found
    return Comparison(
        wins,
        math.nan,
        binomial_pvalue(wins, losses),
        float(np.median(kept)),
        *_median_interval(np.sort(kept), confidence),
        confidence,
        n,
        "sign test",
        "the pairs are independent",
        named,
        measure="median difference",
        letter="wins",
        n_different=wins + losses,
    )


def binomial_pvalue(wins: int, losses: int) -> float:
    """Return the two-sided p-value of wins and losses that are equally likely.

    Examples
    --------
    >>> binomial_pvalue(1, 7)
    0.0703125
    """
    return min(1.0, 2.0 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def _median_interval(ordered: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the k-th least and greatest value, with k as great as the binomial tail allows."""
    n, tail = len(ordered), 0.5 * (1.0 - confidence)
    k = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), tail, side="right"))
    return (float(ordered[k - 1]), float(ordered[n - k])) if k else (-math.inf, math.inf)
