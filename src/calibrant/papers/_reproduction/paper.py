"""The parts of a reproduced paper: methods, studies, tables, findings and pictures."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant._params import Choice, check_param

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from calibrant.papers._reproduction.finding import Finding
    from calibrant.papers._reproduction.table import PaperTable
    from calibrant.studies import Study, StudyResults

# C4.5's own settings, which single trees have by default; bagged trees have others
C45: Mapping[str, Any] = {
    "criterion": "gain_ratio",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "missing": "fractional",
    "tie_break": "first",
}

Size: TypeAlias = Literal["quick", "default", "full"]


def new_panels(
    n_rows: int, n_columns: int, size: tuple[float, float], *, sharey: bool = False
) -> tuple[Figure, NDArray[Any]]:
    """Return a figure of so many inches, with panels in rows and columns."""
    # Of the object interface: pyplot would keep every figure open
    matplotlib = optional_import("matplotlib.figure", extra="plots", purpose="draw")
    figure: Figure = matplotlib.Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, sharey=sharey, squeeze=False)


class Paper(ABC):
    """A paper: its experiment as studies, and its tables, findings and figures as queries on them.

    `get_paper` returns those that calibrant reproduces; `reproduce` runs them.

    Examples
    --------
    >>> from calibrant.papers import get_paper
    >>> print(get_paper("chawla-cieslak-2006").citation)
    N. V. Chawla and D. A. Cieslak, "Evaluating probability estimates from decision trees", AAAI Workshop, 2006
    """

    name: ClassVar[str]
    """The name on the command line."""

    citation: ClassVar[str]
    """Authors, title, where and when."""

    processor_seconds: ClassVar[Mapping[Size, float]]
    """Seconds that the trials of each size take on a core of the machine that `estimate_time` compares others with."""

    @abstractmethod
    def methods(self) -> dict[str, Any]:
        """Return the systems of the paper's tables by the names that they have there.

        Returns
        -------
        dict of str to estimator
            Classifiers with the settings of the paper, not fitted.
        """

    @abstractmethod
    def studies(self, size: Size, store: str) -> dict[str, Study]:
        """Return the studies of the experiment.

        Parameters
        ----------
        size : {"quick", "default", "full"}
            How much of the paper's experiment is repeated.
        store : str
            The store of the studies.

        Returns
        -------
        dict of str to Study
            The studies by short names; they have not been run.
        """

    @abstractmethod
    def tables(self, results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:
        """Return the tables.

        Parameters
        ----------
        results : dict of str to StudyResults
            The results of the studies, by their short names.
        size : {"quick", "default", "full"}
            How much of the paper's experiment was repeated.

        Returns
        -------
        list of PaperTable
            The tables of the paper, and others that its findings need.
        """

    @abstractmethod
    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return the paper's findings, checked.

        Parameters
        ----------
        tables : dict of str to PaperTable
            The tables by name, and nothing else: stored tables can be checked again.

        Returns
        -------
        list of Finding
            What the paper claims, with the verdict and the evidence.
        """

    @abstractmethod
    def pictures(self, results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
        """Return the figures of the paper, drawn from our results.

        Parameters
        ----------
        results : dict of str to StudyResults
            The results of the studies, by their short names.
        tables : dict of str to PaperTable
            The tables by name.

        Returns
        -------
        list of Picture
            The pictures.
        """


@dataclass(frozen=True)
class Picture:
    """A picture in the manner of a paper's figure.

    Parameters
    ----------
    name : str
        The name of its file, such as ``"figure_3"``.
    caption : str
        What it shows.
    figure : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from calibrant.papers import Picture
    >>> Picture("figure_3", "Curtailment scores by raw score.", Figure()).name
    'figure_3'
    """

    name: str
    caption: str
    figure: Figure


# Imported at their first use: each paper imports the learners that it compares.
_CLASSES = {
    "zadrozny-elkan-2001": ("calibrant.papers._zadrozny.paper", "ZadroznyElkan2001"),
    "chawla-cieslak-2006": ("calibrant.papers._chawla.paper", "ChawlaCieslak2006"),
    "caruana-niculescu-mizil-2004": ("calibrant.papers._caruana.paper", "CaruanaNiculescuMizil2004"),
    "nielsen-2004": ("calibrant.papers._nielsen.paper", "Nielsen2004"),
}

PAPERS: tuple[str, ...] = tuple(_CLASSES)


def get_paper(name: str) -> Paper:
    """Return a paper by its name.

    Parameters
    ----------
    name : str
        One of `PAPERS`.

    Returns
    -------
    Paper
        The paper.

    Examples
    --------
    >>> from calibrant.papers import get_paper
    >>> list(get_paper("chawla-cieslak-2006").methods())[:2]
    ['Frequency', 'Laplace']
    """
    check_param("paper", name, Choice(*_CLASSES))
    module, class_name = _CLASSES[name]
    found: type[Paper] = getattr(importlib.import_module(module), class_name)
    return found()
