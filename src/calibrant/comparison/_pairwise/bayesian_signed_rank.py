"""The Bayesian signed-rank test of Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Int, Real, Seed, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant.comparison._pairwise.bayesian_correlated_t import ROPE
from calibrant.comparison._pairwise.input_validation import read_names, read_signed_differences
from calibrant.comparison._pairwise.posterior import Posterior
from calibrant.comparison._pairwise.signed_rank_distribution import pseudo_median
from calibrant.comparison._passages import PASSAGES
from calibrant.metrics._internal import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bayesian_signed_rank_test"]

_ROUNDING = 1e-12  # of sums of weights, which are at most 1
_MAX_NUMBERS = 2**22  # in a temporary array: 32 MB
# Draws for the interval, fewer with many data sets: the standard error of a tail of 2.5 % is then 0.007 or 0.0025
_N_FOR_INTERVAL = (500, 4000)


@fill_docstring(**PASSAGES)
def bayesian_signed_rank_test(
    a: Any,
    b: Any,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_draws: int = 50_000,
    confidence: float = 0.95,
    random_state: SeedLike = 0,
    names: tuple[str, str] = ("a", "b"),
) -> Posterior:
    """Return the probabilities that one method is better than another, or equivalent, over many data sets.

    The Bayesian counterpart of `wilcoxon`. The data sets, and one pseudo-observation of weight `prior` where both
    methods are equal, get random weights (a Dirichlet process). In each draw the average of the differences on two
    data sets, drawn with these weights, is most probably below, within or above the region of practical equivalence;
    the result is how often each was the case.

    Parameters
    ----------
    a, b : sequence of length n
        The values of the two methods, one pair for each data set.
    %(rope)s
    prior : float
        Weight of the pseudo-observation.
    n_draws : int
        Number of draws; a probability near 1/2 is accurate to about ``1 / sqrt(n_draws)``.
    confidence : float
        Probability of the interval of the difference.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the draws.
    names : tuple of two str
        The names of the methods in the printed result.

    Returns
    -------
    Posterior
        ``less``, ``equivalent`` (0 where rope is 0), ``greater``; ``difference``, the pseudo-median of the differences,
        with its interval ``low``, ``high`` by the same draws.

    References
    ----------
    A. Benavoli and others, "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process", ICML 2014.
    A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change", JMLR 18, 2017.

    Examples
    --------
    >>> result = bayesian_signed_rank_test([5, 6, 7, 8, 9, 10, 3], [4, 4, 4, 4, 4, 4, 4], rope=0.5)
    >>> result.greater > 0.95, result.difference
    (True, 3.0)
    """
    for name, value, rule in (
        *(("confidence", confidence, CONFIDENCE), ("rope", rope, ROPE), ("n_draws", n_draws, Int(100))),
        *(("prior", prior, Real(0, closed="neither")), ("random_state", random_state, Seed())),
    ):
        check_param(name, value, rule)
    values, named = read_signed_differences(a, b, "bayesian_signed_rank_test").values, read_names(names)
    random = np.random.default_rng(seed_sequence(random_state))
    sets = np.append(values, 0.0)  # the pseudo-observation last
    draws = random.dirichlet(np.append(np.ones(len(values)), prior), n_draws)
    less, equivalent, greater = _shares(draws, sets, rope)
    low, high = np.quantile(
        _medians(draws[: _n_for_interval(len(sets))], sets), [0.5 - confidence / 2, 0.5 + confidence / 2]
    )
    assumes = f"the data sets are independent, and the prior is one data set of weight {prior:g} without a difference"
    return Posterior(
        *(less, equivalent, greater, float(rope), pseudo_median(values), float(low), float(high), confidence),
        *(len(values), "Bayesian signed-rank test", assumes, named, "pseudo-median of the differences"),
    )


def _shares(draws: NDArray[np.float64], sets: NDArray[np.float64], rope: float) -> tuple[float, float, float]:
    """Return how often below, within and above are the most probable; ties are shared equally."""
    above, below = _probability_beyond(draws, sets, rope), _probability_beyond(draws, -sets, rope)
    if rope == 0:
        lead = np.where(np.abs(above - below) > _ROUNDING, above - below, 0.0)
        greater = float(np.heaviside(lead, 0.5).mean())
        return 1.0 - greater, 0.0, greater
    three = np.stack([below, 1.0 - below - above, above])
    is_most = three == three.max(axis=0)
    less, equivalent, greater = (is_most / is_most.sum(axis=0)).mean(axis=1)
    return float(less), float(equivalent), float(greater)


def _probability_beyond(draws: NDArray[np.float64], sets: NDArray[np.float64], rope: float) -> NDArray[np.float64]:
    """Return the probability in each draw that the average of two data sets is above rope, one half where equal."""
    order = np.argsort(sets, kind="stable")
    ordered = sets[order]
    first, behind = (np.searchsorted(ordered, 2 * rope - ordered, side) for side in ("left", "right"))
    found = []
    for part in _blocks(draws, len(sets)):
        weights = part[:, order]
        up_to = np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
        found.append((weights * (1.0 - 0.5 * (up_to[:, first] + up_to[:, behind]))).sum(axis=1))
    return np.concatenate(found)


def _medians(draws: NDArray[np.float64], sets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted median of the averages of two data sets in each draw."""
    one, other = np.triu_indices(len(sets))
    order = np.argsort(sets[one] + sets[other], kind="stable")
    one, other = one[order], other[order]
    averages, twice = (sets[one] + sets[other]) / 2, np.where(one == other, 1.0, 2.0)
    found = [
        (np.cumsum(part[:, one] * part[:, other] * twice, axis=1) >= 0.5).argmax(axis=1)
        for part in _blocks(draws, len(one))
    ]
    return np.asarray(averages[np.concatenate(found)])


def _n_for_interval(n_sets: int) -> int:
    least, most = _N_FOR_INTERVAL
    return max(least, min(most, 20 * _MAX_NUMBERS // (n_sets * n_sets)))


def _blocks(draws: NDArray[np.float64], width: int) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of draws whose temporary arrays, of some width, stay within memory."""
    step = max(1, _MAX_NUMBERS // width)
    return (draws[start : start + step] for start in range(0, len(draws), step))
