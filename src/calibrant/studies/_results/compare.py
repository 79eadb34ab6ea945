"""Comparison of the methods of a study, by a test that holds for the plan that was used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import CONFIDENCE, check_param, choose
from calibrant.comparison import Friedman, friedman
from calibrant.comparison._internal import method_pairs
from calibrant.exceptions import StudyError
from calibrant.studies._results.metric_facts import choose_name
from calibrant.studies._results.study_comparison import StudyComparison
from calibrant.studies._results.study_tests import STUDY_TESTS, Compared, Found, StudyTest
from calibrant.studies._results.tables import check_complete, check_finite, study_means

if TYPE_CHECKING:
    from calibrant.comparison._internal import Better
    from calibrant.studies._results.dataset_plan import DatasetPlan
    from calibrant.studies._results.metric_facts import MetricFacts
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["compare_study", "plans_in_words"]

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
