"""Evidence for and against claims: intervals of paired differences, and the verdict they amount to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._zadrozny.comparisons import METRIC_NAMES

if TYPE_CHECKING:
    from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["Checked", "TableEvidence", "conclude", "interval_text", "is_above", "is_below"]

Outcome = bool | None
_MSE = ": MSE"


@dataclass(frozen=True)
class Checked:
    """Whether figures show a claim (True), the contrary (False) or neither (None), and the figures."""

    outcome: Outcome
    text: str


def conclude(name: str, statement: str, source: str, checked: Iterable[Checked], advice: str = "") -> Finding:
    """Return a finding that holds if all figures show it, and does not if some show the contrary.

    Examples
    --------
    >>> conclude("a", "A is less.", "Table 1", [Checked(True, "-1"), Checked(None, "0")]).verdict
    'undecided'
    """
    checked = list(checked)
    outcomes = [each.outcome for each in checked]
    verdict: Literal["holds", "does not hold", "undecided"] = "undecided"
    if False in outcomes:
        verdict = "does not hold"
    elif outcomes and None not in outcomes:
        verdict = "holds"
    return Finding(name, statement, verdict, ". ".join(each.text for each in checked) + ".", source, advice)


def is_below(cell: Cell) -> Outcome:
    """Return whether an interval lies below 0; None if it contains 0 or there is none."""
    return True if cell.high < 0 else False if cell.low > 0 else None


def is_above(cell: Cell) -> Outcome:
    """Return whether an interval lies above 0; None if it contains 0 or there is none."""
    return True if cell.low > 0 else False if cell.high < 0 else None


def interval_text(cell: Cell, decimals: int = 4) -> str:
    """Return a figure with its interval.

    Examples
    --------
    >>> from calibrant.papers import Cell
    >>> interval_text(Cell("a", "b", -0.25, low=-0.5, high=0.125), 2)
    '-0.25 [-0.50, +0.12]'
    """
    return f"{cell.ours:+,.{decimals}f} [{cell.low:+,.{decimals}f}, {cell.high:+,.{decimals}f}]"


@dataclass(frozen=True)
class TableEvidence:
    """The tables of the paper, as evidence."""

    tables: Mapping[str, PaperTable]

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets on which methods are compared."""
        blocks = self.tables["comparisons"].blocks
        return [block.removesuffix(_MSE) for block in blocks if block.endswith(_MSE)]

    @staticmethod
    def short(dataset: str) -> str:
        """Return a short name of a data set."""
        return dataset.partition(", ")[2].partition(", ")[0] or dataset

    def difference(self, dataset: str, metric: str, row: str) -> Cell:
        """Return a paired difference."""
        return self.tables["comparisons"].cell(row, "difference", f"{dataset}: {metric}")

    def text(self, dataset: str, metric: str, row: str, *, named: bool = False) -> str:
        """Return a paired difference as text, with its row if it is to be named."""
        decimals = {"MSE": 5, METRIC_NAMES["profit"]: 0}.get(metric, 3)
        text = interval_text(self.difference(dataset, metric, row), decimals)
        return f"{row} {text}" if named else text

    def check(
        self,
        rows: Sequence[str],
        metric: str,
        outcome_of: Callable[[Cell], Outcome],
        *,
        datasets: Iterable[str] | None = None,
        shown: Sequence[str] | None = None,
    ) -> list[Checked]:
        """Check paired differences on each data set; the text has other ones where these explain more."""
        checked = []
        for dataset in self.datasets if datasets is None else datasets:
            outcomes = [outcome_of(self.difference(dataset, metric, row)) for row in rows]
            outcome = False if False in outcomes else None if None in outcomes else True
            texts = [self.text(dataset, metric, row, named=True) for row in (rows if shown is None else shown)]
            checked.append(Checked(outcome, f"{self.short(dataset)}: {'; '.join(texts)}"))
        return checked
