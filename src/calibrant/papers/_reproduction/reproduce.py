"""Running the studies of a paper and writing what they show."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._params import Choice, check_param
from calibrant.exceptions import StudyError
from calibrant.papers._reproduction.estimate_time import SIZES, n_processes
from calibrant.papers._reproduction.registry import get_paper
from calibrant.papers._reproduction.reproduction import Reproduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.papers._reproduction.paper import Paper, Size
    from calibrant.studies import Study, StudyStatus

__all__ = ["reproduce"]

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
    made = _read(found, size, studies, states)
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


def _read(paper: Paper, size: Size, studies: dict[str, Study], states: Sequence[StudyStatus]) -> Reproduction:
    results = {name: study.results() for name, study in studies.items()}
    tables = paper.tables(results, size)
    by_name = {each.name: each for each in tables}
    return Reproduction(
        paper.name,
        paper.citation,
        size,
        sum(each.n_trials for each in states),
        sum(each.seconds for each in states),
        tuple(tables),
        tuple(paper.findings(by_name)),
        tuple(paper.pictures(results, by_name)),
    )
