"""The Bayesian correlated t-test of Corani & Benavoli (2015)."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import stdtr

from calibrant._docstrings import fill_docstring
from calibrant._params import Nothing, Real, check_param
from calibrant.comparison._pairwise.input_validation import read_difference_moments, read_names
from calibrant.comparison._pairwise.posterior import Posterior
from calibrant.comparison._pairwise.t_tests import mean_size, t_figures
from calibrant.comparison._passages import PASSAGES
from calibrant.exceptions import ParameterError
from calibrant.metrics._internal import CONFIDENCE

__all__ = ["ROPE", "bayesian_correlated_t_test"]

ROPE = Real(0)
_RHO = Real(0, 1, closed="left") | Nothing()


@fill_docstring(**PASSAGES)
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
