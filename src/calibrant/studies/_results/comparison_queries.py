"""Queries on a study that compare its methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calibrant._docstrings import fill_docstring
from calibrant.studies._results.best import best_method
from calibrant.studies._results.best_method import BestMethod
from calibrant.studies._results.compare import compare_study
from calibrant.studies._results.ranks import MethodRanks, rank_methods
from calibrant.studies._results.study_comparison import StudyComparison
from calibrant.studies._results.study_values import StudyValues
from calibrant.studies._results.wins import study_wins

if TYPE_CHECKING:
    from calibrant.comparison import WinTieLoss
    from calibrant.comparison._internal import Better

__all__ = ["ComparisonQueries"]

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
