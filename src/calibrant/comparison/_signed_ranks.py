"""Tests on the signs or signed ranks of differences: Wilcoxon's, the sign test, the Bayesian one.

Wilcoxon's is exact even with ties and zeros; its difference is the pseudo-median with its interval (Hodges & Lehmann
1963).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr, ndtri

from calibrant._params import CONFIDENCE, Choice, Int, Real, Seed, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant.comparison._input_validation import read_names, read_signed_differences
from calibrant.comparison._passages import document_test
from calibrant.comparison._results import Comparison, Posterior, agreeing_ends
from calibrant.comparison._t_tests import ROPE


@document_test
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


_ALL_AVERAGES_UP_TO = 150  # values: bisection takes as long for 300, and less for more
EXACT_UP_TO = 200  # pairs; beyond, the normal approximation is within 0.001 of the exact p-value


def signed_rank_pvalue(positive: float, ranks: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of the sum of the ranks of positive differences, exact even with tied ranks.

    Examples
    --------
    >>> signed_rank_pvalue(1.0, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    0.125
    """
    if len(ranks) == 0:
        return 1.0
    tail = min(positive, float(ranks.sum()) - positive)
    if len(ranks) <= EXACT_UP_TO:
        probabilities = _sum_probabilities(np.rint(2 * ranks).astype(np.intp))
        return min(1.0, 2.0 * float(probabilities[: round(2 * tail) + 1].sum()))
    deviation = tail - 0.5 * float(ranks.sum())
    return 2.0 * float(ndtr(min(0.0, deviation + 0.5) / (0.5 * math.sqrt(float((ranks**2).sum())))))


def pseudo_median(values: NDArray[np.float64]) -> float:
    """Return the median of the averages of all pairs of values, each paired with itself too.

    Examples
    --------
    >>> pseudo_median(np.array([1.0, 2.0, 9.0]))
    3.5
    """
    ordered, n_pairs = np.sort(values), len(values) * (len(values) + 1) // 2
    return 0.5 * (_pair_average(ordered, (n_pairs + 1) // 2) + _pair_average(ordered, n_pairs // 2 + 1))


def pseudo_median_interval(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the limits of the shifts that the signed-rank test does not reject; infinite where values are too few.

    Examples
    --------
    >>> pseudo_median_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]), 0.95)
    (1.0, 9.0)
    """
    n, tail = len(values), 0.5 * (1.0 - confidence)
    n_pairs = n * (n + 1) // 2
    if n <= EXACT_UP_TO:
        k = int(np.searchsorted(np.cumsum(_sum_probabilities(np.arange(1, n + 1))), tail, side="right"))
    else:
        k = math.floor(n_pairs / 2 + float(ndtri(tail)) * math.sqrt(n_pairs * (2 * n + 1) / 12))
    ordered = np.sort(values)
    return (_pair_average(ordered, k), _pair_average(ordered, n_pairs + 1 - k)) if k else (-math.inf, math.inf)


def _sum_probabilities(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the probability of each sum of a random subset of the ranks, each rank in it with probability 1/2."""
    return _sorted_sum_probabilities(tuple(np.sort(ranks).tolist()))


@lru_cache(maxsize=16)  # all pairs of methods over the same data sets have the same ranks, ties apart
def _sorted_sum_probabilities(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    probabilities = np.zeros(sum(ranks) + 1)
    probabilities[0], top = 1.0, 0
    for rank in ranks:
        top += rank
        probabilities[rank : top + 1] += probabilities[: top + 1 - rank].copy()
        probabilities[: top + 1] *= 0.5
    probabilities.flags.writeable = False
    return probabilities


def _pair_average(ordered: NDArray[np.float64], k: int) -> float:
    """Return the k-th least average of two of the sorted values; of many by bisection to adjacent floats."""
    if len(ordered) <= _ALL_AVERAGES_UP_TO:
        one, other = _all_pairs(len(ordered))
        return float(np.partition(0.5 * (ordered[one] + ordered[other]), k - 1)[k - 1])
    low, high = float(ordered[0]), float(ordered[-1])
    if _n_averages_up_to(ordered, low) >= k:
        return low
    while low < (middle := low + 0.5 * (high - low)) < high:
        low, high = (low, middle) if _n_averages_up_to(ordered, middle) >= k else (middle, high)
    return _nearest_average(ordered, high)


@lru_cache(maxsize=4)
def _all_pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    one, other = np.triu_indices(n)
    return one, other


def _nearest_average(ordered: NDArray[np.float64], limit: float) -> float:
    """Return the average nearest to the limit of a bisection, so that 0 is 0 and not a rounding error."""
    above = np.minimum(np.searchsorted(ordered, 2 * limit - ordered), len(ordered) - 1)
    averages = 0.5 * np.concatenate([ordered + ordered[above], ordered + ordered[np.maximum(above - 1, 0)]])
    return float(averages[np.argmin(np.abs(averages - limit))])


def _n_averages_up_to(ordered: NDArray[np.float64], limit: float) -> int:
    partners = np.searchsorted(ordered, 2 * limit - ordered, side="right")
    return int((int(partners.sum()) + int((ordered <= limit).sum())) // 2)


@document_test
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


_ROUNDING = 1e-12  # of sums of weights, which are at most 1
_MAX_NUMBERS = 2**22  # in a temporary array: 32 MB
# Draws for the interval, fewer with many data sets: the standard error of a tail of 2.5 % is then 0.007 or 0.0025
_N_FOR_INTERVAL = (500, 4000)


@document_test
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
    least, most = _N_FOR_INTERVAL
    n_for_interval = max(least, min(most, 20 * _MAX_NUMBERS // len(sets) ** 2))
    low, high = np.quantile(_medians(draws[:n_for_interval], sets), [0.5 - confidence / 2, 0.5 + confidence / 2])
    assumes = f"the data sets are independent, and the prior is one data set of weight {prior:g} without a difference"
    return Posterior(
        *(less, equivalent, greater, float(rope), pseudo_median(values), float(low), float(high), confidence),
        *(len(values), "Bayesian signed-rank test", assumes, named, "pseudo-median of the differences"),
    )


def _shares(draws: NDArray[np.float64], sets: NDArray[np.float64], rope: float) -> tuple[float, float, float]:
    """Return the shares of draws in which below, within or above is the most probable; ties are shared equally."""
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


def _blocks(draws: NDArray[np.float64], width: int) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of draws whose temporary arrays, of some width, stay within memory."""
    step = max(1, _MAX_NUMBERS // width)
    return (draws[start : start + step] for start in range(0, len(draws), step))
