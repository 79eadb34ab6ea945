"""Results of the tests on mean ranks; their reprs are sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant._docstrings import fill_docstring
from calibrant._optional import optional_import
from calibrant.comparison._passages import PASSAGES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CriticalDifference", "Friedman"]

_ASSUMED = "Assumed: the data sets are independent."


@fill_docstring(**PASSAGES)
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
    %(mean_ranks)s

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
        pandas = optional_import("pandas", extra="data", purpose="return mean ranks as a frame")
        ranks = sorted(self.mean_ranks.items(), key=lambda item: item[1])
        frame: pd.DataFrame = pandas.DataFrame(ranks, columns=["method", "mean_rank"]).set_index("method")
        return frame

    def __repr__(self) -> str:
        n = len(self.mean_ranks)
        some = f"Some of {n} methods rank better than others"
        finding = some if self.f_pvalue <= 0.05 else f"{n} methods are not shown to rank differently"
        figures = f"chi2 = {self.statistic:.4g}, df = {self.df:g}, p = {self.pvalue:.3g}"
        better = f"by Iman and Davenport F = {self.f_statistic:.4g}, p = {self.f_pvalue:.3g}"
        test = f"Friedman's test over {self.n_datasets} data sets, {figures}, {better}"
        return f"{finding}: {_ranks_text(self.mean_ranks)}; {test}; all methods in a single test. {_ASSUMED}"


@fill_docstring(**PASSAGES)
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
        pandas = optional_import("pandas", extra="data", purpose="return mean ranks as a frame")
        rows = [
            {"a": one, "b": other, "difference": self.mean_ranks[one] - self.mean_ranks[other], "pvalue": pvalue}
            for (one, other), pvalue in self.pvalues.items()
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows)
        return frame

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
