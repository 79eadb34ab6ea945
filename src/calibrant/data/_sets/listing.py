"""The list of data sets: a tuple of names that knows more about each and prints well."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Self

from calibrant._optional import optional_import

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DatasetList", "Listed"]


@dataclass(frozen=True)
class Listed:
    """A line of the list: a data set or a paper's task, its size, and where it would be loaded from now."""

    name: str
    rows: int | None
    features: int | None
    classes: int | None
    positive: str | None
    papers: str
    where: str


class DatasetList(tuple[str, ...]):
    """The names that ``load`` knows, with the details of each.

    Parameters
    ----------
    lines : iterable of Listed
        One for each name.

    Examples
    --------
    >>> names = DatasetList([Listed("tiny", 2, 1, 2, "yes", "", "package")])
    >>> "tiny" in names, len(names)
    (True, 1)
    >>> names
    1 data set: load(name) gives one, .to_frame() tells more.
      tiny
    """

    lines: tuple[Listed, ...]

    def __new__(cls, lines: Iterable[Listed]) -> Self:
        lines = tuple(lines)
        self = super().__new__(cls, (line.name for line in lines))
        self.lines = lines
        return self

    def __getnewargs__(self) -> tuple[tuple[Listed, ...]]:
        return (self.lines,)

    def to_frame(self) -> pd.DataFrame:
        """Give a line for each name: rows, features, classes, positive class, papers, where it is found now.

        Examples
        --------
        >>> from calibrant.data import list_datasets
        >>> list_datasets().to_frame().loc["appeal", "where"]
        'calibrant'
        """
        pandas = optional_import("pandas", extra="data", purpose="show the list as a frame")
        frame: pd.DataFrame = pandas.DataFrame([asdict(line) for line in self.lines]).set_index("name")
        return frame

    def __repr__(self) -> str:
        sets = "data set" if len(self) == 1 else "data sets"
        head = f"{len(self)} {sets}: load(name) gives one, .to_frame() tells more."
        return "\n".join([head, *self._paragraphs()])

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(na_rep=""))

    def _paragraphs(self) -> Iterator[str]:
        families: dict[str, list[str]] = {}
        for name in self:
            families.setdefault(name.rpartition(".")[0], []).append(name)
        lines = textwrap.TextWrapper(100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        return (lines.fill("  ".join(names)) for names in families.values())
