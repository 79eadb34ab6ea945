"""Results of tests between two methods; their reprs are sentences."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from calibrant._optional import pandas_frame
from calibrant.comparison._passages import document_test

if TYPE_CHECKING:
    import pandas as pd


@document_test
@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of a test between two methods; its repr is a sentence.

    Parameters
    ----------
    statistic : float
        The test statistic. Of t-tests: positive where the first method's values are the greater ones, 0 where all pairs
        are equal, infinite where every pair differs by the same amount.
    df : float
        Degrees of freedom; NaN where the test has none.
    pvalue : float
        Two-sided: the probability of a statistic at least as extreme if the methods do not differ.
    %(difference)s
    low, high : float
        The confidence interval of the difference, of this comparison alone. It holds the differences that the test does
        not reject: 0 lies inside it, or at an end, where `pvalue` is more than ``1 - confidence``, and not inside it
        otherwise.
    confidence : float
        Its confidence; a `pvalue` of at most ``1 - confidence`` is significant.
    %(n_and_test)s
    assumes : str
        The assumptions of `pvalue` and of the interval.
    names : tuple of two str
        The methods.
    measure : str
        What `difference` is: by default the mean of the first method's values less that of the second's.
    letter : str
        The symbol of the statistic.
    drawn : str
        What it was computed from, where that is not `n` pairs.
    n_different : int or None
        Number of pairs that are not equal, where the test counts them.
    n_comparisons : int
        Number of comparisons that `adjusted_pvalue` is corrected for.
    adjusted_pvalue : float or None
        The p-value corrected for them; None for a single comparison.
    correction : str
        Name of the correction.

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
        """Return the figures as a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.comparison import paired_t_test
        >>> paired_t_test([3, 4, 8], [1, 2, 3]).to_frame()[["a", "b", "difference"]]
           a  b  difference
        0  a  b         3.0
        """
        return one_row_frame(self)

    def __repr__(self) -> str:
        of_f = "10 and " if self.letter == "F" else ""  # the numerator of the 5x2cv F-test, the only F here
        df = "" if math.isnan(self.df) else f", df = {of_f}{self.df:.4g}"
        correction = "a single comparison"
        if self.adjusted_pvalue is not None:
            correction = f"{self.adjusted_pvalue:.3g} by {self.correction} for {self.n_comparisons} comparisons"
        figures = f"{self.letter} = {self.statistic:.4g}{df}, p = {self.pvalue:.3g}, {correction}"
        equal = "" if self.n_different is None else f" ({self.n - self.n_different} equal)"
        sample = f"{self.drawn or f'{self.n} pairs'}{equal}"
        return f"{self._finding()}: {self.test} of {sample}, {figures}. Assumed: {self.assumes}."

    def _finding(self) -> str:
        first, second = self.names
        if self.n_different == 0 or (self.n_different is None and self.low == self.high == 0.0 == self.statistic):
            return f"{first} and {second} are equal in every {'value' if self.drawn.endswith('values') else 'pair'}"
        if not self.is_significant:
            found = f"{self.difference:.4g} ({self._interval(self.low, self.high)})"
            return f"{first} and {second} are not shown to differ; the {self.measure} is {found}"
        if self.difference == 0.0:
            return f"{first} and {second} differ; the {self.measure} is 0 ({self._interval(self.low, self.high)})"
        sense = "" if self.measure == "mean difference" else f"{self.measure}, "
        if self.difference > 0.0:
            limits = f"({sense}{self._interval(self.low, self.high)})"
            return f"{first} is greater than {second} by {self.difference:.4g} {limits}"
        limits = f"({sense}{self._interval(-self.high, -self.low)})"
        return f"{first} is less than {second} by {-self.difference:.4g} {limits}"

    def _interval(self, low: float, high: float) -> str:
        if math.isnan(low):
            return "no interval: every difference is rejected"
        alone = " for this pair alone" if self.n_comparisons > 1 else ""
        return f"{100 * self.confidence:g} % interval {low:.4g} to {high:.4g}{alone}"


def agreeing_ends(
    ends: tuple[float, float], pvalue: float, difference: float, confidence: float
) -> tuple[float, float]:
    """Return an interval with 0 inside it exactly where the p-value finds no difference.

    An interval that inverts its test does so up to rounding; one that takes the distribution without ties, while the
    p-value takes that with them, up to a few ranks. A test that rejects 0 rejects everything beyond it too.

    Examples
    --------
    >>> agreeing_ends((-0.1, 3.0), 0.04, 1.5, 0.95), agreeing_ends((0.1, 3.0), 0.06, 1.5, 0.95)
    ((0.0, 3.0), (0.0, 3.0))
    """
    low, high = ends
    if pvalue > 1.0 - confidence:
        return min(low, 0.0), max(high, 0.0)
    if difference == 0.0:
        return ends
    return (max(low, 0.0), high) if difference > 0.0 else (low, min(high, 0.0))


def one_row_frame(result: Any) -> pd.DataFrame:
    """Return the fields of a result as a pandas frame of one row, the names of the methods first.

    Examples
    --------
    >>> from calibrant.comparison import sign_test
    >>> one_row_frame(sign_test([3, 4, 8], [1, 2, 3])).shape
    (1, 19)
    """
    first, second = result.names
    figures = {name: value for name, value in asdict(result).items() if name != "names"}
    return pandas_frame([{"a": first, "b": second, **figures}], "return a comparison as a frame")


@document_test
@dataclass(frozen=True, repr=False)
class Posterior:
    """The probabilities that one method is better than another, or equivalent; its repr is a sentence.

    Parameters
    ----------
    less, equivalent, greater : float
        The probabilities that the first method's values are less than the second's by more than `rope`, that they are
        within it, and that they are greater by more.
    %(rope)s
    %(difference)s
    low, high : float
        The credible interval of the difference, with equal tails.
    confidence : float
        Its probability.
    %(n_and_test)s
    assumes : str
        The assumptions of the probabilities.
    names : tuple of two str
        The methods.
    measure : str
        What `difference` is.
    n_comparisons : int
        Number of comparisons that this is one of; a posterior is not corrected for the others.
    statistic, df, pvalue : float
        Where the posterior is Student's: its mean in units of its scale, its degrees of freedom, and twice the
        probability of the less probable sign, which is the p-value of the corrected resampled t-test. Else NaN.

    Examples
    --------
    >>> from calibrant.comparison import bayesian_correlated_t_test
    >>> a, b = [0.81, 0.84, 0.78, 0.85], [0.79, 0.80, 0.77, 0.82]
    >>> bayesian_correlated_t_test(a, b, n_train=90, n_test=10, rope=0.01, names=("forest", "tree"))
    forest is greater than tree by more than 0.01 with probability 0.926, within 0.01 of it with 0.0642, less with
    0.0102; mean difference 0.025 (95 % credible interval 0.0003109 to 0.04969): Bayesian correlated t-test of 4 pairs,
    a single comparison. Assumed: the differences are normal, correlated as n_test/n_train = 0.111 implies, with a flat
    prior of their mean and log variance.
    """

    less: float
    equivalent: float
    greater: float
    rope: float
    difference: float
    low: float
    high: float
    confidence: float
    n: int
    test: str
    assumes: str
    names: tuple[str, str]
    measure: str = "mean difference"
    statistic: float = field(default=math.nan, compare=False)
    df: float = field(default=math.nan, compare=False)
    pvalue: float = field(default=math.nan, compare=False)
    n_comparisons: int = 1

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.comparison import bayesian_correlated_t_test
        >>> bayesian_correlated_t_test([3, 4, 8], [1, 2, 3], n_train=2, n_test=1).to_frame()[["a", "b", "difference"]]
           a  b  difference
        0  a  b         3.0
        """
        return one_row_frame(self)

    def __repr__(self) -> str:
        interval = f"{100 * self.confidence:g} % credible interval {self.low:.4g} to {self.high:.4g}"
        figures = f"{self.measure} {self.difference:.4g} ({interval})"
        n = self.n_comparisons
        alone = "a single comparison" if n == 1 else f"one of {n} comparisons, not corrected for the others"
        test = f"{self.test} of {self.n} pairs, {alone}"
        return f"{self._finding()}; {figures}: {test}. Assumed: {self.assumes}."

    def _finding(self) -> str:
        first, second = self.names
        if self.rope:
            margin = f"{self.rope:g}"
            return (
                f"{first} is greater than {second} by more than {margin} with probability {self.greater:.3g}, "
                f"within {margin} of it with {self.equivalent:.3g}, less with {self.less:.3g}"
            )
        return f"{first} is greater than {second} with probability {self.greater:.3g}, less with {self.less:.3g}"
