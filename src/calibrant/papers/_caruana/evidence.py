"""Verdicts on the figures of the tables: what a difference shows, and what several show together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from calibrant.comparison import holm

if TYPE_CHECKING:
    from calibrant.papers._reproduction.table import PaperTable

__all__ = ["JudgedDifference", "Verdict", "all_below_zero", "all_of", "p_text", "read_difference"]

Verdict = Literal["holds", "does not hold", "undecided"]

_LEVEL = 0.05


@dataclass(frozen=True)
class JudgedDifference:
    """A difference of the table ``comparisons``, with its p-values.

    Examples
    --------
    >>> shown = JudgedDifference("BST-DT - ANN", -0.012, 0.001, 0.08, 4, 5)
    >>> shown.below_zero, str(shown)
    ('holds', 'BST-DT - ANN -0.0120 (p 0.001; below 0 on 4 of 5 problems)')
    >>> JudgedDifference("BST-DT - ANN", 0.012, 0.001, 0.08, 1, 5).below_zero
    'does not hold'
    """

    name: str
    value: float
    p_rows: float
    p_problems: float
    n_negative: int
    n_problems: int

    @property
    def p_value(self) -> float:
        """That over other rows of the same problems; with a single sample of rows, that over other problems."""
        return self.p_problems if math.isnan(self.p_rows) else self.p_rows

    @property
    def below_zero(self) -> Verdict:
        """Whether the difference is below 0, beyond sampling error."""
        if not self.p_value < _LEVEL:
            return "undecided"
        return "holds" if self.value < 0 else "does not hold"

    def corrected(self, n_tried: int) -> JudgedDifference:
        """Return the difference with p-values corrected for the number of those it was chosen among."""
        p_rows, p_problems = (p if math.isnan(p) else min(1.0, n_tried * p) for p in (self.p_rows, self.p_problems))
        return replace(self, p_rows=p_rows, p_problems=p_problems)

    def reversed(self) -> JudgedDifference:
        """Return the difference with the opposite sign."""
        one, other = self.name.split(" - ", 1)
        n_positive = self.n_problems - self.n_negative
        return JudgedDifference(
            f"{other} - {one}", -self.value, self.p_rows, self.p_problems, n_positive, self.n_problems
        )

    def __str__(self) -> str:
        counted = f"below 0 on {self.n_negative} of {self.n_problems} problems"
        return f"{self.name} {self.value:.4f} (p {p_text(self.p_value)}; {counted})"


def read_difference(tables: dict[str, PaperTable], row: str, block: str) -> JudgedDifference:
    """Return a difference of the table ``comparisons``."""
    table = tables["comparisons"]
    columns = ("difference", "p (rows)", "p (problems)", "problems below 0")
    value, p_rows, p_problems, n_negative = (table.cell(row, column, block).ours for column in columns)
    return JudgedDifference(row, value, p_rows, p_problems, int(n_negative), len(tables["raw_by_problem"].blocks))


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several statements together.

    Examples
    --------
    >>> all_of(["holds", "holds"]), all_of(["holds", "undecided"]), all_of(["undecided", "does not hold"])
    ('holds', 'undecided', 'does not hold')
    """
    found = set(verdicts)
    if "does not hold" in found:
        return "does not hold"
    return "undecided" if "undecided" in found or not found else "holds"


def all_below_zero(differences: Sequence[JudgedDifference]) -> Verdict:
    """Return whether all differences are below 0.

    It holds if each is, beyond sampling error; it does not hold if one is above 0 beyond it, by p-values corrected for
    their number (Holm).

    Examples
    --------
    >>> below, above = JudgedDifference("a - b", -0.1, 0.01, 0.1, 5, 5), JudgedDifference("a - c", 0.1, 0.03, 0.1, 0, 5)
    >>> all_below_zero([below]), all_below_zero([above]), all_below_zero([below, above])
    ('holds', 'does not hold', 'does not hold')
    >>> all_below_zero([above] * 3)
    'undecided'
    """
    if all(each.below_zero == "holds" for each in differences):
        return "holds"
    corrected = holm([1.0 if math.isnan(each.p_value) else each.p_value for each in differences])
    shown = (each.value > 0 and p_value < _LEVEL for each, p_value in zip(differences, corrected, strict=True))
    return "does not hold" if any(shown) else "undecided"


def p_text(p_value: float) -> str:
    """Return a p-value with three decimals.

    Examples
    --------
    >>> p_text(0.0321), p_text(0.0001)
    ('0.032', '< 0.001')
    """
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
