"""Ranks of the methods of a study on each data set, and their means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._optional import optional_import
from calibrant.comparison._internal import tied_ranks
from calibrant.exceptions import StudyError
from calibrant.studies._results.tables import check_complete, study_means

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["MethodRanks", "rank_methods"]


@dataclass(frozen=True, eq=False, repr=False)
class MethodRanks:
    """Ranks of methods on data sets; 1 is best, and methods with equal values share their ranks.

    Parameters
    ----------
    metric : str
        The metric.
    better : str
        Which value is better, in words.
    methods, datasets : tuples of str
        Their names, in the order of the study; data sets without a value of some method are left out.
    ranks : array of shape (n_datasets, n_methods)
        The ranks.
    left_out : tuple of str
        The data sets where some method has no value.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.2], [0.1], [0.2]], "wine": [[0.3], [0.1], [0.2]]}
    >>> StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").ranks("mse")
    Mean ranks of 3 methods by mse on 2 data sets (lower is better)
      forest  1.00
      bayes   2.25
      tree    2.75
    """

    metric: str
    better: str
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: NDArray[np.float64]
    left_out: tuple[str, ...] = ()

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each method."""
        return dict(zip(self.methods, self.ranks.mean(axis=0).tolist(), strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame of the ranks, data sets as rows and methods as columns.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.2], [0.1]], "wine": [[0.1], [0.1]]}
        >>> StudyResults.from_values(values, methods=["tree", "bayes"], metric="mse").ranks("mse").to_frame()
        method   tree  bayes
        dataset
        iris      2.0    1.0
        wine      1.5    1.5
        """
        pandas = optional_import("pandas", extra="studies", purpose="return ranks as a frame")
        index, columns = pandas.Index(self.datasets, name="dataset"), pandas.Index(self.methods, name="method")
        frame: pd.DataFrame = pandas.DataFrame(self.ranks, index=index, columns=columns)
        return frame

    def __repr__(self) -> str:
        n = len(self.datasets)
        on = self.datasets[0] if n == 1 else f"{n} data sets"
        what = "Ranks" if n == 1 else "Mean ranks"
        head = f"{what} of {len(self.methods)} methods by {self.metric} on {on} ({self.better})"
        width = max(map(len, self.methods))
        ordered = sorted(self.mean_ranks.items(), key=lambda item: item[1])
        lines = [head, *(f"  {name.ljust(width)}  {rank:.2f}" for name, rank in ordered)]
        if self.left_out:
            lines.append(f"Left out, because a method has no value there: {', '.join(self.left_out)}.")
        return "\n".join(lines)


def rank_methods(
    study: StudyValues, metric: str, *, dataset: str | None, better: Better | None, partial: bool
) -> MethodRanks:
    """Rank the methods on each data set by their means."""
    facts, datasets = study.facts(metric, better), study.chosen_datasets(dataset)
    means = study_means(study, metric, datasets, partial=partial)
    check_complete(study, means, partial=partial)
    is_known = np.asarray(~np.isnan(means.values).any(axis=1))
    if not is_known.any():
        raise StudyError(f"ranks: there is no data set on which all methods have a value of {metric}.")
    losses = facts.losses(means.values[is_known])
    kept, left_out = (
        tuple(name for name, known in zip(datasets, is_known.tolist(), strict=True) if known is wanted)
        for wanted in (True, False)
    )
    ranks = np.stack([tied_ranks(row) for row in losses])
    return MethodRanks(metric, facts.words, study.methods, kept, ranks, left_out)
