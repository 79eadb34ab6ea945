"""A reproduced paper: tables, findings and pictures, as text and as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant._whole_file import whole_file
from calibrant.papers._reproduction.finding import Finding, findings_csv, findings_text

if TYPE_CHECKING:
    from calibrant.papers._reproduction.paper import Size
    from calibrant.papers._reproduction.picture import Picture
    from calibrant.papers._reproduction.table import PaperTable

__all__ = ["Reproduction"]

_DPI = 150


@dataclass(frozen=True)
class Reproduction:
    """A reproduced paper; `text`, which ``print`` shows, has all its tables and findings.

    Parameters
    ----------
    paper, citation : str
        Its name, and its authors and title.
    size : {"quick", "default", "full"}
        How much of the experiment was repeated.
    n_trials : int
        Number of trials.
    seconds : float
        The time of all trials on the clock, which other work on the machine lengthens; what they share counts once.
    tables : tuple of PaperTable
        Published figures beside ours.
    findings : tuple of Finding
        The paper's claims, checked.
    pictures : tuple of Picture
        Its figures, drawn from our results.

    Examples
    --------
    >>> from calibrant.papers import Cell, Finding, PaperTable, Published, Reproduction
    >>> table = PaperTable("table_1", "Table 1: MSE", (Cell("Laplace", "test", 0.2, Published("0.2"), error=0.1),))
    >>> finding = Finding("laplace", "Laplace helps.", "holds", "0.2 against 0.3.", "Table 1")
    >>> made = Reproduction("a-paper", "A. Author", "quick", 10, 1.5, (table,), (finding,))
    >>> made.n_agreeing, made.n_judged
    (1, 1)
    """

    paper: str
    citation: str
    size: Size
    n_trials: int
    seconds: float
    tables: tuple[PaperTable, ...]
    findings: tuple[Finding, ...]
    pictures: tuple[Picture, ...] = ()

    @property
    def n_judged(self) -> int:
        """Number of published figures with a verdict."""
        return sum(each.n_judged for each in self.tables)

    @property
    def n_agreeing(self) -> int:
        """Number of published figures that ours agree with."""
        return sum(each.n_agreeing for each in self.tables)

    @property
    def text(self) -> str:
        """Everything in Markdown."""
        return "\n\n".join(self._parts()) + "\n"

    def __str__(self) -> str:
        return self.text

    def write(self, folder: str | PathLike[str]) -> tuple[Path, ...]:
        """Write the text, a CSV file for each table and one of the findings, and the pictures.

        Parameters
        ----------
        folder : str or path
            The folder, which is made if need be; files of these names are replaced.

        Returns
        -------
        tuple of Path
            The files.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        texts = {"results.md": self.text, "findings.csv": findings_csv(self.findings)}
        texts |= {f"{each.name}.csv": each.to_csv() for each in self.tables}
        for name, text in texts.items():
            with whole_file(folder / name) as file:
                file.write(text.encode())
        for picture in self.pictures:
            with whole_file(folder / f"{picture.name}.png") as file:
                picture.figure.savefig(file, format="png", dpi=_DPI, bbox_inches="tight")
        return tuple(folder / name for name in [*texts, *(f"{each.name}.png" for each in self.pictures)])

    def _parts(self) -> Iterator[str]:
        yield f"# {self.citation}"
        yield (
            f"Repeated at size {self.size}: {self.n_trials:,} trials. {self.n_agreeing} of {self.n_judged} published "
            "figures that can be judged agree with ours."
        )
        yield "## Findings"
        yield findings_text(self.findings)
        yield "## Tables"
        yield from (each.text for each in self.tables)
        if self.pictures:
            yield "## Figures"
            yield from (f"![{each.caption}]({each.name}.png)\n\n{each.caption}" for each in self.pictures)
