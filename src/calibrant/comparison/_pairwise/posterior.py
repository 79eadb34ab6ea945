"""The result of a Bayesian test between two methods; its repr is a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant._docstrings import fill_docstring
from calibrant.comparison._pairwise.comparison_result import one_row_frame
from calibrant.comparison._passages import PASSAGES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Posterior"]


@fill_docstring(**PASSAGES)
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
