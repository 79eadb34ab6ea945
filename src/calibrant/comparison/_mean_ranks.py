"""Tests on the mean ranks of methods over data sets: Friedman, Nemenyi, Bonferroni-Dunn (Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtr, ndtri

from calibrant._optional import pandas_frame
from calibrant._params import CONFIDENCE, Choice, check_param
from calibrant.comparison._all_pairs import Better
from calibrant.comparison._input_validation import read_dataset_means
from calibrant.comparison._passages import document_test
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    import pandas as pd

_ASSUMED = "Assumed: the data sets are independent."


@document_test
@dataclass(frozen=True, repr=False)
class Friedman:
    """The result of Friedman's test, whether some methods rank better than others; its repr is a sentence.

    Parameters
    ----------
    statistic, df, pvalue : float
        Friedman's chi-squared, corrected for ties.
    f_statistic : float
        Iman & Davenport's F.
    f_df : tuple of two int
        Its degrees of freedom.
    f_pvalue : float
        Its p-value.
    mean_ranks : dict of str to float
        The mean rank of each method; 1 is best.
    n_datasets : int
        Number of data sets.

    Examples
    --------
    >>> from calibrant.comparison import friedman
    >>> friedman([[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]], methods=["a", "b", "c"])
    Some of 3 methods rank better than others: a 1.25, b 1.75, c 3; Friedman's test over 4 data sets, chi2 = 6.5,
    df = 2, p = 0.0388, by Iman and Davenport F = 13, p = 0.00659; all methods in a single test. Assumed: the data sets
    are independent.
    """

    statistic: float
    df: float
    pvalue: float
    f_statistic: float
    f_df: tuple[int, int]
    f_pvalue: float
    mean_ranks: dict[str, float]
    n_datasets: int

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with the mean rank of each method, the best first.

        Examples
        --------
        >>> from calibrant.comparison import friedman
        >>> friedman([[3, 2, 1], [3, 2, 1], [3, 1, 2]]).to_frame()["mean_rank"].round(2).tolist()
        [1.0, 2.33, 2.67]
        """
        ranks = sorted(self.mean_ranks.items(), key=lambda item: item[1])
        return pandas_frame(ranks, "return mean ranks as a frame", columns=["method", "mean_rank"]).set_index("method")

    def __repr__(self) -> str:
        n = len(self.mean_ranks)
        some = f"Some of {n} methods rank better than others"
        finding = some if self.f_pvalue <= 0.05 else f"{n} methods are not shown to rank differently"
        figures = f"chi2 = {self.statistic:.4g}, df = {self.df:g}, p = {self.pvalue:.3g}"
        better = f"by Iman and Davenport F = {self.f_statistic:.4g}, p = {self.f_pvalue:.3g}"
        test = f"Friedman's test over {self.n_datasets} data sets, {figures}, {better}"
        return f"{finding}: {_ranks_text(self.mean_ranks)}; {test}; all methods in a single test. {_ASSUMED}"


@document_test
@dataclass(frozen=True, repr=False)
class CriticalDifference:
    """Mean ranks, and the smallest significant difference; its repr is a sentence.

    Parameters
    ----------
    critical_difference : float
        Methods whose mean ranks are further apart differ.
    mean_ranks : dict of str to float
        The mean rank of each method; 1 is best.
    pvalues : dict of pair of str to float
        The p-value of each pair that was compared, corrected for their number.
    n_datasets : int
        Number of data sets.
    %(rank_confidence)s
    test : str
        Name of the test.
    control : str
        The method that all others were compared with; empty where all pairs were.

    Examples
    --------
    >>> from calibrant.comparison import nemenyi
    >>> nemenyi([[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]], methods=["a", "b", "c"])
    a ranks better than c by 1.75; mean ranks a 1.25, b 1.75, c 3, critical difference 1.657 at 95 %: Nemenyi's test
    over 4 data sets, corrected for 3 comparisons. Assumed: the data sets are independent. Mean ranks depend on which
    methods are compared.
    """

    critical_difference: float
    mean_ranks: dict[str, float]
    pvalues: dict[tuple[str, str], float]
    n_datasets: int
    confidence: float
    test: str
    control: str = ""

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest sets of methods, best first, that are within the critical difference of each other.

        With a control there is one: the methods that are not shown to differ from it.
        """
        names = sorted(self.mean_ranks, key=self.mean_ranks.__getitem__)
        if self.control:
            return (tuple(name for name in names if self._is_near(name, self.control)),)
        spans = [tuple(other for other in names[i:] if self._is_near(name, other)) for i, name in enumerate(names)]
        return tuple(span for i, span in enumerate(spans) if i == 0 or span[-1] != spans[i - 1][-1])

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each pair that was compared.

        Examples
        --------
        >>> from calibrant.comparison import nemenyi
        >>> nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], methods=["a", "b", "c"]).to_frame()[["a", "b", "difference"]]
           a  b  difference
        0  a  b   -1.333333
        1  a  c   -1.666667
        2  b  c   -0.333333
        """
        rows = [
            {"a": one, "b": other, "difference": self.mean_ranks[one] - self.mean_ranks[other], "pvalue": pvalue}
            for (one, other), pvalue in self.pvalues.items()
        ]
        return pandas_frame(rows, "return mean ranks as a frame")

    def __repr__(self) -> str:
        found = list(self._differences())
        finding = ", ".join(found) if found else "no methods are shown to differ"
        critical = f"critical difference {self.critical_difference:.4g} at {100 * self.confidence:g} %"
        test = f"{self.test} over {self.n_datasets} data sets, corrected for {len(self.pvalues)} comparisons"
        ranks = f"mean ranks {_ranks_text(self.mean_ranks)}, {critical}"
        return f"{finding}; {ranks}: {test}. {_ASSUMED} Mean ranks depend on which methods are compared."

    def _differences(self) -> Iterator[str]:
        for one, other in self.pvalues:
            best, worst = sorted((one, other), key=self.mean_ranks.__getitem__)
            if not self._is_near(one, other):
                yield f"{best} ranks better than {worst} by {self.mean_ranks[worst] - self.mean_ranks[best]:.4g}"

    def _is_near(self, one: str, other: str) -> bool:
        return abs(self.mean_ranks[one] - self.mean_ranks[other]) < self.critical_difference


def _ranks_text(mean_ranks: dict[str, float]) -> str:
    return ", ".join(f"{name} {rank:.4g}" for name, rank in sorted(mean_ranks.items(), key=lambda item: item[1]))


_ROUNDING = 1e-14  # values that differ by less than this share are ties, as in the pairwise tests
_EXHAUSTED = 1e-12  # of the greatest chi-squared: what is left below it is rounding, and F is infinite


@document_test
def friedman(
    table: Any,
    *,
    better: Better = "higher",
    by: str | None = None,
    methods: list[str] | tuple[str, ...] | None = None,
) -> Friedman:
    """Test whether some of three or more methods rank better than others over data sets (Friedman 1937).

    Methods are ranked on each data set, the best as 1; equal ones share their ranks. Friedman's chi-squared, corrected
    for ties, is conservative with few data sets; Iman & Davenport's F (1980) is less so.

    Parameters
    ----------
    %(dataset_table)s
    %(better)s
    %(by_and_methods)s

    Returns
    -------
    Friedman
        ``statistic``, ``df``, ``pvalue``, ``f_statistic``, ``f_df``, ``f_pvalue``, ``mean_ranks``.

    See Also
    --------
    compare_methods : The default choice: pairs, whose verdict does not depend on the other methods.

    Examples
    --------
    >>> result = friedman([[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 4)
    (6.5, 2, 0.0388)
    >>> result.mean_ranks
    {'method 0': 1.25, 'method 1': 1.75, 'method 2': 3.0}
    """
    ranks, means, _ = _read_ranks(table, better, by, methods, "friedman")
    (n, k), statistic, pvalue = ranks.shape, 0.0, 1.0
    if (ranks != ranks[0, 0]).any():
        from scipy.stats import friedmanchisquare  # here, because importing it takes long

        statistic, pvalue = map(float, friedmanchisquare(*ranks.T))
    left = n * (k - 1) - statistic
    f = (n - 1) * statistic / left if left > _EXHAUSTED * n * k else math.inf
    f_df = (k - 1, (k - 1) * (n - 1))
    f_pvalue = float(fdtrc(*f_df, f)) if math.isfinite(f) else 0.0
    return Friedman(statistic, k - 1, pvalue, f, f_df, f_pvalue, means, n)


@document_test
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
    which other methods are in the table: prefer `compare_methods`, which compares each pair by itself.

    Parameters
    ----------
    %(dataset_table)s
    %(better)s
    %(rank_confidence)s
    %(by_and_methods)s

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
    from scipy.stats import studentized_range  # here, because importing it takes long

    check_param("confidence", confidence, CONFIDENCE)
    ranks, means, error = _read_ranks(table, better, by, methods, "nemenyi")
    n, k = ranks.shape
    pairs = {(one, other): abs(means[one] - means[other]) for one, other in combinations(means, 2)}
    pvalues = {
        pair: float(studentized_range.sf(math.sqrt(2.0) * gap / error, k, np.inf)) for pair, gap in pairs.items()
    }
    critical = float(studentized_range.ppf(confidence, k, np.inf)) / math.sqrt(2.0) * error
    return CriticalDifference(critical, means, pvalues, n, confidence, "Nemenyi's test")


@document_test
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
    %(dataset_table)s
    control : str
        The method that all others are compared with.
    %(better)s
    %(rank_confidence)s
    %(by_and_methods)s

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
    ranks, means, error = _read_ranks(table, better, by, methods, "bonferroni_dunn")
    if control not in means:
        raise ParameterError(f"control must be one of {list(means)}; got {control!r}.{nearest(str(control), means)}")
    n, k = ranks.shape
    pvalues = {
        (control, name): min(1.0, 2 * (k - 1) * float(ndtr(-abs(mean - means[control]) / error)))
        for name, mean in means.items()
        if name != control
    }
    critical = -float(ndtri((1.0 - confidence) / (2 * (k - 1)))) * error
    return CriticalDifference(critical, means, pvalues, n, confidence, "Bonferroni-Dunn test", control)


def _read_ranks(
    table: Any, better: Better, by: str | None, methods: Any, test: str
) -> tuple[NDArray[np.float64], dict[str, float], float]:
    """Return the ranks of methods on each data set, their means, and the standard error of a difference of means.

    1 is best, and values that are equal up to rounding are ties. The error is that of Demšar (2006, section 3.2.2).
    """
    check_param("better", better, Choice("higher", "lower"))
    names, values = read_dataset_means(table, by, methods)
    if len(names) < 3:
        raise DataError(
            f"{test} needs at least 3 methods; got {len(names)}. Two are compared by wilcoxon or sign_test."
        )
    ranks = np.stack([tied_ranks(row if better == "lower" else -row) for row in values])
    n, k = ranks.shape
    return ranks, dict(zip(names, ranks.mean(axis=0).tolist(), strict=True)), math.sqrt(k * (k + 1) / (6.0 * n))


def tied_ranks(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values, the least as 1; values that are equal up to rounding share their ranks.

    Examples
    --------
    >>> tied_ranks(np.array([0.3, 0.1 + 0.2, 0.1, np.inf]))
    array([2.5, 2.5, 1. , 4. ])
    """
    order = np.argsort(row, kind="stable")
    with np.errstate(invalid="ignore"):  # infinite values are ties
        gaps = np.diff(row[order], prepend=row[order][0])
    group = np.cumsum(gaps > _ROUNDING * np.abs(row[np.isfinite(row)]).max(initial=0.0))
    ranks = np.empty(len(row))
    ranks[order] = (np.searchsorted(group, group) + 1 + np.searchsorted(group, group, side="right")) / 2
    return ranks
