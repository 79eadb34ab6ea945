"""The result of comparing the methods of a study; its repr lists the differences that hold."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from textwrap import fill
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant._repr import number_text
from calibrant.comparison import CriticalDifference, Friedman

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 110
_MOST_PAIRS = 60  # in the printed result; to_frame() has all


@dataclass(frozen=True)
class PairDifference:
    """Two methods of a study, compared.

    Parameters
    ----------
    a, b : str
        The methods.
    difference : float
        How much greater the values of `a` are; of mean ranks with Nemenyi's and Bonferroni-Dunn's test.
    low, high : float
        Its interval, for this pair alone; NaN where the test has none.
    pvalue : float
        The p-value for this pair alone; NaN where the test has none.
    adjusted_pvalue : float
        The p-value corrected for all pairs that were compared.
    probability : float
        Of a Bayesian test, the probability that the better method is better; else NaN.
    better : str
        The method that is better, where the difference holds; else empty.
    result : object
        The result of the test, of `calibrant.comparison` or `calibrant.metrics`.

    Examples
    --------
    >>> PairDifference("tree", "forest", 0.02, 0.01, 0.03, 0.001, 0.003, better="forest")
    forest is better than tree: difference 0.0200 (0.0100 to 0.0300), p = 0.001, corrected 0.003
    """

    a: str
    b: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    pvalue: float = math.nan
    adjusted_pvalue: float = math.nan
    probability: float = math.nan
    better: str = ""
    result: Any = field(default=None, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the difference holds."""
        return bool(self.better)

    def __repr__(self) -> str:
        if not self.better:
            return f"{self.a} and {self.b} are not shown to differ: {self._figures(1.0)}"
        worse = self.b if self.better == self.a else self.a
        return f"{self.better} is better than {worse}: {self._figures(-1.0 if self.difference < 0 else 1.0)}"

    def _figures(self, sign: float) -> str:
        """Return the figures, with the difference as a positive number where it holds."""
        ends = sorted((sign * self.low, sign * self.high))
        figures = f"difference {number_text(sign * self.difference)}"
        figures += "" if math.isnan(self.low) else f" ({number_text(ends[0])} to {number_text(ends[1])})"
        figures += "" if math.isnan(self.pvalue) else f", p = {self.pvalue:.3g}"
        figures += "" if math.isnan(self.adjusted_pvalue) else f", corrected {self.adjusted_pvalue:.3g}"
        return figures + ("" if math.isnan(self.probability) else f", probability {self.probability:.3g}")


@dataclass(frozen=True, repr=False)
class StudyComparison:
    """The methods of a study, compared pair by pair; its repr lists the differences that hold.

    Parameters
    ----------
    metric : str
        The metric.
    better : str
        Which value is better, in words.
    methods, datasets : tuples of str
        What was compared, and on which data sets.
    plan : str
        The description of the plan.
    test : str
        The name of the test in the registry; empty where none holds.
    reason : str
        Why this test, or why none holds.
    confidence : float
        Confidence of the intervals; a difference holds where its corrected p-value is at most ``1 - confidence``.
    pairs : tuple of PairDifference
        Every pair that was compared.
    overall : Friedman or None
        Over several data sets and three or more methods, Friedman's test of all of them.
    ranks : CriticalDifference or None
        With Nemenyi's or Bonferroni-Dunn's test, the mean ranks and their critical difference.
    how : str
        The test and its correction, in words.
    notes : tuple of str
        What was left out, and what a reader should know.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19, 0.20], [0.10, 0.11, 0.12, 0.09, 0.10]]}
    >>> StudyResults.from_values(values, methods=["tree", "forest"], metric="mse").compare("mse")
    mse of 2 methods on iris, 5-fold cross-validation (lower is better)
      forest is better than tree: difference 0.1000 (0.0890 to 0.1110), p = 1.44e-05
    Corrected resampled t-test, a single comparison, at 95 %: the splits share rows.
    """

    metric: str
    better: str
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    plan: str
    test: str
    reason: str
    confidence: float
    pairs: tuple[PairDifference, ...] = ()
    overall: Friedman | None = None
    ranks: CriticalDifference | None = None
    how: str = ""
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[PairDifference, ...]:
        """The pairs whose difference holds."""
        return tuple(pair for pair in self.pairs if pair.holds)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each pair; columns that the test does not have are left out.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.2, 0.3, 0.2], [0.1, 0.2, 0.2]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse")
        >>> results.compare("mse").to_frame()[["a", "b", "difference", "better"]].round(3)
                a     b  difference better
        0  forest  tree      -0.067
        """
        pandas = optional_import("pandas", extra="studies", purpose="return a comparison as a frame")
        names = [each.name for each in fields(PairDifference) if each.name != "result"]
        frame: pd.DataFrame = pandas.DataFrame(
            [[getattr(pair, name) for name in names] for pair in self.pairs], columns=names
        )
        empty = [name for name in names if name not in ("a", "b", "better") and frame[name].isna().all()]
        return frame.drop(columns=empty)

    def __repr__(self) -> str:
        on = self.datasets[0] if len(self.datasets) == 1 else f"{len(self.datasets)} data sets"
        n = len(self.methods)
        lines = [f"{self.metric} of {n} methods on {on}, {self.plan} ({self.better})"]
        if not self.test:
            return "\n".join([*lines, fill(f"No test holds: {self.reason}.", _WIDTH)])
        if (overall := self.overall) is not None:
            differs = overall.f_pvalue <= 1 - self.confidence
            ranks = "some rank better than others" if differs else "not shown to rank differently"
            figures = f"F = {overall.f_statistic:.4g}, p = {overall.f_pvalue:.3g}"
            lines.append(f"  {n} methods together: {ranks} (Friedman's test by Iman and Davenport, {figures})")
        found = self.differences
        lines += [f"  {pair!r}" for pair in found[:_MOST_PAIRS]]
        lines += [f"  and {len(found) - _MOST_PAIRS} more differences"] if len(found) > _MOST_PAIRS else []
        lines += self._others()
        lines.append(fill(f"{self.how}, at {100 * self.confidence:g} %: {self.reason}.", _WIDTH))
        return "\n".join([*lines, *(fill(note, _WIDTH) for note in self.notes)])

    def _others(self) -> list[str]:
        """Return the pairs that are not shown to differ: one with its figures, several by their names."""
        others = [pair for pair in self.pairs if not pair.holds]
        if len(others) == 1:
            return [f"  {others[0]!r}"]
        if not others:
            return []
        names = "; ".join(f"{pair.a} and {pair.b}" for pair in others[:_MOST_PAIRS])
        more = f"; and {len(others) - _MOST_PAIRS} more pairs" if len(others) > _MOST_PAIRS else ""
        return [fill(f"not shown to differ: {names}{more}", _WIDTH, initial_indent="  ", subsequent_indent="    ")]
