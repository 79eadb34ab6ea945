"""Wilcoxon's signed-rank test, exact even with ties and zeros."""

from __future__ import annotations

import math
from typing import Any, Literal

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison, agreeing_ends
from calibrant.comparison._pairwise.input_validation import read_names, read_signed_differences
from calibrant.comparison._pairwise.signed_rank_distribution import (
    EXACT_UP_TO,
    pseudo_median,
    pseudo_median_interval,
    signed_rank_pvalue,
)
from calibrant.comparison._passages import PASSAGES
from calibrant.metrics._internal import CONFIDENCE

__all__ = ["wilcoxon"]


@fill_docstring(**PASSAGES)
def wilcoxon(
    a: Any,
    b: Any,
    *,
    zeros: Literal["drop", "pratt"] = "drop",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Test whether the differences of two methods are centred at 0: Wilcoxon's signed-rank test (1945), two-sided.

    The test for two methods over many data sets: it assumes no normal distribution, and a large difference on one
    data set counts for no more than its rank (Demšar 2006). The p-value is exact for up to 200 pairs, conditional on
    the sizes of the differences, even where some are equal; beyond, it is by the normal approximation.

    Parameters
    ----------
    %(pairs)s
    zeros : {"drop", "pratt"}
        How equal pairs are handled: left out, as by Wilcoxon; or ranked and then left out (Pratt 1959).
    %(interval_and_names)s

    Returns
    -------
    Comparison
        ``statistic`` (the sum of the ranks of the pairs in which a is greater), ``pvalue``, ``difference`` (Hodges and
        Lehmann's estimate, the median of the averages of two differences), ``low``, ``high`` (the shifts that the test
        would not reject, ties apart); of the pairs that are not left out.

    See Also
    --------
    scipy.stats.wilcoxon : Its exact method takes no ties in some versions, and breaks them at random in others.

    Examples
    --------
    >>> result = wilcoxon([5, 6, 7, 8, 9, 10, 3], [4, 4, 4, 4, 4, 4, 4])
    >>> result.statistic, result.pvalue, result.difference
    (26.5, 0.046875, 3.0)
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("zeros", zeros, Choice("drop", "pratt"))
    (values, all_ranks), named = read_signed_differences(a, b, "wilcoxon"), read_names(names)
    n, is_zero = len(values), values == 0.0
    n_zero = int(is_zero.sum())
    ranks = all_ranks[~is_zero] - (n_zero if zeros == "drop" else 0)
    positive = float(ranks[values[~is_zero] > 0].sum())
    kept = values if zeros == "pratt" or n_zero == n else values[~is_zero]
    pvalue, difference = signed_rank_pvalue(positive, ranks), pseudo_median(kept)
    return Comparison(
        positive,
        math.nan,
        pvalue,
        difference,
        *agreeing_ends(pseudo_median_interval(kept, confidence), pvalue, difference, confidence),
        confidence,
        n,
        f"Wilcoxon signed-rank test ({'exact' if n - n_zero <= EXACT_UP_TO else 'normal approximation'})",
        "the pairs are independent and their differences symmetric about a middle",
        named,
        measure="pseudo-median of the differences",
        letter="W",
        n_different=n - n_zero,
    )
