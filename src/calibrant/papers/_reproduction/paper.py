"""What a reproduced paper consists of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding
    from calibrant.papers._reproduction.picture import Picture
    from calibrant.papers._reproduction.table import PaperTable
    from calibrant.studies import Study, StudyResults

__all__ = ["Paper", "Size"]

Size: TypeAlias = Literal["quick", "default", "full"]


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
    """What the trials of each size take on one core of the machine that `estimate_time` compares others with."""

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
