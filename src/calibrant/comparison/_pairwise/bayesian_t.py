"""The Bayesian correlated t-test of Corani & Benavoli (2015)."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import stdtr

from calibrant._params import Nothing, Real, check_param
from calibrant.comparison._pairwise.paired_values import read_differences, read_names
from calibrant.comparison._pairwise.posterior import Posterior
from calibrant.comparison._pairwise.t_tests import CONFIDENCE, figures_of, mean_size
from calibrant.exceptions import ParameterError

__all__ = ["ROPE", "bayesian_correlated_t_test"]

ROPE = Real(0)
_RHO = Real(0, 1, closed="left") | Nothing()


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
    """Give the probabilities that one method is better than another, or practically as good, over trials of one set.

    Trials that divide the same rows anew are correlated; as Nadeau & Bengio, Corani & Benavoli (2015) take the
    correlation to be n_test / (n_train + n_test). The mean difference has then Student's distribution, with as many
    degrees of freedom as in `corrected_resampled_t_test` and the same scale.

    Parameters
    ----------
    a, b : sequence of length n
        The values of the two methods; those at one position come from the same trial.
    n_train, n_test : number or sequence of length n
        Rows trained on and tested on in a trial, or in each; only the ratio of their means counts: 9 and 1 for tenfold
        cross-validation.
    rho : float, optional
        The correlation of trials, instead of these: 0.1 for tenfold cross-validation, 0 for independent trials.
    rope : float
        The difference that does not matter, such as 0.01 for accuracy: the region of practical equivalence goes from
        -rope to rope.
    confidence : float
        Probability of the interval of the difference.
    names : tuple of two str
        What the methods are called when the result is printed.

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
    found, named = read_differences(a, b, "bayesian_correlated_t_test"), read_names(names)
    ratio = _ratio(n_train, n_test, rho, found.n)
    variance = (1.0 / found.n + ratio) * found.variance
    statistic, df, pvalue, mean, low, high = figures_of(found.mean, variance, found.n - 1, confidence)
    less, greater = (_beyond(sign * mean, rope, math.sqrt(variance), df) for sign in (-1.0, 1.0))
    assumes = (
        f"the differences are normal, as alike as n_test/n_train = {ratio:.3g} says, and nothing was known of their "
        "mean and variance before"
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
    """Give the rows tested on for each trained on, as told or as the correlation says."""
    check_param("rho", rho, _RHO)
    if rho is None and n_train is None and n_test is None:
        raise ParameterError("n_train and n_test must be given, or rho: how alike the trials are.")
    if rho is None:
        return mean_size("n_test", n_test, n) / mean_size("n_train", n_train, n)
    if n_train is not None or n_test is not None:
        raise ParameterError("rho must be given alone, or n_train and n_test; they say the same.")
    return rho / (1.0 - rho)


def _beyond(mean: float, rope: float, scale: float, df: float) -> float:
    """Give the probability of more than rope; at a certain difference of exactly that, one half where rope is 0."""
    if scale:
        return float(stdtr(df, (mean - rope) / scale))
    return 0.5 if mean == rope == 0.0 else float(mean > rope)
