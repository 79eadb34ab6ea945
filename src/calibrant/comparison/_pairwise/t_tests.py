"""Student's paired t-test, and its correction by Nadeau & Bengio (2003) for trials that share rows."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtr, stdtrit

from calibrant._docstrings import fill_docstring
from calibrant._params import Int, Nothing, Real, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison, agreeing_ends
from calibrant.comparison._pairwise.input_validation import read_difference_moments, read_names
from calibrant.comparison._passages import PASSAGES
from calibrant.exceptions import ParameterError
from calibrant.metrics._internal import CONFIDENCE

__all__ = ["corrected_resampled_t_test", "mean_size", "paired_t_test", "t_figures"]

Figures: TypeAlias = tuple[float, float, float, float, float, float]

_DEGREES = Real(0, closed="neither") | Nothing()


@fill_docstring(**PASSAGES)
def paired_t_test(a: Any, b: Any, *, confidence: float = 0.95, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """Test whether the values of two methods differ, pair by pair: Student's t-test, two-sided.

    Its pairs must be independent: a data set each, or test rows each. Trials that split the same rows repeatedly are
    not, and the test then finds differences where there are none, the more often the more trials: use
    `corrected_resampled_t_test`.

    %(pair_sections)s
        ``statistic``, ``df`` (n - 1), ``pvalue``, ``difference`` (mean of a less mean of b), ``low``, ``high``. Where
        all pairs differ by the same amount ``pvalue`` is 0; where all are equal it is 1.

    See Also
    --------
    scipy.stats.ttest_rel : The same figures, NaN where all pairs are equal.

    Examples
    --------
    >>> result = paired_t_test([0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 4)
    (3.873, 3, 0.0305)
    """
    check_param("confidence", confidence, CONFIDENCE)
    found, named = read_difference_moments(a, b, "paired_t_test"), read_names(names)
    figures = t_figures(found.mean, found.variance / found.n, found.n - 1, confidence)
    assumes = "the pairs are independent and their differences roughly normal"
    return Comparison(*figures, confidence, found.n, "paired t-test", assumes, named)


@fill_docstring(**PASSAGES)
def corrected_resampled_t_test(
    a: Any,
    b: Any,
    *,
    n_train: Any,
    n_test: Any,
    k: int | None = None,
    df: float | None = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Test whether two methods differ over trials that split the same rows repeatedly (Nadeau & Bengio 2003).

    The statistic is ``mean / sqrt((1/k + n_test/n_train) variance)`` of the differences: trials that share rows
    carry less information than independent ones, so their number alone does not make a difference significant.
    It is a heuristic, and finds differences where there are none far more rarely than `paired_t_test`, if still
    somewhat too often.

    By default `k` is the number of pairs, as in Nadeau & Bengio and in Weka. For tenfold cross-validation repeated ten
    times Witten, Frank & Hall (2011, section 5.5) print ``k=10``, the number of repetitions, beside the variance of all
    100 differences: that is more cautious and has 9 degrees of freedom.

    Parameters
    ----------
    %(trials)s
    n_train, n_test : number or sequence of length n
        Numbers of training rows and of test rows, of all trials or of each; only the ratio of their means counts.
    k : int, optional
        Number of differences in the formula; by default n.
    df : float, optional
        Degrees of freedom; by default k - 1.
    %(interval_and_names)s

    Returns
    -------
    %(t_figures)s

    Examples
    --------
    >>> a, b = [0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82]
    >>> result = corrected_resampled_t_test(a, b, n_train=100, n_test=50)
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 4)
    (2.236, 3, 0.1114)
    """
    for name, value, rule in (("confidence", confidence, CONFIDENCE), ("k", k, Int(1) | Nothing())):
        check_param(name, value, rule)
    found, named = read_difference_moments(a, b, "corrected_resampled_t_test"), read_names(names)
    ratio = mean_size("n_test", n_test, found.n) / mean_size("n_train", n_train, found.n)
    pairs = found.n if k is None else k
    figures = t_figures(found.mean, (1.0 / pairs + ratio) * found.variance, _degrees(df, pairs), confidence)
    assumes = f"the differences are roughly normal, the trials correlated as n_test/n_train = {ratio:.3g} implies"
    test = "corrected resampled t-test" if k is None else f"corrected resampled t-test (k = {k})"
    return Comparison(*figures, confidence, found.n, test, assumes, named)


def t_figures(mean: float, variance: float, df: float, confidence: float) -> Figures:
    """Return statistic, degrees of freedom, p-value, difference and its limits by the variance of a mean difference.

    Examples
    --------
    >>> [round(figure, 3) for figure in t_figures(2.0, 1.0, 9, 0.95)]
    [2.0, 9, 0.077, 2.0, -0.262, 4.262]
    """
    error = math.sqrt(variance)
    certain = math.copysign(math.inf, mean) if mean else 0.0
    statistic = mean / error if error else certain
    pvalue = 2.0 * float(stdtr(df, -abs(statistic)))
    half = float(stdtrit(df, 0.5 + 0.5 * confidence)) * error
    return statistic, df, pvalue, mean, *agreeing_ends((mean - half, mean + half), pvalue, mean, confidence)


def _degrees(df: float | None, k: int) -> float:
    check_param("df", df, _DEGREES)
    if df is None and k == 1:
        raise ParameterError("k is 1, which leaves no degree of freedom; pass df= too.")
    return k - 1 if df is None else df


def mean_size(name: str, size: Any, n: int) -> float:
    """Check the numbers of rows of trials, one for all or one for each, and return their mean.

    Examples
    --------
    >>> mean_size("n_test", [10, 12], 2)
    11.0
    """
    try:
        sizes = np.asarray(size)
    except ValueError:  # rows of unequal length
        sizes = np.empty(0)
    is_right = sizes.dtype.kind in "iuf" and sizes.shape in ((), (n,)) and (np.isfinite(sizes) & (sizes > 0)).all()
    if not is_right:
        raise ParameterError(f"{name} must be a number above 0, or one for each of the {n} trials; got {size!r}.")
    return float(sizes.mean())
