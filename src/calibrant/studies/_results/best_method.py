"""The best of many methods, with the score that its choosing does not flatter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Literal

from calibrant._optional import optional_import
from calibrant._repr import number_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BestMethod"]

_WIDTH = 110


@dataclass(frozen=True, repr=False)
class BestMethod:
    """The best of the methods of a study; its repr states both scores and how the second was corrected.

    Parameters
    ----------
    method : str
        The method; with a nested plan the one that was chosen most often.
    metric : str
        The metric that chose it.
    better : str
        Which value is better, in words.
    dataset : str or None
        The data set; None where it was chosen over several.
    n_methods : int
        Number of methods that it was chosen from.
    apparent : float
        Its mean, which is too good: it was chosen for it. NaN with a nested plan.
    corrected : float
        The score of a method that is chosen like this, on rows that had no part in the choice; NaN where it cannot be
        known.
    low, high : float
        The interval of the corrected score; NaN where none holds.
    confidence : float
        Its confidence.
    correction : {"nested", "folds", "rows", "data sets", "nothing chosen", "none"}
        What the choice was separated by.
    how : str
        The same in words.
    choices : dict of str to float
        How often each method was chosen when the choice was repeated, the most frequent first.
    mean_rank, corrected_mean_rank : float
        Over several data sets, the mean rank that it was chosen by, and the same corrected; else NaN.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
    >>> StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").best("mse")
    forest is the best of 3 methods by mse on iris (lower is better)
      its mean is 0.1050, flattered by the choice; corrected 0.1069
    Corrected by choosing on folds that are drawn with replacement and testing the choice on the others; chosen
    there: forest 80 %, bayes 20 %.
    """

    method: str
    metric: str
    better: str
    dataset: str | None
    n_methods: int
    apparent: float
    corrected: float
    low: float = math.nan
    high: float = math.nan
    confidence: float = 0.95
    correction: Literal["nested", "folds", "rows", "data sets", "nothing chosen", "none"] = "none"
    how: str = ""
    choices: Mapping[str, float] = field(default_factory=dict)
    mean_rank: float = math.nan
    corrected_mean_rank: float = math.nan
    n_datasets: int = 1

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09]]}
        >>> best = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse").best("mse")
        >>> best.to_frame()[["method", "apparent", "corrected"]]
           method  apparent  corrected
        0  forest     0.105      0.105
        """
        pandas = optional_import("pandas", extra="studies", purpose="return the best method as a frame")
        shown = ("method", "metric", "dataset", "n_methods", "apparent", "corrected", "low", "high", "confidence")
        row = {name: getattr(self, name) for name in (*shown, "correction", "mean_rank", "corrected_mean_rank")}
        frame: pd.DataFrame = pandas.DataFrame([row])
        return frame

    def __repr__(self) -> str:
        on = self.dataset if self.dataset is not None else f"{self.n_datasets} data sets"
        if self.correction == "nested":
            first = f"{self.method} was chosen most often of {self.n_methods} methods by {self.metric} on {on}"
        else:
            first = f"{self.method} is the best of {self.n_methods} methods by {self.metric} on {on}"
        lines = [f"{first} ({self.better})", f"  {self._scores()}"]
        if not math.isnan(self.mean_rank):
            ranks = f"mean rank {self.mean_rank:.2f}, corrected {self.corrected_mean_rank:.2f}"
            lines.append(f"  {ranks}; a method of average rank has {(self.n_methods + 1) / 2:g}")
        chosen = [f"{name} {100 * share:.0f} %" for name, share in list(self.choices.items())[:5] if share >= 0.005]
        stated = f"; chosen there: {', '.join(chosen)}" if chosen else ""
        return "\n".join([*lines, fill(f"{self.how}{stated}.", _WIDTH)])

    def _scores(self) -> str:
        interval = f"{100 * self.confidence:g} % interval {number_text(self.low)} to {number_text(self.high)}"
        ends = "" if math.isnan(self.low) else f" ({interval})"
        if self.correction == "nested":
            return f"the score of choosing and testing on other rows is {number_text(self.corrected)}{ends}"
        if self.correction == "nothing chosen":
            return f"its mean is {number_text(self.corrected)}{ends}"
        mean = f"its mean is {number_text(self.apparent)}, flattered by the choice"
        is_corrected = not math.isnan(self.corrected)
        return f"{mean}; " + (f"corrected {number_text(self.corrected)}{ends}" if is_corrected else "not corrected")
