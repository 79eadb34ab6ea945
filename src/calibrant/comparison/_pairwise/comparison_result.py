"""What a test between two methods found, in figures and in a sentence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from calibrant._optional import optional_import

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison"]


@dataclass(frozen=True, repr=False)
class Comparison:
    """The outcome of a test between two methods; printed, it is a sentence.

    Parameters
    ----------
    statistic : float
        The test statistic. Of t-tests: positive where the first method's values are the greater ones, 0 where all pairs
        are equal, infinite where every pair differs by the same amount.
    df : float
        Degrees of freedom; NaN where the test has none.
    pvalue : float
        Two-sided: the chance of a statistic at least as extreme if the methods do not differ.
    difference : float
        How much greater the first method's values are; `measure` says in what sense.
    low, high : float
        The confidence interval of the difference, of this comparison alone.
    confidence : float
        Its confidence; less than the rest to 1 is a significant `pvalue`.
    n : int
        Number of pairs.
    test : str
        Name of the test.
    assumes : str
        What must hold for `pvalue` and the interval to be right.
    names : tuple of two str
        The methods.
    measure : str
        What `difference` is: by default the mean of the first method's values less that of the second's.
    letter : str
        What the statistic is called.
    drawn : str
        From what it was computed, where that is not `n` pairs.
    n_different : int or None
        How many of the pairs are not equal, where the test counts them.
    n_comparisons : int
        How many comparisons `adjusted_pvalue` is corrected for.
    adjusted_pvalue : float or None
        The p-value corrected for them; None for a single comparison.
    correction : str
        Who corrected it.

    Examples
    --------
    >>> from calibrant.comparison import paired_t_test
    >>> result = paired_t_test([0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82], names=("forest", "tree"))
    >>> round(result.difference, 3), round(result.pvalue, 3)
    (0.025, 0.03)
    >>> result
    forest is greater than tree by 0.025 (95 % interval 0.004457 to 0.04554): paired t-test of 4 pairs, t = 3.873,
    df = 3, p = 0.0305, a single comparison. Assumed: the pairs are independent and their differences roughly normal.
    """

    statistic: float
    df: float
    pvalue: float
    difference: float
    low: float
    high: float
    confidence: float
    n: int
    test: str
    assumes: str
    names: tuple[str, str]
    measure: str = "mean difference"
    letter: str = "t"
    drawn: str = ""
    n_different: int | None = None
    n_comparisons: int = 1
    adjusted_pvalue: float | None = None
    correction: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the p-value, corrected where it was, is at most 1 - `confidence`."""
        pvalue = self.pvalue if self.adjusted_pvalue is None else self.adjusted_pvalue
        return pvalue <= 1.0 - self.confidence

    def to_frame(self) -> pd.DataFrame:
        """Give the figures as a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.comparison import paired_t_test
        >>> paired_t_test([3, 4, 8], [1, 2, 3]).to_frame()[["a", "b", "difference"]]
           a  b  difference
        0  a  b         3.0
        """
        pandas = optional_import("pandas", extra="data", purpose="give a comparison as a frame")
        first, second = self.names
        figures = {name: value for name, value in asdict(self).items() if name != "names"}
        frame: pd.DataFrame = pandas.DataFrame([{"a": first, "b": second, **figures}])
        return frame

    def __repr__(self) -> str:
        of_f = "10 and " if self.letter == "F" else ""  # of all ten differences in 5x2cv, the only F here
        df = "" if math.isnan(self.df) else f", df = {of_f}{self.df:.4g}"
        figures = f"{self.letter} = {self.statistic:.4g}{df}, p = {self.pvalue:.3g}, {self._corrected()}"
        return f"{self._finding()}: {self.test} of {self._drawn()}, {figures}. Assumed: {self.assumes}."

    def _drawn(self) -> str:
        pairs = self.drawn or f"{self.n} pairs"
        return pairs if self.n_different is None else f"{pairs} ({self.n - self.n_different} equal)"

    def _corrected(self) -> str:
        if self.adjusted_pvalue is None:
            return "a single comparison"
        return f"{self.adjusted_pvalue:.3g} by {self.correction} for {self.n_comparisons} comparisons"

    def _finding(self) -> str:
        first, second = self.names
        if self.n_different == 0 or (self.n_different is None and self.low == self.high == 0.0 == self.statistic):
            return f"{first} and {second} are equal in every {'value' if self.drawn.endswith('values') else 'pair'}"
        if not self.is_significant:
            found = f"{self.difference:.4g} ({self._interval(self.low, self.high)})"
            return f"{first} and {second} are not shown to differ; the {self.measure} is {found}"
        sense = "" if self.measure == "mean difference" else f"{self.measure}, "
        if self.difference > 0.0:
            limits = f"({sense}{self._interval(self.low, self.high)})"
            return f"{first} is greater than {second} by {self.difference:.4g} {limits}"
        limits = f"({sense}{self._interval(-self.high, -self.low)})"
        return f"{first} is less than {second} by {-self.difference:.4g} {limits}"

    def _interval(self, low: float, high: float) -> str:
        if math.isnan(low):
            return "no interval, since no difference fits"
        alone = " for this pair alone" if self.n_comparisons > 1 else ""
        return f"{100 * self.confidence:g} % interval {low:.4g} to {high:.4g}{alone}"
