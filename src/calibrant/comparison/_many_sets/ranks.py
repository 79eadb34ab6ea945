"""Tests on the mean ranks of methods over data sets: Friedman, Nemenyi, Bonferroni-Dunn (Demšar 2006)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import fdtrc, ndtr, ndtri

from calibrant._params import Choice, check_param
from calibrant.comparison._many_sets.pairings import Better
from calibrant.comparison._many_sets.rank_result import CriticalDifference, Friedman
from calibrant.comparison._many_sets.trials import read_means
from calibrant.comparison._pairwise.t_tests import CONFIDENCE
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bonferroni_dunn", "friedman", "nemenyi"]

_ROUNDING = 1e-14


def friedman(
    table: Any,
    *,
    better: Better = "higher",
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
) -> Friedman:
    """Test whether some of three or more methods rank better than others over data sets (Friedman 1937).

    Methods are ranked on each data set, the best as 1; equal ones share their ranks. Friedman's chi-squared, corrected
    for ties, is too cautious with few data sets; Iman & Davenport's F (1980) is less so.

    Parameters
    ----------
    table : frame or array of data sets x methods, or what `win_tie_loss` takes
        The values, one a data set; trials of a data set are averaged first.
    better : {"higher", "lower"}
        Which of two values is the better one.
    by : str, optional
        The column of a frame that holds the data set.
    methods : list of str, optional
        What the columns of arrays are called.

    Returns
    -------
    Friedman
        ``statistic``, ``df``, ``pvalue``, ``f_statistic``, ``f_df``, ``f_pvalue``, ``mean_ranks``.

    See Also
    --------
    compare_methods : What to take by default: pairs, whose verdict does not depend on the other methods.

    Examples
    --------
    >>> result = friedman([[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 4)
    (6.5, 2, 0.0388)
    >>> result.mean_ranks
    {'method 0': 1.25, 'method 1': 1.75, 'method 2': 3.0}
    """
    names, ranks = _ranked(table, better, by, methods, "friedman")
    n, k = ranks.shape
    statistic, pvalue = _chi2(ranks)
    left = n * (k - 1) - statistic
    f = (n - 1) * statistic / left if left > 1e-12 * n * k else math.inf
    f_df = (k - 1, (k - 1) * (n - 1))
    f_pvalue = float(fdtrc(*f_df, f)) if math.isfinite(f) else 0.0
    return Friedman(statistic, k - 1, pvalue, f, f_df, f_pvalue, _means(names, ranks), n)


def nemenyi(
    table: Any,
    *,
    better: Better = "higher",
    confidence: float = 0.95,
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
) -> CriticalDifference:
    """Compare the mean ranks of all pairs of methods over data sets (Nemenyi 1963).

    Two methods differ where their mean ranks are further apart than the critical difference. Whether they do depends on
    which other methods are in the table: prefer `compare_methods`, which looks at each pair by itself.

    Parameters
    ----------
    table : frame or array of data sets x methods, or what `win_tie_loss` takes
        The values, one a data set; trials of a data set are averaged first.
    better : {"higher", "lower"}
        Which of two values is the better one.
    confidence : float
        The chance that nothing is found where no methods differ.
    by : str, optional
        The column of a frame that holds the data set.
    methods : list of str, optional
        What the columns of arrays are called.

    Returns
    -------
    CriticalDifference
        ``critical_difference``, ``mean_ranks``, ``pvalues`` of all pairs, ``groups`` of methods that are not shown to
        differ; `calibrant.plots.CriticalDifferenceDisplay` draws it.

    Examples
    --------
    >>> result = nemenyi([[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]])
    >>> round(result.critical_difference, 3), result.groups
    (1.657, (('method 0', 'method 1'), ('method 1', 'method 2')))
    """
    from scipy.stats import studentized_range  # loads for a while, and nobody else needs it

    check_param("confidence", confidence, CONFIDENCE)
    names, ranks = _ranked(table, better, by, methods, "nemenyi")
    n, k = ranks.shape
    error, means = _error(n, k), _means(names, ranks)
    pairs = {(one, other): abs(means[one] - means[other]) for i, one in enumerate(names) for other in names[i + 1 :]}
    pvalues = {
        pair: float(studentized_range.sf(math.sqrt(2.0) * gap / error, k, np.inf)) for pair, gap in pairs.items()
    }
    critical = float(studentized_range.ppf(confidence, k, np.inf)) / math.sqrt(2.0) * error
    return CriticalDifference(critical, means, pvalues, n, confidence, "Nemenyi's test")


def bonferroni_dunn(
    table: Any,
    *,
    control: str,
    better: Better = "higher",
    confidence: float = 0.95,
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
) -> CriticalDifference:
    """Compare the mean rank of one method with those of all others over data sets (Dunn 1961).

    Parameters
    ----------
    table : frame or array of data sets x methods, or what `win_tie_loss` takes
        The values, one a data set; trials of a data set are averaged first.
    control : str
        The method that all others are compared with.
    better : {"higher", "lower"}
        Which of two values is the better one.
    confidence : float
        The chance that nothing is found where no methods differ.
    by : str, optional
        The column of a frame that holds the data set.
    methods : list of str, optional
        What the columns of arrays are called.

    Returns
    -------
    CriticalDifference
        ``critical_difference``, ``mean_ranks``, ``pvalues`` of the control and each other method, corrected by
        Bonferroni for their number.

    Examples
    --------
    >>> table = [[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]]
    >>> result = bonferroni_dunn(table, methods=["forest", "tree", "bayes"], control="forest")
    >>> round(result.critical_difference, 3), round(result.pvalues["forest", "bayes"], 4)
    (1.585, 0.0267)
    """
    check_param("confidence", confidence, CONFIDENCE)
    names, ranks = _ranked(table, better, by, methods, "bonferroni_dunn")
    if control not in names:
        raise ParameterError(f"control must be one of {list(names)}; got {control!r}.{nearest(str(control), names)}")
    n, k = ranks.shape
    error, means = _error(n, k), _means(names, ranks)
    others = [name for name in names if name != control]
    pvalues = {
        (control, name): min(1.0, 2 * (k - 1) * float(ndtr(-abs(means[name] - means[control]) / error)))
        for name in others
    }
    critical = -float(ndtri((1.0 - confidence) / (2 * (k - 1)))) * error
    return CriticalDifference(critical, means, pvalues, n, confidence, "Bonferroni-Dunn test", control)


def _ranked(
    table: Any, better: Better, by: str | None, methods: Any, test: str
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Give the methods and their ranks on each data set, the best first; equal but for rounding is equal."""
    check_param("better", better, Choice("higher", "lower"))
    names, values = read_means(table, by, methods)
    if len(names) < 3:
        raise DataError(
            f"{test} needs at least 3 methods; got {len(names)}. Two are compared by wilcoxon or sign_test."
        )
    return names, np.stack([_ranks(row if better == "lower" else -row) for row in values])


def _ranks(row: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(row, kind="stable")
    gaps = np.diff(row[order], prepend=row[order][0])
    group = np.cumsum(gaps > _ROUNDING * np.abs(row).max())
    ranks = np.empty(len(row))
    ranks[order] = (np.searchsorted(group, group) + 1 + np.searchsorted(group, group, side="right")) / 2
    return ranks


def _chi2(ranks: NDArray[np.float64]) -> tuple[float, float]:
    if (ranks == ranks[0, 0]).all():
        return 0.0, 1.0
    from scipy.stats import friedmanchisquare  # loads for a while, and nobody else needs it

    found = friedmanchisquare(*ranks.T)
    return float(found.statistic), float(found.pvalue)


def _means(names: tuple[str, ...], ranks: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(names, ranks.mean(axis=0).tolist(), strict=True))


def _error(n: int, k: int) -> float:
    """Give the standard deviation of the difference of two mean ranks."""
    return math.sqrt(k * (k + 1) / (6.0 * n))
