"""Comparison of the methods of a study, by a test that holds for the plan that was used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import CONFIDENCE, check_param, choose
from calibrant.comparison import (
    Comparison,
    CriticalDifference,
    Posterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    corrected_resampled_t_test,
    five_by_two_test,
    friedman,
    holm,
    mcnemar_test,
    nemenyi,
    paired_t_test,
    sign_test,
    wilcoxon,
)
from calibrant.comparison._internal import Better, holm_corrected, method_pairs
from calibrant.exceptions import StudyError
from calibrant.resampling._internal import KeptTrials, RowStatistics
from calibrant.studies._results.predictions import read_kept_rows
from calibrant.studies._results.study_comparison import PairDifference, StudyComparison
from calibrant.studies._results.study_values import QUERY_PARAMETERS, DatasetPlan, MetricFacts, StudyValues, choose_name
from calibrant.studies._results.tables import check_finite, complete_means


@dataclass(frozen=True, eq=False)
class Compared:
    """Values of methods on the splits of a data set, or on data sets, and the pairs to compare."""

    study: StudyValues
    facts: MetricFacts
    values: NDArray[np.float64]  # methods x splits, or methods x data sets
    pairs: tuple[tuple[str, str], ...]
    confidence: float
    reference: str | None = None
    datasets: tuple[str, ...] = ()

    @property
    def plan(self) -> DatasetPlan:
        """The plan of the one data set."""
        return self.study.plans[self.datasets[0]]

    @cached_property
    def kept(self) -> KeptTrials | str:
        """The kept predictions of all methods on the one data set, or why they are not enough."""
        return read_kept_rows(self.study, self.datasets[0], self.study.methods, [self.facts.name])

    def rows_of(self, pair: tuple[str, str]) -> RowStatistics | None:
        """Return the statistics of the metric from the rows of a pair; None where their predictions are not enough."""
        if not isinstance(self.kept, str) and self.kept.n_splits == self.plan.n_splits:
            return self.kept.statistics
        kept = read_kept_rows(self.study, self.datasets[0], pair, [self.facts.name])
        return None if isinstance(kept, str) else kept.statistics

    def both(self, pair: tuple[str, str]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the values of a pair where both have one, and where that is."""
        one, other = (self.values[self.study.methods.index(name)] for name in pair)
        is_both = ~(np.isnan(one) | np.isnan(other))
        return one[is_both], other[is_both], is_both


@dataclass(frozen=True)
class Found:
    """The pairs that a test compared, and what it says of all of them together."""

    pairs: tuple[PairDifference, ...]
    how: str
    ranks: CriticalDifference | None = None


@dataclass(frozen=True)
class StudyTest:
    """A test by its name: what it compares over, also in words for one data set, and the function that does it."""

    over: Literal["splits", "rows", "datasets"]
    run: Callable[..., Found]
    words: str = ""


def _pairwise(words: str, test: Callable[..., Any]) -> Callable[..., Found]:
    """Return a test of all pairs, corrected by Holm, from a test of one pair."""

    def run(compared: Compared, **options: Any) -> Found:
        tests = [test(compared, pair, **options) for pair in compared.pairs]
        if isinstance(tests[0], Posterior):
            alone = ", a single comparison" if len(tests) == 1 else f", each of {len(tests)} comparisons by itself"
            return Found(tuple(_of_posterior(each, compared) for each in tests), f"{words}{alone}")
        corrected = holm_corrected(tests)
        return Found(tuple(_of_comparison(each, compared) for each in corrected), f"{words}{_holm_words(len(tests))}")

    return run


def _holm_words(n: int) -> str:
    return ", a single comparison" if n == 1 else f", corrected by Holm for {n} comparisons"


def _of_comparison(test: Comparison, compared: Compared) -> PairDifference:
    adjusted = math.nan if test.adjusted_pvalue is None else test.adjusted_pvalue
    # McNemar's test is of accuracy, whatever the metric
    side = "higher" if test.measure == "difference of accuracy" else compared.facts.side
    is_first = (test.difference > 0) == (side == "higher")
    better = test.names[0 if is_first else 1] if test.is_significant and test.difference else ""
    figures = (test.difference, test.low, test.high, test.pvalue, adjusted)
    return PairDifference(*test.names, *figures, better=better, result=test)


def _of_posterior(test: Posterior, compared: Compared) -> PairDifference:
    first, second = (test.greater, test.less) if compared.facts.side == "higher" else (test.less, test.greater)
    probability = max(first, second)
    better = test.names[0 if first >= second else 1] if probability >= compared.confidence else ""
    figures = (test.difference, test.low, test.high)
    return PairDifference(*test.names, *figures, probability=probability, better=better, result=test)


def _sizes(compared: Compared, is_used: NDArray[np.bool_]) -> dict[str, Any]:
    return {"n_train": compared.plan.n_train[is_used], "n_test": compared.plan.n_test[is_used]}


def _sizes_and_k(compared: Compared, is_used: NDArray[np.bool_]) -> dict[str, Any]:
    return {**_sizes(compared, is_used), "k": min(compared.plan.n_independent, int(is_used.sum()))}


def _on_values(test: Callable[..., Any], facts: Callable[..., Mapping[str, Any]] = lambda *_: {}) -> Callable[..., Any]:
    """Return a test of the values of a pair, with further facts of the splits where it needs them."""

    def run(compared: Compared, pair: tuple[str, str], **options: Any) -> Any:
        one, other, is_used = compared.both(pair)
        return test(
            one, other, names=pair, **{"confidence": compared.confidence, **facts(compared, is_used), **options}
        )

    return run


def _mcnemar(compared: Compared, pair: tuple[str, str], **options: Any) -> Comparison:
    kept = compared.kept
    assert not isinstance(kept, str)  # noqa: S101 - else the test does not hold
    predicted = [kept.predictions(name).argmax(axis=1) for name in pair]
    given = {"confidence": compared.confidence} | options
    return mcnemar_test(kept.scorer.data.outcome[kept.rows], *predicted, names=pair, **given)


def _paired_rows(compared: Compared) -> Found:
    """Compare each pair by the differences of the tested rows, with the variance that training sets add."""
    metric, confidence = compared.facts.name, compared.confidence
    found = []
    for pair in compared.pairs:
        mine, theirs, _ = compared.both(pair)
        rows = compared.rows_of(pair)
        if rows is None:
            raise StudyError(f"compare: {pair[0]} and {pair[1]} have no predictions of the same splits.")
        found.append(rows.difference(*pair, metric, float(mine.mean() - theirs.mean()), confidence))
    adjusted = holm([1.0 if math.isnan(each.pvalue) else each.pvalue for each in found]).tolist()
    pairs = []
    for (one, other), each, pvalue in zip(compared.pairs, found, adjusted, strict=True):
        is_first = (each.difference > 0) == (compared.facts.side == "higher")
        better = (one if is_first else other) if pvalue <= 1.0 - confidence and each.difference else ""
        figures = (each.difference, each.low, each.high, each.pvalue, pvalue if len(found) > 1 else math.nan)
        pairs.append(PairDifference(one, other, *figures, better=better, result=each))
    return Found(tuple(pairs), f"Differences of the test rows{_holm_words(len(pairs))}")


def _by_ranks(compared: Compared, **options: Any) -> Found:
    """Compare mean ranks over data sets: all pairs by Nemenyi, or all methods with the reference."""
    table, methods = compared.values.T, compared.study.methods
    given = {"better": compared.facts.side, "confidence": compared.confidence, "methods": methods} | options
    if compared.reference is None:
        ranks = nemenyi(table, **given)
    else:
        ranks = bonferroni_dunn(table, control=compared.reference, **given)
    pairs = []
    for (one, other), pvalue in ranks.pvalues.items():
        gap = ranks.mean_ranks[one] - ranks.mean_ranks[other]
        is_better = pvalue <= 1.0 - compared.confidence
        better = (one if gap < 0 else other) if is_better else ""
        pairs.append(PairDifference(one, other, gap, adjusted_pvalue=pvalue, better=better, result=ranks))
    return Found(tuple(pairs), f"{ranks.test} on mean ranks, corrected for {len(pairs)} comparisons", ranks)


_T = _on_values(corrected_resampled_t_test, _sizes_and_k)
_BAYESIAN_T = _on_values(bayesian_correlated_t_test, _sizes)
_FIVE_BY_TWO = "5x2cv t-test (the difference is that of the first fold)"
_SPLITS = "the splits of a data set"

STUDY_TESTS: dict[str, StudyTest] = {
    "corrected_resampled_t_test": StudyTest("splits", _pairwise("Corrected resampled t-test", _T), _SPLITS),
    "five_by_two_test": StudyTest(
        "splits", _pairwise(_FIVE_BY_TWO, _on_values(five_by_two_test)), "5 times 2-fold cross-validation"
    ),
    "bayesian_correlated_t_test": StudyTest("splits", _pairwise("Bayesian correlated t-test", _BAYESIAN_T), _SPLITS),
    "mcnemar_test": StudyTest("rows", _pairwise("McNemar's test of accuracy", _mcnemar), "the only test set"),
    "paired_rows": StudyTest("rows", _paired_rows, "the test rows of a data set"),
    "wilcoxon": StudyTest("datasets", _pairwise("Wilcoxon signed-rank test", _on_values(wilcoxon))),
    "sign_test": StudyTest("datasets", _pairwise("Sign test", _on_values(sign_test))),
    "paired_t_test": StudyTest("datasets", _pairwise("Paired t-test", _on_values(paired_t_test))),
    "bayesian_signed_rank_test": StudyTest(
        "datasets", _pairwise("Bayesian signed-rank test", _on_values(bayesian_signed_rank_test))
    ),
    **dict.fromkeys(("friedman", "nemenyi", "bonferroni_dunn"), StudyTest("datasets", _by_ranks)),
}


_OF_ACCURACY = ("accuracy", "error")
# Of nearest centroids that do not differ, the test of .632 values found a difference in 16 % of 400 tables, that of
# out-of-bag values in 2.5 %; of nearest neighbours both in 3.5 %: training errors vary less than tables do.
_OUT_OF_BAG = "Compared by the out-of-bag values: with training rows weighted in, differences would be found too often."


class CompareQuery(StudyValues):
    """Comparison of the methods pair by pair."""

    @fill_docstring(**QUERY_PARAMETERS)
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
        check_param("confidence", confidence, CONFIDENCE)
        facts, datasets = self.facts(metric, better), self.chosen_datasets(dataset)
        if any(self.plans[name].is_nested for name in datasets):
            raise StudyError(
                "compare: with a nested plan one method is chosen in each split, and there are none to compare; best() "
                "has its score."
            )
        if len(self.methods) < 2:
            raise StudyError(f"compare needs at least 2 methods; study {self.name!r} has {len(self.methods)}.")
        if reference is not None:
            choose_name("reference", reference, self.methods)
        if test is not None:
            choose("test", test, STUDY_TESTS)
        find = _split_values if len(datasets) == 1 else _dataset_means
        values, notes = find(self, facts, datasets, partial)
        pairs = tuple(method_pairs(self.methods, reference))
        compared = Compared(self, facts, values, pairs, confidence, reference, datasets)
        name, reason = _default(compared) if test is None else (test, "the test that was requested")
        about = (metric, facts.words, self.methods, datasets, plans_in_words(self, datasets))
        if not name:
            return StudyComparison(*about, "", reason, confidence, notes=tuple(notes))
        if problem := _problem(compared, name):
            raise StudyError(f"compare: {name} does not hold here: {problem}.")
        found, overall = STUDY_TESTS[name].run(compared, **(test_params or {})), None
        if len(datasets) > 1 and len(self.methods) > 2:
            overall = friedman(values.T, better=facts.side, methods=self.methods)
        n, least = len(found.pairs), 0.5 ** (len(datasets) - 1) * len(found.pairs)
        if name in ("wilcoxon", "sign_test") and least > 0.05:  # that of a method that is better everywhere
            fewest = f"With {len(datasets)} data sets and {n} comparisons no p-value is below {min(1.0, least):.3g}"
            notes.append(f"{fewest}: they are too few to show a difference.")
        return StudyComparison(
            *(*about, name, reason, confidence, found.pairs, overall, found.ranks, found.how, tuple(notes))
        )


def _split_values(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], partial: bool
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the values of methods and splits of one data set, with notes."""
    (name,) = datasets
    complete_means(study, facts.name, datasets, partial=partial)
    values, notes = facts.comparable(study.tested_values(facts.name, name)), []
    check_finite(study, values, f"in splits of {name}", facts.name)
    if n_without := int(np.isnan(values).any(axis=0).sum()):
        notes.append(
            f"{n_without} of {values.shape[1]} splits have no value of some method; a pair is compared without them."
        )
    return values, notes + [_OUT_OF_BAG] * (study.plans[name].bootstrap is not None)


def _dataset_means(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], partial: bool
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the means of methods and data sets, with notes; data sets where a method has none are left out."""
    means = complete_means(study, facts.name, datasets, partial=partial)
    found, kept, left_out = means.of_all_methods()
    if (n := len(kept)) < 2:
        raise StudyError(f"compare needs values of all methods on at least 2 data sets; {facts.name} has them on {n}.")
    values = facts.comparable(found.T)
    check_finite(study, values, "on data sets", facts.name)
    notes = [f"Left out, because a method has no value there: {', '.join(left_out)}."] if left_out else []
    return values, notes + ([f"Means of the splits that were finished; {means.notes[0]}."] if means.gaps else [])


def _default(compared: Compared) -> tuple[str, str]:
    """Return the test that holds for the plan with the reason; an empty name where none does."""
    if len(compared.datasets) > 1:
        return "wilcoxon", "the data sets are independent, and the verdict on a pair does not depend on other methods"
    plan, shared = compared.plan, "the splits share rows"
    if plan.n_independent < plan.n_splits:
        shared += f", and repeats do not count as further splits (k = {plan.n_independent})"
    # Rows come first: they show most, and hold for every plan that tests rows which it does not train on
    for name, reason in (
        ("paired_rows", "their variance counts for the test rows and for the training rows, which splits share"),
        ("five_by_two_test", "the plan is 5 times 2-fold cross-validation"),
        ("corrected_resampled_t_test", shared),
    ):
        if not _problem(compared, name):
            return name, reason
    return "", _row_problem(compared, "paired_rows") if plan.n_splits == 1 else _split_problem(compared)


def _problem(compared: Compared, name: str) -> str:
    """Return why a test does not hold; an empty string where it does."""
    test = STUDY_TESTS[name]
    if len(compared.datasets) > 1:
        if test.over != "datasets":
            return f"it compares over {test.words}; pass dataset= to choose one"
        needs_reference = name == "bonferroni_dunn" and compared.reference is None
        return "it compares all methods with reference=, which was not passed" if needs_reference else ""
    if test.over == "datasets":
        return "it compares over data sets, and there is only one"
    if name == "five_by_two_test":
        plan = compared.plan
        is_whole = plan.n_splits == 10 and plan.n_independent == 2 and plan.has_disjoint_tests
        is_whole = is_whole and not np.isnan(compared.values).any()
        return "" if is_whole else f"it needs all of 5 times 2-fold cross-validation; the plan is {plan.words}"
    return _split_problem(compared) if test.over == "splits" else _row_problem(compared, name)


def _split_problem(compared: Compared) -> str:
    plan = compared.plan
    if plan.interval_kind == "none":
        return f"the variance of the splits does not bound what other rows would show ({plan.words})"
    if min(int(compared.both(pair)[2].sum()) for pair in compared.pairs) < 2:
        return "it needs at least 2 splits with values"
    return ""


def _row_problem(compared: Compared, name: str) -> str:
    plan, metric = compared.plan, compared.facts.name
    if plan.interval_kind == "none":
        return f"the tested rows do not show what others would ({plan.words})"
    kept = compared.kept
    if isinstance(kept, str):
        return kept
    if name == "mcnemar_test":
        return _mcnemar_problem(compared, kept.scorer.data)
    if compared.facts.is_calibration_error or compared.facts.better == "nearer":
        return f"no paired interval of {metric} is known"
    return next(filter(None, (kept.statistics.why_none(*key) for key in kept.statistics.contributions)), "")


def _mcnemar_problem(compared: Compared, data: Any) -> str:
    if data.classes is None:
        return "it compares classifiers"
    if compared.plan.n_splits > 1:
        return "it compares two fitted models on one test set, and the plan has several splits"
    if data.weight is not None:
        return "the rows are weighted"
    metric = compared.facts.name
    return "" if metric in _OF_ACCURACY else f"it tests accuracy, and the metric is {metric}"


def plans_in_words(study: StudyValues, datasets: tuple[str, ...]) -> str:
    """Return the description of the plan of data sets, which may differ in it."""
    words = list(dict.fromkeys(study.plans[name].words for name in datasets))
    return words[0] if len(words) == 1 else f"{len(words)} plans"
