"""The result of checking a table: findings with their evidence and advice, as text, frame and sections."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from calibrant._optional import optional_import
from calibrant._repr import listed
from calibrant._sections import Callout, Section, sections_html

if TYPE_CHECKING:
    import pandas as pd

FindingKind = Literal[
    "one class", "leak", "time", "rare class", "id", "repeated id", "date", "text", "many values", "number as text",
    "looks missing", "missing by class", "constant", "nearly constant", "copy", "duplicate rows", "sorted by class",
    "protected",
]  # fmt: skip

# The title of each kind, in the order of their weight
TITLES: dict[FindingKind, str] = {
    "one class": "all rows are of one class",
    "leak": "may be a leak of the class",
    "time": "the table seems to be in order of time",
    "rare class": "a class has too few rows",
    "repeated id": "do rows belong together?",
    "id": "looks like an id",
    "date": "is a date",
    "text": "is free text",
    "many values": "is nominal with very many values",
    "number as text": "holds numbers stored as text",
    "looks missing": "has values that look like missing",
    "missing by class": "is missing more often in some classes",
    "constant": "is constant",
    "nearly constant": "is nearly constant",
    "copy": "copy each other",
    "duplicate rows": "rows occur more than once",
    "sorted by class": "rows are sorted by class",
    "protected": "may name a protected group",
}
_WIDTH = 110
_MAX_COLUMNS = 6  # columns named in a line; the frame has all


@dataclass(frozen=True)
class TableFinding:
    """A property of a table that should be looked at before learning from it.

    Parameters
    ----------
    kind : str
        Its kind, such as ``"leak"`` or ``"constant"``.
    columns : tuple of str
        The columns it is about; empty where it is about rows or classes.
    evidence : str
        The figures that it rests on.
    advice : str
        What to do.

    Examples
    --------
    >>> print(TableFinding("constant", ("currency",), "one value in every row", "Leave it out: --types currency=drop."))
    'currency' is constant: one value in every row. Leave it out: --types currency=drop.
    """

    kind: FindingKind
    columns: tuple[str, ...]
    evidence: str
    advice: str

    @property
    def title(self) -> str:
        """The finding in a few words, with its columns."""
        words = TITLES[self.kind]
        if not self.columns or self.kind in ("one class", "time", "rare class", "sorted by class", "duplicate rows"):
            return words[0].upper() + words[1:]
        names = listed([f"'{name}'" for name in self.columns[:_MAX_COLUMNS]], last=", ")
        more = f" and {len(self.columns) - _MAX_COLUMNS} more" if len(self.columns) > _MAX_COLUMNS else ""
        if self.kind == "repeated id":
            return f"{names}{more}: {words}"
        if len(self.columns) > 1:
            plural = {"is": "are", "has": "have", "looks": "look", "holds": "hold"}
            first, _, rest = words.partition(" ")
            words = f"{plural.get(first, first)} {rest}"
        return f"{names}{more} {words}"

    def __str__(self) -> str:
        return f"{self.title}: {self.evidence}. {self.advice}"


@dataclass(frozen=True, repr=False)
class TableCheck:
    """The findings of a careful colleague on a table, before anything is learned from it; `check_table` makes it.

    Parameters
    ----------
    name : str
        The name of the table.
    n_rows, n_columns : int
        Its size; the class is not counted.
    findings : tuple of TableFinding
        The findings, the weightiest first.
    n_checked : int
        The number of rows that columns were checked on; fewer than all of a long table.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data import check_table
    >>> frame = pd.DataFrame({"x": range(0, 90, 3), "currency": "USD", "y": ["a", "b", "b"] * 10})
    >>> [finding.kind for finding in check_table(frame, target="y").findings]
    ['id', 'constant']
    """

    name: str
    n_rows: int
    n_columns: int
    findings: tuple[TableFinding, ...]
    n_checked: int = 0

    def of_kind(self, kind: FindingKind) -> tuple[TableFinding, ...]:
        """Return the findings of a kind.

        Examples
        --------
        >>> TableCheck("t", 3, 1, ()).of_kind("leak")
        ()
        """
        return tuple(finding for finding in self.findings if finding.kind == kind)

    @property
    def suspects(self) -> tuple[str, ...]:
        """The columns that may be leaks."""
        return tuple(dict.fromkeys(name for finding in self.of_kind("leak") for name in finding.columns))

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a pandas frame, a row each: kind, columns, evidence and advice.

        Examples
        --------
        >>> TableCheck("t", 3, 1, (TableFinding("constant", ("a",), "one value", "Leave it out."),)).to_frame().shape
        (1, 4)
        """
        pandas = optional_import("pandas", extra="data", purpose="return findings as a frame")
        rows = [(each.kind, list(each.columns), each.evidence, each.advice) for each in self.findings]
        frame: pd.DataFrame = pandas.DataFrame(rows, columns=["kind", "columns", "evidence", "advice"])
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return the check as values that JSON can hold.

        Examples
        --------
        >>> TableCheck("t", 3, 1, ()).to_dict()["findings"]
        []
        """
        findings = [{**vars(each), "columns": list(each.columns)} for each in self.findings]
        size = {"name": self.name, "n_rows": self.n_rows, "n_columns": self.n_columns, "n_checked": self.n_checked}
        return {**size, "findings": findings}

    @property
    def summary(self) -> str:
        """The number of findings in a line."""
        size = f"{self.name}: {self.n_rows:,} rows, {self.n_columns:,} columns"
        if 0 < self.n_checked < self.n_rows:
            size += f" (columns checked on {self.n_checked:,})"
        n = len(self.findings)
        return f"{size}; {'nothing to look at' if not n else '1 finding' if n == 1 else f'{n} findings'}."

    @property
    def brief(self) -> str:
        """The findings but for leaks in half a line each; empty without findings."""
        titles = [each.title for each in self.findings if each.kind != "leak"]
        return "; ".join(map(_uncapital, titles))

    def __repr__(self) -> str:
        lines = [fill(f"- {each}", _WIDTH, subsequent_indent="  ") for each in self.findings]
        return "\n".join([self.summary, *lines])

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the findings as a section, which notebooks, reports and web pages show."""
        blocks = tuple(
            Callout(
                "bad" if each.kind == "leak" else "warning",
                f"{each.title}.",
                f"{_capital(each.evidence)}. {each.advice}",
            )
            for each in self.findings
        ) or (Callout("good", "Nothing in single columns or pairs of columns needs a look."),)
        return (Section("check", "What to look at before learning", blocks, term="Check of the table"),)


def _uncapital(title: str) -> str:
    return title[:1].lower() + title[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
