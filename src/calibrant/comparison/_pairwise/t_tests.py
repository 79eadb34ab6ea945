"""Student's t-test on pairs, and as Nadeau & Bengio (2003) correct it for trials that share rows."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtr, stdtrit

from calibrant._params import Int, Nothing, Real, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison
from calibrant.comparison._pairwise.paired_values import read_differences, read_names
from calibrant.exceptions import ParameterError

__all__ = ["CONFIDENCE", "corrected_resampled_t_test", "figures_of", "mean_size", "paired_t_test"]

Figures: TypeAlias = tuple[float, float, float, float, float, float]

CONFIDENCE = Real(0, 1, closed="neither")
_DEGREES = Real(0, closed="neither") | Nothing()


def paired_t_test(a: Any, b: Any, *, confidence: float = 0.95, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """Test whether the values of two methods differ, pair by pair: Student's t-test, two-sided.

    Its pairs must be independent: a data set each, or test rows each. Trials that divide the same rows again and again
    are not, and the test then finds differences that are not there, the more the more trials: take
    `corrected_resampled_t_test`.

    Parameters
    ----------
    a, b : sequence of length n
        The values of the two methods; those at one position belong together.
    confidence : float
        Confidence of the interval of the difference.
    names : tuple of two str
        What the methods are called when the result is printed.

    Returns
    -------
    Comparison
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
    found, named = read_differences(a, b, "paired_t_test"), read_names(names)
    figures = figures_of(found.mean, found.variance / found.n, found.n - 1, confidence)
    assumes = "the pairs are independent and their differences roughly normal"
    return Comparison(*figures, confidence, found.n, "paired t-test", assumes, named)


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
    """Test whether two methods differ over trials that divide the same rows anew (Nadeau & Bengio 2003).

    The statistic is ``mean / sqrt((1/k + n_test/n_train) variance)`` of the differences: trials that share rows tell
    less than independent ones, so that many of them do not make a difference significant. It is a heuristic, and
    finds differences that are not there far more rarely than `paired_t_test`, if still somewhat too often.

    By default `k` is the number of pairs, as in Nadeau & Bengio and in Weka. For tenfold cross-validation repeated ten
    times Witten, Frank & Hall (2011, section 5.5) print ``k=10``, the number of repetitions, beside the variance of all
    100 differences: that is more cautious and has 9 degrees of freedom.

    Parameters
    ----------
    a, b : sequence of length n
        The values of the two methods; those at one position come from the same trial.
    n_train, n_test : number or sequence of length n
        Rows trained on and tested on in a trial, or in each; only the ratio of their means counts.
    k : int, optional
        Number of differences in the formula; by default n.
    df : float, optional
        Degrees of freedom; by default k - 1.
    confidence : float
        Confidence of the interval of the difference.
    names : tuple of two str
        What the methods are called when the result is printed.

    Returns
    -------
    Comparison
        ``statistic``, ``df``, ``pvalue``, ``difference`` (mean of a less mean of b), ``low``, ``high``.

    Examples
    --------
    >>> a, b = [0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82]
    >>> result = corrected_resampled_t_test(a, b, n_train=100, n_test=50)
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 4)
    (2.236, 3, 0.1114)
    """
    for name, value, rule in (("confidence", confidence, CONFIDENCE), ("k", k, Int(1) | Nothing())):
        check_param(name, value, rule)
    found, named = read_differences(a, b, "corrected_resampled_t_test"), read_names(names)
    ratio = mean_size("n_test", n_test, found.n) / mean_size("n_train", n_train, found.n)
    pairs = found.n if k is None else k
    figures = figures_of(found.mean, (1.0 / pairs + ratio) * found.variance, _degrees(df, pairs), confidence)
    assumes = f"the differences are roughly normal, the trials as alike as n_test/n_train = {ratio:.3g} says"
    test = "corrected resampled t-test" if k is None else f"corrected resampled t-test (k = {k})"
    return Comparison(*figures, confidence, found.n, test, assumes, named)


def figures_of(mean: float, variance: float, df: float, confidence: float) -> Figures:
    """Give statistic, degrees of freedom, p, difference and its limits from the variance of a mean difference.

    Examples
    --------
    >>> [round(figure, 3) for figure in figures_of(2.0, 1.0, 9, 0.95)]
    [2.0, 9, 0.077, 2.0, -0.262, 4.262]
    """
    error = math.sqrt(variance)
    certain = math.copysign(math.inf, mean) if mean else 0.0
    statistic = mean / error if error else certain
    pvalue = 2.0 * float(stdtr(df, -abs(statistic)))
    half = float(stdtrit(df, 0.5 + 0.5 * confidence)) * error
    return statistic, df, pvalue, mean, mean - half, mean + half


def _degrees(df: float | None, k: int) -> float:
    check_param("df", df, _DEGREES)
    if df is None and k == 1:
        raise ParameterError("k is 1, which leaves no degree of freedom; pass df= too.")
    return k - 1 if df is None else df


def mean_size(name: str, given: Any, n: int) -> float:
    """Check the rows of trials, one number or one for each, and give their mean.

    Examples
    --------
    >>> mean_size("n_test", [10, 12], 2)
    11.0
    """
    try:
        sizes = np.asarray(given)
    except ValueError:  # rows of unequal length
        sizes = np.empty(0)
    is_right = sizes.dtype.kind in "iuf" and sizes.shape in ((), (n,)) and (np.isfinite(sizes) & (sizes > 0)).all()
    if not is_right:
        raise ParameterError(f"{name} must be a number above 0, or one for each of the {n} trials; got {given!r}.")
    return float(sizes.mean())
