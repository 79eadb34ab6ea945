"""Warnings that a reader must know before relying on the numbers; only those that apply."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibrant._repr import listed, percent
from calibrant._sections import Block, Callout, Section
from calibrant.comparison import holm
from calibrant.data._internal import copies_among, hash_codes
from calibrant.metrics._internal import BootstrapPlan
from calibrant.report._predictions.report_data import FEWEST_ROWS, ReportData
from calibrant.report._predictions.wording import (
    pvalue_words,
    rows_text,
    upper_first,
)

_FEW_ROWS = 200  # below, intervals of most scores are too wide to decide anything
_FEW_OF_CLASS = 50  # the same number as in the advice of `compare`
_MIN_COPIES = 0.1  # of the rows; as in the warning of fitted data
_FEW_VALUES = 20  # distinct probabilities: curves then have corners, and few thresholds can be chosen
_LARGE_TIE = 0.1  # of the rows: no threshold selects a part of them
_SMALL_SHIFT = 0.05  # of the rarer outcome's rate: with very many rows smaller shifts are shown too, but change little
_TIE_NOT_COPY = 0.02  # of the rows: so many equal ones are ties, such as probabilities of 0, rather than copies
_LARGE_EFFECT = 1.5  # of the design: intervals are then a fifth wider


def warnings_section(data: ReportData) -> Section:
    """Return the warnings that apply."""
    found: list[Block] = [*_on_rows(data), *_on_groups(data)]
    for name in data.names:
        found += [*_on_impossible(data, name), *_on_base_rate(data, name), *_on_ties(data, name)]
        found += _on_verdict(data, name)
    nothing = Callout("good", "Nothing to warn about.", "Checked: number of rows, base rate, ties, rows that belong "
                      "together, certain probabilities that were wrong.")  # fmt: skip
    return Section("warnings", "What to be careful about", tuple(found or [nothing]), "Warnings")


def _on_rows(data: ReportData) -> list[Callout]:
    counts = {label: data.count(data.y_true == label) for label in data.classes}
    rare = sorted((label for label, n in counts.items() if n < _FEW_OF_CLASS), key=counts.__getitem__)
    found = []
    if data.n_counted < _FEW_ROWS:
        text = f"There are only {rows_text(data.n_counted)}: read the intervals, not the values."
        found.append(Callout("warning", text))
    if rare:
        named = [f"{label} has {data.few_rows_text(label)}" for label in rare[:5]]
        n_more = len(rare) - 5
        has = "class has" if n_more == 1 else "classes have"
        more = [f"{n_more} more {has} fewer than {_FEW_OF_CLASS}"] if n_more > 0 else []
        which, of = ("a class", "this class") if len(rare) == 1 else ("some classes", "these classes")
        text = f"There are few rows of {which}: {listed([*named, *more])}."
        detail = f"What is said about {of} rests on them, however many other rows there are."
        found.append(Callout("warning", text, detail))
    return found


def _on_groups(data: ReportData) -> list[Callout]:
    """Return whether rows belong together: by groups that were passed, or as copies of each other."""
    name = data.names[0]
    if data.groups is None:
        n_copies = _copies(data) if data.n_rows >= _FEW_ROWS else 0
        if n_copies < _MIN_COPIES * data.n_rows:
            return []
        text = f"{rows_text(n_copies)} of {data.n_rows:,} repeat another row exactly: oversampled rows?"
        detail = "Copies count as independent rows here, so that intervals are too short. Drop them or pass groups."
        return [Callout("warning", text, detail)]
    plan = data.plan(name)
    n_groups = len(np.unique(data.groups))
    if plan.has_few_groups:
        text = f"The rows are of {rows_text(n_groups, 'group')}: fewer than 10 say too little about others."
        return [Callout("warning", text, "Collect rows of more groups.")]
    effect = max(data.plan(each).design_effect() for each in data.names)
    if effect < _LARGE_EFFECT:
        return []
    text = f"Rows belong together: {data.n_rows:,} rows of {rows_text(n_groups, 'group')} say as much as about "
    text += f"{rows_text(data.n_rows / effect)} that are independent."
    return [Callout("warning", text, f"Design effect {effect:.2g}; intervals and tests allow for it.")]


def _copies(data: ReportData) -> int:
    """Return the number of rows that repeat another one, where probabilities are continuous."""
    columns = [np.ascontiguousarray(column) for proba in data.probas.values() for column in np.atleast_2d(proba.T)]
    codes = data.is_positive.astype(np.intp) if data.is_binary else np.unique(data.y_true, return_inverse=True)[1]
    hashes = hash_codes([*columns, codes], data.n_rows)
    of_hash, counts = np.unique(hashes, return_counts=True)
    if data.n_rows - len(of_hash) < _MIN_COPIES * data.n_rows:
        return 0  # before every column is sorted
    is_tied = np.isin(hashes, of_hash[counts > _TIE_NOT_COPY * data.n_rows])
    return copies_among(hashes[~is_tied], [np.unique(column[~is_tied]) for column in columns])


def _on_impossible(data: ReportData, name: str) -> list[Callout]:
    n_wrong = len(data.plan(name).predictions.zero_probability_rows())
    if not n_wrong:
        return []
    happened = f"happened although {'its' if n_wrong == 1 and data.rows else 'their'} probability was 0"
    rows = rows_text(n_wrong) if data.rows or n_wrong >= FEWEST_ROWS else f"fewer than {FEWEST_ROWS} rows"
    text = f"The class of {rows} {happened}: {data.subject(name)} are too certain."
    detail = "The log-loss is infinite. Keep probabilities away from 0 and 1, for instance by recalibration."
    return [Callout("warning", upper_first(text), detail, data.model_of(name))]


def _on_base_rate(data: ReportData, name: str) -> list[Callout]:
    """Return the classes whose frequency differs from their mean probability by more than chance, and by much."""
    plan = data.plan(name)
    if plan.has_few_groups:
        return []
    read = plan.predictions
    classes = [read.positive] if data.is_binary else range(read.n_classes)
    shifts = [_shift(plan, code) for code in classes]
    pvalues = holm([pvalue for _, _, pvalue in shifts]).tolist()
    labels = read.classes.tolist()
    found = []
    for code, (observed, expected, _), pvalue in zip(classes, shifts, pvalues, strict=True):
        is_large = abs(observed - expected) > _SMALL_SHIFT * min(observed, 1.0 - observed)
        if pvalue <= 1.0 - data.confidence and is_large:
            text = f"The base rate of {labels[code]} here is {percent(observed, 1)}, {data.subject(name)} expect "
            text += f"{percent(expected, 1)} ({pvalue_words(pvalue)})."
            detail = "Rows of another time or place than those the model was fitted to? Correct the base rate first."
            found.append(Callout("warning", text, detail, data.model_of(name)))
    return found[:5]


def _shift(plan: BootstrapPlan, code: int) -> tuple[float, float, float]:
    """Return the frequency of a class, its mean probability and the p-value of their being equal."""
    read = plan.predictions
    rows, weight, cluster = read.binary_rows(code), read.weight, plan.clusters()
    total = float(weight.sum())
    observed, expected = (float((weight * each).sum() / total) for each in (rows.positive, rows.proba))
    if cluster is None:
        variance = float((weight * rows.proba * (1.0 - rows.proba)).sum())
    else:
        variance = float((np.bincount(cluster, weight * (rows.positive - rows.proba)) ** 2).sum())
    away = abs(observed - expected) * total
    if variance <= 0.0:
        return observed, expected, 1.0 if away <= 1e-9 * total else 0.0
    return observed, expected, float(2.0 * ndtr(-away / math.sqrt(variance)))


def _on_ties(data: ReportData, name: str) -> list[Callout]:
    proba: NDArray[np.float64] = data.probas[name] if data.is_binary else data.probas[name].max(axis=1)
    values, counts = np.unique(proba, return_counts=True)
    most, n_most = float(values[counts.argmax()]), int(counts.max())
    share, several = percent(n_most / data.n_rows), len(data.names) > 1
    if n_most < FEWEST_ROWS:  # nothing of single rows, and hardly a tie
        return []
    rest = "Rows of equal probability cannot be ranked, and no threshold selects a part of them."
    of = f" of {name}" if several else ""
    if len(values) == 1:
        text = f"All probabilities{of} are equal."
    elif len(values) < _FEW_VALUES:
        text = f"Probabilities{of} have only {len(values)} values."
        rest = f"The most frequent one, {most:.3g}, is that of {share} of the rows. {rest}"
    elif n_most / data.n_rows >= _LARGE_TIE:
        text = f"{share} of the rows have the same probability{f' by {name}' if several else ''}, {most:.3g}."
    else:
        return []
    return [Callout("warning", text, rest, data.model_of(name))]


def _on_verdict(data: ReportData, name: str) -> list[Callout]:
    verdict = data.verdict(name)
    if verdict.kind != "cannot tell":
        return []
    is_more = verdict.rows_needed is not None and verdict.rows_needed > data.n_counted
    more = f": about {rows_text(verdict.rows_needed)} in all would" if verdict.rows_needed and is_more else ""
    text = f"These rows do not show that {data.subject(name)} are calibrated within the tolerance{more}."
    return [Callout("warning", text, model=data.model_of(name))]
