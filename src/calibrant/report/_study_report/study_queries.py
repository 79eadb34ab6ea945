"""The queries on a study that its report asks several times, each computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant.exceptions import CalibrantError

if TYPE_CHECKING:
    from calibrant.studies import BestMethod, StudyComparison, StudyResults

__all__ = ["StudyQueries"]


@dataclass(frozen=True, eq=False)
class StudyQueries:
    """The results of a study, and how its methods are compared.

    Parameters
    ----------
    results : StudyResults
        The results.
    test, reference : str or None
        The test and the method that others are compared with, as in `StudyResults.compare`.
    confidence : float
        That of intervals and tests.
    """

    results: StudyResults
    test: str | None = None
    reference: str | None = None
    confidence: float = 0.95
    _compared: dict[str, StudyComparison | str] = field(default_factory=dict)
    _best: dict[str, BestMethod | str] = field(default_factory=dict)

    @property
    def percent(self) -> str:
        """The confidence as text."""
        return f"{100 * self.confidence:g} %"

    def compare(self, metric: str) -> StudyComparison | str:
        """Return the methods compared by a metric, or why that cannot be done."""
        if metric not in self._compared:
            self._compared[metric] = self._compare(metric)
        return self._compared[metric]

    def _compare(self, metric: str) -> StudyComparison | str:
        options = {"reference": self.reference, "confidence": self.confidence, "partial": True}
        try:
            found = self.results.compare(metric, self.test, **options)  # type: ignore[arg-type]
        except CalibrantError as error:
            return str(error)
        return found if found.test else f"No test holds: {found.reason}."

    def best(self, metric: str) -> BestMethod | str:
        """Return the best method by a metric, or why there is none."""
        if metric not in self._best:
            self._best[metric] = self._find_best(metric)
        return self._best[metric]

    def _find_best(self, metric: str) -> BestMethod | str:
        try:
            return self.results.best(metric, confidence=self.confidence, partial=True)
        except CalibrantError as error:
            return str(error)

    def direction(self, metric: str) -> str:
        """Return which value of a metric is better, in words; empty where it is not known."""
        try:
            return self.results.facts(metric).words
        except CalibrantError:
            return ""
