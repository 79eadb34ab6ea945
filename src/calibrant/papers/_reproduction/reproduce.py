"""Running the studies of a paper and writing what they show."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from calibrant._params import Choice, check_param
from calibrant._whole_file import whole_file
from calibrant.exceptions import StudyError
from calibrant.papers._reproduction.finding import Finding, findings_csv, findings_text
from calibrant.papers._reproduction.paper import Picture, Size, get_paper
from calibrant.papers._reproduction.table import PaperTable

if TYPE_CHECKING:
    from calibrant.studies import Study, StudyStatus

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
        parts = [
            f"# {self.citation}",
            f"Repeated at size {self.size}: {self.n_trials:,} trials. {self.n_agreeing} of {self.n_judged} published "
            "figures that can be judged agree with ours.",
            "## Findings",
            findings_text(self.findings),
            "## Tables",
            *(each.text for each in self.tables),
            *(["## Figures"] if self.pictures else []),
            *(f"![{each.caption}]({each.name}.png)\n\n{each.caption}" for each in self.pictures),
        ]
        return "\n\n".join(parts) + "\n"

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


SIZES: tuple[Size, ...] = ("quick", "default", "full")

_PROBE_SECONDS = 0.16  # of `_probe` on one core of the machine where the papers' `processor_seconds` were measured


def estimate_time(paper: str, size: Size = "default", workers: int | None = None) -> float:
    """Return an estimate of the seconds that a reproduction takes here.

    Some trees are grown to compare this machine with the one where the time of each paper was measured.

    Parameters
    ----------
    paper : str
        One of `PAPERS`.
    size : {"quick", "default", "full"}
        How much of the experiment is repeated.
    workers : int, optional
        Number of processes; by default one for each core.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> from calibrant.papers import estimate_time
    >>> estimate_time("chawla-cieslak-2006", "quick", 1) < estimate_time("chawla-cieslak-2006", "full", 1)
    True
    """
    check_param("size", size, Choice(*SIZES))
    seconds = get_paper(paper).processor_seconds[size]
    return seconds / n_processes(workers) * min(_probe() for _ in range(3)) / _PROBE_SECONDS


def n_processes(workers: int | None) -> int:
    """Return a number of processes: one for each core that this process may use, unless it is specified."""
    if workers is not None:
        return workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _probe() -> float:
    """Return the seconds of growing some trees in one thread."""
    from calibrant.data import load
    from calibrant.ensembles import BaggedTreesClassifier

    appeal = load("appeal")
    model = BaggedTreesClassifier(n_trees=200, n_jobs=1, random_state=0)
    start = perf_counter()
    model.fit(appeal.X, appeal.y)
    return perf_counter() - start


_STORE = "trials.db"


def reproduce(
    paper: str,
    *,
    size: Size = "default",
    out: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    workers: int | None = None,
    dask: Any = None,
) -> Reproduction:
    """Repeat the experiment of a paper, and write its tables and figures with ours beside the published ones.

    The experiment runs as studies (`calibrant.studies`): each trial is recorded as it finishes, and a run that was
    stopped goes on where it ended.

    Parameters
    ----------
    paper : str
        One of `PAPERS`.
    size : {"quick", "default", "full"}
        Minutes, about an hour on two cores, or the size of the paper's own experiment.
    out : str or path, optional
        The folder of the tables (text and CSV) and pictures; by default ``calibrant-`` and the name of the paper.
    store : str or path, optional
        The store of the trials; by default ``trials.db`` in the folder.
    workers : int, optional
        Number of local processes; by default one for each core.
    dask : str or distributed.Client, optional
        A Dask cluster to run the trials on instead.

    Returns
    -------
    Reproduction
        Tables, findings and pictures, which have been written to the folder.

    Raises
    ------
    StudyError
        If trials fail; the message names the first failure.

    Examples
    --------
    >>> from calibrant.papers import reproduce
    >>> reproduce("zadrozny-elkan-2001", size="huge")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: size must be 'quick', 'default' or 'full'; got 'huge'.
    """
    check_param("size", size, Choice(*SIZES))
    found = get_paper(paper)
    folder = Path(out if out is not None else f"calibrant-{found.name}")
    folder.mkdir(parents=True, exist_ok=True)
    studies = found.studies(size, str(store if store is not None else folder / _STORE))
    processes = None if dask is not None else n_processes(workers)
    states = [_run(study, processes, dask) for study in studies.values()]
    results = {name: study.results() for name, study in studies.items()}
    tables = {each.name: each for each in found.tables(results, size)}
    made = Reproduction(
        found.name,
        found.citation,
        size,
        sum(each.n_trials for each in states),
        sum(each.seconds for each in states),
        tuple(tables.values()),
        tuple(found.findings(tables)),
        tuple(found.pictures(results, tables)),
    )
    made.write(folder)
    return made


def _run(study: Study, workers: int | None, dask: Any) -> StudyStatus:
    # A store of an earlier version may have another definition; the trials that do not depend on it still count
    status = study.run(workers if workers != 1 else None, dask, update=True, retry=True)
    if not status.is_complete:
        error = next(iter(status.errors), "they were not run.")
        raise StudyError(
            f"{status.n_trials - status.n_done} of {status.n_trials} trials of {study.name!r} have no result: {error} "
            "Reproduce the paper again with the same store to run these alone."
        )
    return status
