"""t-tests of two methods, with the corrections that trials of the same rows need."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, fdtri, stdtr, stdtrit

from calibrant._params import CONFIDENCE, Choice, Int, Nothing, Real, check_param
from calibrant.comparison._input_validation import (
    read_difference_moments,
    read_names,
    read_sample_moments,
    read_signed_differences,
)
from calibrant.comparison._passages import document_test
from calibrant.comparison._results import Comparison, Posterior, agreeing_ends
from calibrant.exceptions import DataError, ParameterError

Figures: TypeAlias = tuple[float, float, float, float, float, float]


@document_test
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


@document_test
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
    check_param("df", df, Real(0, closed="neither") | Nothing())
    if df is None and pairs == 1:
        raise ParameterError("k is 1, which leaves no degree of freedom; pass df= too.")
    degrees = pairs - 1 if df is None else df
    figures = t_figures(found.mean, (1.0 / pairs + ratio) * found.variance, degrees, confidence)
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


@document_test
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
    figures = t_figures(found.difference, float(errors.sum()), _unpaired_degrees(df, errors, degrees), confidence)
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


def _unpaired_degrees(df: str | float, errors: Any, degrees: Any) -> float:
    if df == "conservative" or (df == "welch" and not errors.any()):
        return int(degrees.min())
    shares = errors / errors.sum() if df == "welch" else errors  # squares of shares do not overflow
    return float(1.0 / (shares**2 / degrees).sum()) if df == "welch" else float(df)


_ASSUMES = "the differences of a fold are normal, those of different replications and of both folds nearly independent"


@document_test
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


ROPE = Real(0)
_RHO = Real(0, 1, closed="left") | Nothing()


@document_test
def bayesian_correlated_t_test(
    a: Any,
    b: Any,
    *,
    n_train: Any = None,
    n_test: Any = None,
    rho: float | None = None,
    rope: float = 0.0,
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Posterior:
    """Return the probabilities that one method is better than another, or equivalent, over trials of one data set.

    Trials that split the same rows repeatedly are correlated; like Nadeau & Bengio, Corani & Benavoli (2015) assume the
    correlation n_test / (n_train + n_test). The mean difference then has Student's distribution, with the degrees of
    freedom and the scale of `corrected_resampled_t_test`.

    Parameters
    ----------
    %(trials)s
    n_train, n_test : number or sequence of length n
        Numbers of training rows and of test rows, of all trials or of each; only the ratio of their means counts: 9
        and 1 for tenfold cross-validation.
    rho : float, optional
        The correlation of trials, instead of the numbers of rows: 0.1 for tenfold cross-validation, 0 for independent
        trials.
    %(rope)s
    confidence : float
        Probability of the interval of the difference.
    names : tuple of two str
        The names of the methods in the printed result.

    Returns
    -------
    Posterior
        ``less``, ``equivalent``, ``greater``, ``difference`` (mean of a less mean of b), ``low``, ``high``.

    References
    ----------
    G. Corani and A. Benavoli, "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
    *Machine Learning* 100, 2015.

    Examples
    --------
    >>> a, b = [0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82]
    >>> result = bayesian_correlated_t_test(a, b, n_train=90, n_test=10, rope=0.01)
    >>> round(result.less, 3), round(result.equivalent, 3), round(result.greater, 3)
    (0.01, 0.064, 0.926)
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("rope", rope, ROPE)
    found, named = read_difference_moments(a, b, "bayesian_correlated_t_test"), read_names(names)
    ratio = _ratio(n_train, n_test, rho, found.n)
    variance = (1.0 / found.n + ratio) * found.variance
    statistic, df, pvalue, mean, low, high = t_figures(found.mean, variance, found.n - 1, confidence)
    less, greater = (_beyond(sign * mean, rope, math.sqrt(variance), df) for sign in (-1.0, 1.0))
    assumes = (
        f"the differences are normal, correlated as n_test/n_train = {ratio:.3g} implies, with a flat prior of their "
        "mean and log variance"
    )
    equivalent = max(0.0, 1.0 - less - greater)
    return Posterior(
        *(less, equivalent, greater, float(rope), mean, low, high, confidence, found.n),
        *("Bayesian correlated t-test", assumes, named),
        statistic=statistic,
        df=df,
        pvalue=pvalue,
    )


def _ratio(n_train: Any, n_test: Any, rho: float | None, n: int) -> float:
    """Return the ratio of test rows to training rows, as passed or as the correlation implies."""
    check_param("rho", rho, _RHO)
    if rho is None and n_train is None and n_test is None:
        raise ParameterError("n_train and n_test must be passed, or rho, the correlation of the trials; got neither.")
    if rho is None:
        return mean_size("n_test", n_test, n) / mean_size("n_train", n_train, n)
    if n_train is not None or n_test is not None:
        raise ParameterError("rho must not be passed with n_train and n_test, which imply it; pass one or the others.")
    return rho / (1.0 - rho)


def _beyond(mean: float, rope: float, scale: float, df: float) -> float:
    """Return the probability of a difference above rope; one half where it is certain to be 0 and rope is 0."""
    if scale:
        return float(stdtr(df, (mean - rope) / scale))
    return 0.5 if mean == rope == 0.0 else float(mean > rope)
