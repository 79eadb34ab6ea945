"""The list of data sets: a tuple of names with the details of each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Self

from calibrant._optional import optional_import
from calibrant._sections import DataTable, Section, TableColumn, sections_html

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DatasetEntry", "DatasetList"]


@dataclass(frozen=True)
class DatasetEntry:
    """A data set or a paper's task: its size, and the source it would be loaded from now."""

    name: str
    rows: int | None
    features: int | None
    classes: int | None
    positive: str | None
    papers: str
    where: str


_FIELDS = fields(DatasetEntry)


class DatasetList(tuple[str, ...]):
    """The names that ``load`` accepts, with the details of each.

    Parameters
    ----------
    entries : iterable of DatasetEntry
        One for each name.

    Examples
    --------
    >>> names = DatasetList([DatasetEntry("tiny", 2, 1, 2, "yes", "", "package")])
    >>> "tiny" in names, len(names)
    (True, 1)
    >>> names
    1 data set: load(name) loads one, .to_frame() lists details.
      tiny
    """

    entries: tuple[DatasetEntry, ...]

    def __new__(cls, entries: Iterable[DatasetEntry]) -> Self:
        entries = tuple(entries)
        self = super().__new__(cls, (entry.name for entry in entries))
        self.entries = entries
        return self

    def __getnewargs__(self) -> tuple[tuple[DatasetEntry, ...]]:
        return (self.entries,)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each name: rows, features, classes, positive class, papers and source.

        Examples
        --------
        >>> from calibrant.data import list_datasets
        >>> list_datasets().to_frame().loc["appeal", "where"]
        'calibrant'
        """
        pandas = optional_import("pandas", extra="data", purpose="show the list as a frame")
        frame: pd.DataFrame = pandas.DataFrame([asdict(entry) for entry in self.entries]).set_index("name")
        return frame

    def __repr__(self) -> str:
        return "\n".join([self._head, *self._paragraphs()])

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the list as sections, which notebooks and web pages show."""
        numbers = ("rows", "features", "classes")
        columns = tuple(TableColumn(each.name, "right" if each.name in numbers else "left") for each in _FIELDS)
        rows = tuple(tuple(map(_cell, astuple(entry))) for entry in self.entries)
        return (Section("datasets", self._head, (DataTable("Data sets", columns, rows),)),)

    @property
    def _head(self) -> str:
        sets = "data set" if len(self) == 1 else "data sets"
        return f"{len(self)} {sets}: load(name) loads one, .to_frame() lists details."

    def _paragraphs(self) -> Iterator[str]:
        families: dict[str, list[str]] = {}
        for name in self:
            families.setdefault(name.rpartition(".")[0], []).append(name)
        lines = textwrap.TextWrapper(100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        return (lines.fill("  ".join(names)) for names in families.values())


def _cell(value: str | int | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:,}"
