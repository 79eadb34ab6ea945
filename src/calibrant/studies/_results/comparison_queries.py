"""Queries on a study that compare its methods: tests, ranks, wins and losses, the best one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._optional import optional_import
from calibrant.comparison import WinTieLoss, win_tie_loss
from calibrant.comparison._internal import tied_ranks
from calibrant.exceptions import StudyError
from calibrant.studies._results.best import BestMethod, best_method
from calibrant.studies._results.compare import compare_study
from calibrant.studies._results.study_comparison import StudyComparison
from calibrant.studies._results.study_values import StudyValues
from calibrant.studies._results.tables import check_complete, check_finite, study_means

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.comparison import WinTieLoss
    from calibrant.comparison._internal import Better

__all__ = ["ComparisonQueries", "MethodRanks", "rank_methods", "study_wins"]


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


def study_wins(
    study: StudyValues, metric: str, *, method: str | None, alpha: float, better: Better | None, partial: bool
) -> WinTieLoss:
    """Count wins, ties and losses by the splits that have a value of every method."""
    facts = study.facts(metric, better)
    check_complete(study, study_means(study, metric, partial=partial), partial=partial)
    tables: dict[str, Any] = {}
    options: dict[str, Any] = {"n_train": {}, "n_test": {}, "k": {}}
    for dataset in study.datasets:
        plan = study.plans[dataset]
        values = facts.comparable(study.tested_values(metric, dataset))
        check_finite(study, values, f"in splits of {dataset}", metric)
        is_used = np.asarray(~np.isnan(values).any(axis=0))
        if plan.interval_kind == "none" or is_used.sum() < 2:
            raise StudyError(
                f"win_tie_loss tests the splits of each data set; {dataset!r} has {int(is_used.sum())} it can test "
                f"({plan.words}). Take cross-validation, or compare() over data sets."
            )
        tables[dataset] = values[:, is_used].T
        sizes = {"n_train": plan.n_train[is_used].mean(), "n_test": plan.n_test[is_used].mean()}
        for name, size in (sizes | {"k": min(plan.n_independent, int(is_used.sum()))}).items():
            options[name][dataset] = size
    return win_tie_loss(tables, better=facts.side, method=method, alpha=alpha, methods=list(study.methods), **options)


_PASSAGES = {
    "metric": """\
metric : str
    A metric of the study.""",
    "metric_or_first": """\
metric : str, optional
    A metric of the study; by default the first.""",
    "dataset": """\
dataset : str, optional
    A single data set; by default all of them.""",
    "better": """\
better : {"higher", "lower"}, optional
    Which value is better, of a metric that is a function of yours; that of other metrics is known.""",
    "partial": """\
partial : bool
    Whether to use the trials that were finished where others failed or are missing, which raises an error
    otherwise.""",
}


class ComparisonQueries(StudyValues):
    """Comparisons, ranks, wins and losses, and the best method."""

    @fill_docstring(**_PASSAGES)
    def compare(
        self,
        metric: str,
        test: str | None = None,
        *,
        reference: str | None = None,
        confidence: float = 0.95,
        dataset: str | None = None,
        better: Better | None = None,
        partial: bool = False,
        test_params: Mapping[str, Any] | None = None,
    ) -> StudyComparison:
        """Compare the methods pair by pair, by a test that holds for the plan that was used.

        On one data set: the differences of the test rows, as `Performance.compare` tests them, where predictions were
        kept; else the corrected resampled t-test over the splits, whose k is the number of splits of one repeat, or
        after 5 times 2-fold cross-validation the 5x2cv t-test. Where none holds the result says why. Over several data
        sets: Wilcoxon's signed-rank test of the means, with Friedman's test of all methods before it. The p-values of
        several pairs are corrected by Holm.

        Parameters
        ----------
        %(metric)s
        test : str, optional
            Another test by name. On one data set: ``"paired_rows"``, ``"corrected_resampled_t_test"``,
            ``"five_by_two_test"``, ``"bayesian_correlated_t_test"``, and of a single split ``"mcnemar_test"``. Over
            data sets: ``"wilcoxon"``, ``"sign_test"``, ``"paired_t_test"``, ``"bayesian_signed_rank_test"``,
            ``"friedman"`` or ``"nemenyi"`` (Friedman's test, then Nemenyi's of mean ranks), ``"bonferroni_dunn"`` (the
            same with a reference). A test that does not hold for the plan raises a `StudyError` with the reason.
        reference : str, optional
            Compare this method with all others; by default all pairs are compared.
        confidence : float
            A difference holds where its p-value, corrected for all pairs, is at most ``1 - confidence``; with a
            Bayesian test where its probability, which is not corrected, is at least `confidence`.
        %(dataset)s
        %(better)s
        %(partial)s
        test_params : dict, optional
            Further arguments of the test, such as ``rope=0.01`` or ``k=100``.

        Returns
        -------
        StudyComparison
            Its repr lists the differences that hold; ``to_frame()`` has a row for each pair.

        Notes
        -----
        Of a metric where nearer to a target is better, such as the calibration slope, the distances from it are
        compared: of each split on one data set, of each mean over data sets. After a bootstrap plan the out-of-bag
        values are compared, without the training rows. docs/size_of_tests.md has how often each test finds a difference
        where there is none.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {f"set {i}": [[0.20 + i / 50], [0.15 + i / 40], [0.1 + i / 60]] for i in range(8)}
        >>> results = StudyResults.from_values(values, methods=["tree", "bayes", "forest"], metric="mse")
        >>> results.compare("mse", reference="forest")
        mse of 3 methods on 8 data sets, 1 split (lower is better)
          3 methods together: some rank better than others (Friedman's test by Iman and Davenport, F = inf, p = 0)
          forest is better than tree: difference 0.1117 (0.1033 to 0.1200), p = 0.00781, corrected 0.0156
          forest is better than bayes: difference 0.0792 (0.0583 to 0.1000), p = 0.00781, corrected 0.0156
        Wilcoxon signed-rank test, corrected by Holm for 2 comparisons, at 95 %: the data sets are independent, and
        the verdict on a pair does not depend on other methods.
        """
        return compare_study(
            *(self, metric, test),
            reference=reference,
            confidence=confidence,
            dataset=dataset,
            better=better,
            partial=partial,
            options=dict(test_params or {}),
        )

    @fill_docstring(**_PASSAGES)
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
        return rank_methods(self, self._first(metric), dataset=dataset, better=better, partial=partial)

    @fill_docstring(**_PASSAGES)
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
        return study_wins(self, self._first(metric), method=method, alpha=alpha, better=better, partial=partial)

    @fill_docstring(**_PASSAGES)
    def best(
        self,
        by: str,
        dataset: str | None = None,
        *,
        better: Better | None = None,
        confidence: float = 0.95,
        partial: bool = False,
    ) -> BestMethod:
        """Return the best method, with its score and the score that its choosing does not flatter.

        The best mean of many methods is too good: even of equally good methods, one is best by chance. The choice is
        therefore repeated on a bootstrap draw of folds, and the method that it chooses is read on the folds that were
        not drawn (Tsamardinos, Greasidou & Borboudakis 2018, with folds as units; within each repeat of a repeated
        cross-validation, since repeats share rows). Where the test rows of the splits overlap, or there is one split,
        rows are drawn instead, if predictions were kept; if not, no correction is possible. With a nested plan the
        score is that of the choice within each split. Over several data sets the best has the best mean rank, and the
        choice is repeated on a draw of data sets and read on the others: what to expect on a further data set.

        Parameters
        ----------
        by : str
            The metric that chooses.
        %(dataset)s
        %(better)s
        confidence : float
            Confidence of the interval of the corrected score.
        %(partial)s

        Returns
        -------
        BestMethod
            ``method``, ``apparent``, ``corrected``, ``low``, ``high``, ``how`` and ``choices``.

        Notes
        -----
        In the simulation of tests/validity/test_best_of_many.py 50 equally good methods have an apparent error of
        0.20 where the truth is 0.30; the corrected one is right on average, with a third of the squared error of
        leaving out one fold after the other. Where one method is truly better but rarely found, the corrected score is
        a little too bad, since the choice is made on fewer folds.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
        >>> best = StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").best("mse")
        >>> best.method, round(best.apparent, 4), round(best.corrected, 4)
        ('forest', 0.105, 0.1069)
        """
        return best_method(self, by, dataset=dataset, better=better, confidence=confidence, partial=partial)

    def _first(self, metric: str | None) -> str:
        return self.metrics[0] if metric is None else metric
