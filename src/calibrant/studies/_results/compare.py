"""Comparison of the methods of a study, by a test that holds for the plan that was used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import CONFIDENCE, check_param, choose
from calibrant.comparison import (
    Comparison,
    CriticalDifference,
    Friedman,
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
from calibrant.comparison._internal import holm_corrected, method_pairs
from calibrant.exceptions import StudyError
from calibrant.studies._results.predictions import KeptTrials, kept_predictions, read_kept_rows
from calibrant.studies._results.study_comparison import PairDifference, StudyComparison
from calibrant.studies._results.study_values import choose_name
from calibrant.studies._results.tables import check_complete, check_finite, study_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better
    from calibrant.resampling._internal import RowStatistics
    from calibrant.studies._results.study_values import DatasetPlan, MetricFacts, StudyValues

__all__ = ["STUDY_TESTS", "Compared", "Found", "StudyTest", "compare_study", "plans_in_words"]


@dataclass(frozen=True, eq=False)
class Compared:
    """Values of methods on the splits of a data set, or on data sets, and the pairs to compare."""

    study: StudyValues
    facts: MetricFacts
    values: NDArray[np.float64]  # methods x splits, or methods x data sets
    pairs: tuple[tuple[str, str], ...]
    confidence: float
    reference: str | None = None
    dataset: str = ""  # of one data set

    @property
    def plan(self) -> DatasetPlan:
        """The plan of the one data set."""
        return self.study.plans[self.dataset]

    @cached_property
    def kept(self) -> KeptTrials | str:
        """The kept predictions of all methods on the one data set, or why they are not enough."""
        return read_kept_rows(self.study, self.dataset, self.study.methods, [self.facts.name])

    @cached_property
    def rows(self) -> RowStatistics | None:
        """The statistics of the metric from the rows of all methods; None where their predictions are not enough."""
        return None if isinstance(self.kept, str) else self.kept.statistics([self.facts.name])

    def rows_of(self, pair: tuple[str, str]) -> RowStatistics | None:
        """Return the same of a pair, on the splits that both have, where some method lacks some."""
        if not isinstance(self.kept, str) and self.kept.n_splits == self.plan.n_splits:
            return self.rows
        kept = read_kept_rows(self.study, self.dataset, pair, [self.facts.name])
        return None if isinstance(kept, str) else kept.statistics([self.facts.name])

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
    """A test by its name: what it compares over, and the function that does it."""

    over: Literal["splits", "rows", "datasets"]
    run: Callable[..., Found]
    words: str


def _pairwise(words: str, test: Callable[..., Any]) -> Callable[..., Found]:
    """Return a test of all pairs, corrected by Holm, from a test of one pair."""

    def run(compared: Compared, **options: Any) -> Found:
        tests = [test(compared, pair, **options) for pair in compared.pairs]
        if isinstance(tests[0], Posterior):
            return Found(tuple(_of_posterior(each, compared) for each in tests), f"{words}{_alone(len(tests))}")
        corrected = holm_corrected(tests)
        return Found(tuple(_of_comparison(each, compared) for each in corrected), f"{words}{_holm_words(len(tests))}")

    return run


def _holm_words(n: int) -> str:
    return ", a single comparison" if n == 1 else f", corrected by Holm for {n} comparisons"


def _alone(n: int) -> str:
    return ", a single comparison" if n == 1 else f", each of {n} comparisons by itself"


def _of_comparison(test: Comparison, compared: Compared) -> PairDifference:
    adjusted = math.nan if test.adjusted_pvalue is None else test.adjusted_pvalue
    is_first = (test.difference > 0) == (_side(test, compared) == "higher")
    better = test.names[0 if is_first else 1] if test.is_significant and test.difference else ""
    figures = (test.difference, test.low, test.high, test.pvalue, adjusted)
    return PairDifference(*test.names, *figures, better=better, result=test)


def _side(test: Comparison, compared: Compared) -> str:
    """Return which difference is better: McNemar's test is of accuracy, whatever the metric."""
    return "higher" if test.measure == "difference of accuracy" else compared.facts.side


def _of_posterior(test: Posterior, compared: Compared) -> PairDifference:
    first, second = (test.greater, test.less) if compared.facts.side == "higher" else (test.less, test.greater)
    probability = max(first, second)
    better = test.names[0 if first >= second else 1] if probability >= compared.confidence else ""
    figures = (test.difference, test.low, test.high)
    return PairDifference(*test.names, *figures, probability=probability, better=better, result=test)


def _sizes(compared: Compared, is_used: NDArray[np.bool_]) -> dict[str, Any]:
    return {"n_train": compared.plan.n_train[is_used], "n_test": compared.plan.n_test[is_used]}


def _corrected_t(compared: Compared, pair: tuple[str, str], **options: Any) -> Comparison:
    one, other, is_used = compared.both(pair)
    given = {"k": min(compared.plan.n_independent, len(one)), "confidence": compared.confidence} | options
    return corrected_resampled_t_test(one, other, **_sizes(compared, is_used), names=pair, **given)


def _bayesian_t(compared: Compared, pair: tuple[str, str], **options: Any) -> Posterior:
    one, other, is_used = compared.both(pair)
    given = {"confidence": compared.confidence} | options
    return bayesian_correlated_t_test(one, other, **_sizes(compared, is_used), names=pair, **given)


def _plain(test: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test of the values of a pair alone."""

    def run(compared: Compared, pair: tuple[str, str], **options: Any) -> Any:
        one, other, _ = compared.both(pair)
        return test(one, other, names=pair, **({"confidence": compared.confidence} | options))

    return run


def _mcnemar(compared: Compared, pair: tuple[str, str], **options: Any) -> Comparison:
    one, other = (next(iter(kept_predictions(compared.study, compared.dataset, name).values())) for name in pair)
    predicted = [each.y_pred.argmax(axis=1) for each in (one, other)]
    actual = _positions(one.y_true, one.classes)
    return mcnemar_test(actual, *predicted, names=pair, **({"confidence": compared.confidence} | options))


def _positions(outcome: NDArray[Any], classes: tuple[Any, ...]) -> NDArray[np.intp]:
    position = {label: number for number, label in enumerate(classes)}
    return np.array([position[label] for label in outcome.tolist()], dtype=np.intp)


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
    ranks = nemenyi(table, **given) if compared.reference is None else _dunn(table, compared.reference, given)
    pairs = []
    for (one, other), pvalue in ranks.pvalues.items():
        gap = ranks.mean_ranks[one] - ranks.mean_ranks[other]
        is_better = pvalue <= 1.0 - compared.confidence
        better = (one if gap < 0 else other) if is_better else ""
        pairs.append(PairDifference(one, other, gap, adjusted_pvalue=pvalue, better=better, result=ranks))
    return Found(tuple(pairs), f"{ranks.test} on mean ranks, corrected for {len(pairs)} comparisons", ranks)


def _dunn(table: NDArray[np.float64], reference: str, options: Mapping[str, Any]) -> CriticalDifference:
    return bonferroni_dunn(table, control=reference, **options)


_T = "Corrected resampled t-test"
_RANKS = "mean ranks over data sets"

STUDY_TESTS: dict[str, StudyTest] = {
    "corrected_resampled_t_test": StudyTest("splits", _pairwise(_T, _corrected_t), "the splits of a data set"),
    "five_by_two_test": StudyTest(
        "splits",
        _pairwise("5x2cv t-test (the difference is that of the first fold)", _plain(five_by_two_test)),
        "5 times 2-fold cross-validation",
    ),
    "bayesian_correlated_t_test": StudyTest(
        "splits", _pairwise("Bayesian correlated t-test", _bayesian_t), "the splits of a data set"
    ),
    "mcnemar_test": StudyTest("rows", _pairwise("McNemar's test of accuracy", _mcnemar), "the only test set"),
    "paired_rows": StudyTest("rows", _paired_rows, "the test rows of a data set"),
    "wilcoxon": StudyTest("datasets", _pairwise("Wilcoxon signed-rank test", _plain(wilcoxon)), "data sets"),
    "sign_test": StudyTest("datasets", _pairwise("Sign test", _plain(sign_test)), "data sets"),
    "paired_t_test": StudyTest("datasets", _pairwise("Paired t-test", _plain(paired_t_test)), "data sets"),
    "bayesian_signed_rank_test": StudyTest(
        "datasets", _pairwise("Bayesian signed-rank test", _plain(bayesian_signed_rank_test)), "data sets"
    ),
    "friedman": StudyTest("datasets", _by_ranks, _RANKS),
    "nemenyi": StudyTest("datasets", _by_ranks, _RANKS),
    "bonferroni_dunn": StudyTest("datasets", _by_ranks, _RANKS),
}


_OF_ACCURACY = ("accuracy", "error")
# Of nearest centroids that do not differ, the test of .632 values found a difference in 16 % of 400 tables, that of
# out-of-bag values in 2.5 %; of nearest neighbours both in 3.5 %: training errors vary less than tables do.
_OUT_OF_BAG = "Compared by the out-of-bag values: with training rows weighted in, differences would be found too often."


def compare_study(
    study: StudyValues,
    metric: str,
    test: str | None,
    *,
    reference: str | None,
    confidence: float,
    dataset: str | None,
    better: Better | None,
    partial: bool,
    options: dict[str, Any],
) -> StudyComparison:
    """Compare the methods on one data set, split by split, or over data sets; `StudyResults.compare` describes it."""
    check_param("confidence", confidence, CONFIDENCE)
    facts, datasets = study.facts(metric, better), study.chosen_datasets(dataset)
    if any(study.plans[name].is_nested for name in datasets):
        raise StudyError(
            "compare: with a nested plan one method is chosen in each split, and there are none to compare; best() has "
            "its score."
        )
    if len(study.methods) < 2:
        raise StudyError(f"compare needs at least 2 methods; study {study.name!r} has {len(study.methods)}.")
    if reference is not None:
        choose_name("reference", reference, study.methods)
    pairs = tuple(method_pairs(study.methods, reference))
    chosen = None if test is None else choose("test", test, STUDY_TESTS)
    check = _within if len(datasets) == 1 else _over
    compared, notes = check(study, facts, datasets, pairs, confidence, reference, partial)
    name, reason = _default(compared, len(datasets)) if test is None else (test, "the test that was requested")
    about = (metric, facts.words, study.methods, datasets, plans_in_words(study, datasets))
    if not name:
        return StudyComparison(*about, "", reason, confidence, notes=notes)
    found = _run(compared, name, chosen, len(datasets), options)
    overall = _friedman(compared) if len(datasets) > 1 and len(study.methods) > 2 else None
    notes = (*notes, *_power_notes(found, name, len(datasets)))
    return StudyComparison(*(*about, name, reason, confidence, found.pairs, overall, found.ranks, found.how, notes))


def _run(compared: Compared, name: str, chosen: StudyTest | None, n_datasets: int, options: dict[str, Any]) -> Found:
    """Run a test, or raise if it does not hold here."""
    test = STUDY_TESTS[name] if chosen is None else chosen
    problem = _problem(compared, name, test, n_datasets)
    if problem:
        raise StudyError(f"compare: {name} does not hold here: {problem}.")
    return test.run(compared, **options)


def _within(
    study: StudyValues,
    facts: MetricFacts,
    datasets: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    confidence: float,
    reference: str | None,
    partial: bool,
) -> tuple[Compared, tuple[str, ...]]:
    """Return the values of the splits of one data set."""
    (name,) = datasets
    check_complete(study, study_means(study, facts.name, datasets, partial=partial), partial=partial)
    values = facts.comparable(study.tested_values(facts.name, name))
    check_finite(study, values, f"in splits of {name}", facts.name)
    n_without = int(np.isnan(values).any(axis=0).sum())
    notes = [f"{n_without} of {values.shape[1]} splits have no value of some method; a pair is compared without them."]
    notes = [*(notes if n_without else []), *([_OUT_OF_BAG] if study.plans[name].bootstrap else [])]
    return Compared(study, facts, values, pairs, confidence, reference, name), tuple(notes)


def _over(
    study: StudyValues,
    facts: MetricFacts,
    datasets: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    confidence: float,
    reference: str | None,
    partial: bool,
) -> tuple[Compared, tuple[str, ...]]:
    """Return the means on all data sets; those where a method has none are left out and named."""
    means = study_means(study, facts.name, datasets, partial=partial)
    check_complete(study, means, partial=partial)
    is_known = np.asarray(~np.isnan(means.values).any(axis=1))
    left_out = [name for name, known in zip(datasets, is_known.tolist(), strict=True) if not known]
    if (n := int(is_known.sum())) < 2:
        raise StudyError(f"compare needs values of all methods on at least 2 data sets; {facts.name} has them on {n}.")
    values = facts.comparable(means.values[is_known].T)
    check_finite(study, values, "on data sets", facts.name)
    notes = (f"Left out, because a method has no value there: {', '.join(left_out)}.",) if left_out else ()
    if means.gaps:
        notes = (*notes, f"Means of the splits that were finished; {means.notes[0]}.")
    return Compared(study, facts, values, pairs, confidence, reference), notes


def _default(compared: Compared, n_datasets: int) -> tuple[str, str]:
    """Return the test that holds for the plan with the reason; an empty name where none does."""
    if n_datasets > 1:
        return "wilcoxon", "the data sets are independent, and the verdict on a pair does not depend on other methods"
    for name, reason in (
        ("paired_rows", "their variance counts for the test rows and for the training rows, which splits share"),
        ("five_by_two_test", "the plan is 5 times 2-fold cross-validation"),
        ("corrected_resampled_t_test", _t_reason(compared.plan)),
    ):
        if not _problem(compared, name, STUDY_TESTS[name], 1):
            return name, reason
    return "", _no_test(compared)


def _t_reason(plan: DatasetPlan) -> str:
    if plan.n_independent < plan.n_splits:
        return f"the splits share rows, and repeats do not count as further splits (k = {plan.n_independent})"
    return "the splits share rows"


def _problem(compared: Compared, name: str, test: StudyTest, n_datasets: int) -> str:
    """Return why a test does not hold; an empty string where it does."""
    if n_datasets > 1 and test.over != "datasets":
        return f"it compares over {test.words}; pass dataset= to choose one"
    if n_datasets > 1:
        needs_reference = name == "bonferroni_dunn" and compared.reference is None
        return "it compares all methods with reference=, which was not passed" if needs_reference else ""
    if test.over == "datasets":
        return "it compares over data sets, and there is only one"
    if name == "five_by_two_test":
        is_whole = compared.plan.is_five_by_two and not np.isnan(compared.values).any()
        return "" if is_whole else f"it needs all of 5 times 2-fold cross-validation; the plan is {compared.plan.words}"
    if test.over == "splits":
        return _split_problem(compared)
    return _row_problem(compared, name)


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
    if isinstance(compared.kept, str):
        return compared.kept
    if name == "mcnemar_test":
        return _mcnemar_problem(compared)
    if compared.facts.is_calibration_error or compared.facts.better == "nearer":
        return f"no paired interval of {metric} is known"
    rows = compared.rows
    return next(filter(None, (rows.why_none(*key) for key in rows.contributions)), "") if rows is not None else ""


def _mcnemar_problem(compared: Compared) -> str:
    data = None if isinstance(compared.kept, str) else compared.kept.scorer.data
    if data is None or data.classes is None:
        return "it compares classifiers"
    if compared.plan.n_splits > 1:
        return "it compares two fitted models on one test set, and the plan has several splits"
    if data.weight is not None:
        return "the rows are weighted"
    metric = compared.facts.name
    return "" if metric in _OF_ACCURACY else f"it tests accuracy, and the metric is {metric}"


def _no_test(compared: Compared) -> str:
    """Return why no test holds within a data set."""
    return _row_problem(compared, "paired_rows") if compared.plan.n_splits == 1 else _split_problem(compared)


def _friedman(compared: Compared) -> Friedman:
    return friedman(compared.values.T, better=compared.facts.side, methods=compared.study.methods)


def _power_notes(found: Found, name: str, n_datasets: int) -> tuple[str, ...]:
    """Return a note where not even a method that is better everywhere could be shown to be better."""
    n = len(found.pairs)
    least = 0.5 ** (n_datasets - 1) * n
    if name not in ("wilcoxon", "sign_test") or least <= 0.05:
        return ()
    fewest = f"With {n_datasets} data sets and {n} comparisons no p-value is below {min(1.0, least):.3g}"
    return (f"{fewest}: they are too few to show a difference.",)


def plans_in_words(study: StudyValues, datasets: tuple[str, ...]) -> str:
    """Return the description of the plan of data sets, which may differ in it."""
    words = list(dict.fromkeys(study.plans[name].words for name in datasets))
    return words[0] if len(words) == 1 else f"{len(words)} plans"
