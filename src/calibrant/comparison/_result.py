"""What a test between two methods found, in figures and in a sentence."""

from __future__ import annotations

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
        The test statistic: positive where the first method's values are the greater ones, 0 where all pairs are equal,
        infinite where every pair differs by the same amount.
    df : float
        Degrees of freedom.
    pvalue : float
        Two-sided: the chance of a statistic at least as far from 0 if the methods do not differ.
    difference : float
        Mean of the first method's values less mean of the second's.
    low, high : float
        The confidence interval of the difference.
    confidence : float
        Its confidence.
    n : int
        Number of pairs.
    test : str
        Name of the test.
    assumes : str
        What must hold for `pvalue` and the interval to be right.
    names : tuple of two str
        The methods.

    Examples
    --------
    >>> from calibrant.comparison import paired_t_test
    >>> result = paired_t_test([0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82], names=("forest", "tree"))
    >>> round(result.difference, 3), round(result.pvalue, 3)
    (0.025, 0.03)
    >>> result
    forest is greater than tree by 0.025 (95 % interval 0.004457 to 0.04554): paired t-test of 4 pairs, t = 3.873,
    df = 3, p = 0.0305. Assumed: the pairs are independent and their differences roughly normal.
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
        figures = f"t = {self.statistic:.4g}, df = {self.df:g}, p = {self.pvalue:.3g}"
        return f"{self._finding()}: {self.test} of {self.n} pairs, {figures}. Assumed: {self.assumes}."

    def _finding(self) -> str:
        first, second = self.names
        if self.low == self.high == 0.0:
            return f"{first} and {second} are equal in every pair"
        if self.low <= 0.0 <= self.high:
            interval = self._interval(self.low, self.high)
            return (
                f"{first} and {second} are not shown to differ; the mean difference is {self.difference:.4g} {interval}"
            )
        if self.difference > 0.0:
            return f"{first} is greater than {second} by {self.difference:.4g} {self._interval(self.low, self.high)}"
        return f"{first} is less than {second} by {-self.difference:.4g} {self._interval(-self.high, -self.low)}"

    def _interval(self, low: float, high: float) -> str:
        return f"({100 * self.confidence:g} % interval {low:.4g} to {high:.4g})"
