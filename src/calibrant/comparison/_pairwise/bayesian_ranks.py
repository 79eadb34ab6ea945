"""The Bayesian signed-rank test of Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Int, Real, Seed, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant.comparison._pairwise.bayesian_t import ROPE
from calibrant.comparison._pairwise.paired_values import read_names, read_signed
from calibrant.comparison._pairwise.posterior import Posterior
from calibrant.comparison._pairwise.signed_ranks import pseudo_median
from calibrant.comparison._pairwise.t_tests import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bayesian_signed_rank_test"]

_ROUNDING = 1e-12  # of sums of weights
_AT_ONCE = 2**22  # numbers held at a time
_FOR_INTERVAL = (500, 4000)  # draws, fewer where data sets are many: an end is within 0.014, or 0.005, of its share


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
    """Give the probabilities that one method is better than another, or practically as good, over many data sets.

    The Bayesian counterpart of `wilcoxon`. The data sets at hand, and one imaginary set of weight `prior` where both
    methods are equal, get random weights (a Dirichlet process). In each draw it is seen whether the average of the
    differences on two data sets, drawn with these weights, lies most probably below, within or above the region of
    practical equivalence; the result says how often each was so.

    Parameters
    ----------
    a, b : sequence of length n
        The values of the two methods, one pair a data set.
    rope : float
        The difference that does not matter: the region of practical equivalence goes from -rope to rope.
    prior : float
        Weight of the imaginary data set.
    n_draws : int
        Number of draws; a probability near a half is then known within ``1 / sqrt(n_draws)``.
    confidence : float
        Probability of the interval of the difference.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the draws.
    names : tuple of two str
        What the methods are called when the result is printed.

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
    values, named = read_signed(a, b, "bayesian_signed_rank_test").values, read_names(names)
    random = np.random.default_rng(seed_sequence(random_state))
    sets = np.append(values, 0.0)  # the imaginary one last
    draws = random.dirichlet(np.append(np.ones(len(values)), prior), n_draws)
    less, equivalent, greater = _shares(draws, sets, rope)
    low, high = np.quantile(
        _medians(draws[: _n_for_interval(len(sets))], sets), [0.5 - confidence / 2, 0.5 + confidence / 2]
    )
    assumes = f"the data sets are independent, and before them there was one of weight {prior:g} without a difference"
    return Posterior(
        *(less, equivalent, greater, float(rope), pseudo_median(values), float(low), float(high), confidence),
        *(len(values), "Bayesian signed-rank test", assumes, named, "pseudo-median of the differences"),
    )


def _shares(draws: NDArray[np.float64], sets: NDArray[np.float64], rope: float) -> tuple[float, float, float]:
    """Give how often below, within and above are the most probable; draws that tie count in equal parts."""
    above, below = _chance_beyond(draws, sets, rope), _chance_beyond(draws, -sets, rope)
    if rope == 0:
        lead = np.where(np.abs(above - below) > _ROUNDING, above - below, 0.0)
        greater = float(np.heaviside(lead, 0.5).mean())
        return 1.0 - greater, 0.0, greater
    three = np.stack([below, 1.0 - below - above, above])
    is_most = three == three.max(axis=0)
    less, equivalent, greater = (is_most / is_most.sum(axis=0)).mean(axis=1)
    return float(less), float(equivalent), float(greater)


def _chance_beyond(draws: NDArray[np.float64], sets: NDArray[np.float64], rope: float) -> NDArray[np.float64]:
    """Give the chance in each draw that the average of two data sets is above rope, one half where it is rope."""
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
    """Give the weighted median of the averages of two data sets in each draw."""
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
    least, most = _FOR_INTERVAL
    return max(least, min(most, 20 * _AT_ONCE // (n_sets * n_sets)))


def _blocks(draws: NDArray[np.float64], width: int) -> Iterator[NDArray[np.float64]]:
    """Give so many draws at a time that rows of some width fit."""
    step = max(1, _AT_ONCE // width)
    return (draws[start : start + step] for start in range(0, len(draws), step))
