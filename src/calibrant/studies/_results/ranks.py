"""Queries on a study that rank its methods over data sets: mean ranks, wins and losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._optional import optional_import
from calibrant.comparison import WinTieLoss, win_tie_loss
from calibrant.comparison._internal import Better, tied_ranks
from calibrant.exceptions import StudyError
from calibrant.studies._results.study_values import QUERY_PARAMETERS, StudyValues
from calibrant.studies._results.tables import check_finite, complete_means

if TYPE_CHECKING:
    import pandas as pd


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


class RankQueries(StudyValues):
    """Ranks of the methods, their wins and losses."""

    @fill_docstring(**QUERY_PARAMETERS)
    def ranks(
        self,
        metric: str | None = None,
        *,
        dataset: str | None = None,
        better: Better | None = None,
        partial: bool = False,
    ) -> MethodRanks:
        """Return the ranks of the methods on each data set, and their means; 1 is best.

        Parameters
        ----------
        %(metric_or_first)s
        %(dataset)s
        %(better)s
        %(partial)s

        Returns
        -------
        MethodRanks
            ``mean_ranks``; ``to_frame()`` has the ranks on each data set. Methods whose means are equal share ranks.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.2], [0.1]], "wine": [[0.1], [0.1]]}
        >>> StudyResults.from_values(values, methods=["tree", "bayes"], metric="mse").ranks("mse").mean_ranks
        {'tree': 1.75, 'bayes': 1.25}
        """
        metric = self.metrics[0] if metric is None else metric
        facts, datasets = self.facts(metric, better), self.chosen_datasets(dataset)
        values, kept, left_out = complete_means(self, metric, datasets, partial=partial).of_all_methods()
        if not kept:
            raise StudyError(f"ranks: there is no data set on which all methods have a value of {metric}.")
        ranks = np.stack([tied_ranks(row) for row in facts.losses(values)])
        return MethodRanks(metric, facts.words, self.methods, kept, ranks, left_out)

    @fill_docstring(**QUERY_PARAMETERS)
    def win_tie_loss(
        self,
        metric: str | None = None,
        *,
        method: str | None = None,
        alpha: float = 0.1,
        better: Better | None = None,
        partial: bool = False,
    ) -> WinTieLoss:
        """Count the data sets on which a method is significantly better or worse than another.

        Parameters
        ----------
        %(metric_or_first)s
        method : str, optional
            Compare this method with all others; by default each is compared with those before it.
        alpha : float
            Level of the tests on each data set.
        %(better)s
        %(partial)s

        Returns
        -------
        WinTieLoss
            The result of `calibrant.comparison.win_tie_loss`: counts by the paired t-test, as Nielsen (2004) has them,
            and those that remain by the corrected resampled t-test, with the k of the plan.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21], [0.10, 0.11, 0.12]], "wine": [[0.2, 0.3, 0.1], [0.3, 0.1, 0.2]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse")
        >>> results.win_tie_loss("mse").records
        (forest against tree: 1/1/0, corrected 1/1/0,)
        """
        metric = self.metrics[0] if metric is None else metric
        facts = self.facts(metric, better)
        complete_means(self, metric, self.datasets, partial=partial)
        tables: dict[str, Any] = {}
        options: dict[str, Any] = {"n_train": {}, "n_test": {}, "k": {}}
        for dataset in self.datasets:
            plan = self.plans[dataset]
            values = facts.comparable(self.tested_values(metric, dataset))
            check_finite(self, values, f"in splits of {dataset}", metric)
            is_used = np.asarray(~np.isnan(values).any(axis=0))
            n_used = int(is_used.sum())
            if plan.interval_kind == "none" or n_used < 2:
                raise StudyError(
                    f"win_tie_loss tests the splits of each data set; {dataset!r} has {n_used} it can test "
                    f"({plan.words}). Take cross-validation, or compare() over data sets."
                )
            tables[dataset] = values[:, is_used].T
            sizes = {"n_train": plan.n_train[is_used].mean(), "n_test": plan.n_test[is_used].mean()}
            for name, size in (sizes | {"k": min(plan.n_independent, n_used)}).items():
                options[name][dataset] = size
        return win_tie_loss(
            tables, better=facts.side, method=method, alpha=alpha, methods=list(self.methods), **options
        )
