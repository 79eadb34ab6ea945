"""Student's t-test of two samples that are not paired."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Real, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison
from calibrant.comparison._pairwise.input_validation import read_names, read_sample_moments
from calibrant.comparison._pairwise.t_tests import t_figures
from calibrant.comparison._passages import PASSAGES
from calibrant.metrics._internal import CONFIDENCE

__all__ = ["unpaired_t_test"]


@fill_docstring(**PASSAGES)
def unpaired_t_test(
    a: Any,
    b: Any,
    *,
    df: Literal["conservative", "welch"] | float = "conservative",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Test whether the means of two methods differ where their values are not paired: two-sided, unequal variances.

    For published results, or trials on different rows. Where values are paired, `paired_t_test` has more power.
    The statistic is the difference of the means divided by ``sqrt(var(a)/len(a) + var(b)/len(b))``.

    Parameters
    ----------
    a, b : sequence
        The values of the two methods; there may be more of one than of the other.
    df : {"conservative", "welch"} or float
        Degrees of freedom: those of the smaller sample, as Witten, Frank & Hall (2011, section 5.5) advise, which is
        conservative; or Welch's (1947) estimate, which lies between these and those of both together.
    %(interval_and_names)s

    Returns
    -------
    %(t_figures)s

    See Also
    --------
    scipy.stats.ttest_ind : Welch's test with ``equal_var=False``.

    Examples
    --------
    >>> result = unpaired_t_test([0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 3)
    (1.841, 2, 0.207)
    >>> round(unpaired_t_test([0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77], df="welch").df, 2)
    4.5
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("df", df, Choice("conservative", "welch") | Real(0, closed="neither"))
    found, named = read_sample_moments(a, b, "unpaired_t_test"), read_names(names)
    errors, degrees = np.divide(found.variances, found.n), np.subtract(found.n, 1)
    figures = t_figures(found.difference, float(errors.sum()), _degrees(df, errors, degrees), confidence)
    kind = {"conservative": " (conservative degrees of freedom)", "welch": " (Welch's degrees of freedom)"}.get(str(df))
    return Comparison(
        *figures,
        confidence,
        sum(found.n),
        f"unpaired t-test{kind or ''}",
        "all values are independent and their means roughly normal",
        named,
        drawn=f"{found.n[0]} and {found.n[1]} values",
    )


def _degrees(df: str | float, errors: Any, degrees: Any) -> float:
    if df == "conservative" or (df == "welch" and not errors.any()):
        return int(degrees.min())
    shares = errors / errors.sum() if df == "welch" else errors  # squares of shares do not overflow
    return float(1.0 / (shares**2 / degrees).sum()) if df == "welch" else float(df)
