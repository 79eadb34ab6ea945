"""The tests that `compare` offers by name: within a data set, by its rows, and over data sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.comparison import (
    Comparison,
    CriticalDifference,
    Posterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    corrected_resampled_t_test,
    five_by_two_test,
    holm,
    mcnemar_test,
    nemenyi,
    paired_t_test,
    sign_test,
    wilcoxon,
)
from calibrant.comparison._internal import holm_corrected
from calibrant.exceptions import StudyError
from calibrant.studies._results.kept_rows import KeptTrials, kept_predictions, read_kept_rows
from calibrant.studies._results.study_comparison import PairDifference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._internal import RowStatistics
    from calibrant.studies._results.dataset_plan import DatasetPlan
    from calibrant.studies._results.metric_facts import MetricFacts
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["STUDY_TESTS", "Compared", "Found", "StudyTest"]


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
