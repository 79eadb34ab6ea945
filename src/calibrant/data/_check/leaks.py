"""Columns that say the class, by their values or by being missing, and missing values that depend on the class."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed
from calibrant.data._check.coded_columns import CheckedColumn
from calibrant.data._check.table_check import TableFinding

# Chosen on the shared data sets: their honest columns explain at most 0.80 of the entropy of the class (iris), and
# those above 0.5 stand beside others of more than half their strength (votes, wbc, wdbc); planted leaks explain more.
_ALMOST_ALL, _STRONG, _JUMP = 0.85, 0.5, 5.0
_MIN_ROWS, _MIN_CLASS = 120, 20  # with fewer rows honest columns are perfect too: iris, zoo, glass with two classes
_MIN_OTHERS = 3  # columns beside one that may stand out by its strength alone
_MIN_SHARE = 0.3  # of a class that has a value which no other class has
_MIN_AMOUNTS = 5  # distinct values above which those beside the usual one are taken for amounts
_BINS = (8, 32, 256)
_LEVEL = 1e-6
_LESS = 0.01  # of the entropy: less dependence of missing values on the class is not mentioned


def explained(counts: NDArray[np.int64]) -> float:
    """Return the share of the entropy of the class that is explained by cells, each row left out of its own cell.

    The probabilities of a cell are smoothed by one row of base rates, so that cells of single rows explain nothing.

    Examples
    --------
    >>> round(explained(np.array([[50, 0], [0, 50]])), 2), round(explained(np.ones((50, 2), np.int64)), 2)
    (0.99, -1.0)
    """
    total, sizes = counts.sum(), counts.sum(axis=1, keepdims=True)
    base = counts.sum(axis=0) / total
    entropy = -float(np.sum(base[base > 0] * np.log(base[base > 0])))
    if entropy == 0:
        return 0.0
    proba = (counts - 1 + base) / np.maximum(sizes, 1)
    loss = -float(np.sum(counts * np.log(np.where(counts > 0, np.maximum(proba, 1e-12), 1.0))))
    return 1 - loss / (float(total) * entropy)


def strength(column: CheckedColumn) -> float:
    """Return the share of the class's entropy that the column explains: by value, by bins of ranks or by one cut."""
    if not column.n_known:
        return 0.0
    missing = column.missing[None]
    if not column.is_ranked:
        return explained(np.vstack([column.counts, missing]))
    totals, counts = column.totals, column.counts
    middle = (np.cumsum(totals) - totals / 2) / column.n_known
    shares = []
    for n_bins in _BINS:
        cells = np.zeros((n_bins, counts.shape[1]), np.int64)
        np.add.at(cells, np.minimum((middle * n_bins).astype(np.int64), n_bins - 1), counts)
        shares.append(explained(np.vstack([cells, missing])))
    if column.n_values > 1:
        below = np.cumsum(counts, axis=0)[:-1]
        above = counts.sum(axis=0) - below
        best = int(np.argmax(_log_likelihood(below) + _log_likelihood(above)))
        shares.append(explained(np.vstack([below[best], above[best], missing[0]])))
    return max(shares)


def _log_likelihood(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    sizes = counts.sum(axis=1)
    cells = np.sum(counts * np.log(np.maximum(counts, 1)), axis=1)
    return np.asarray(cells - sizes * np.log(np.maximum(sizes, 1)))


def find_leaks(columns: Sequence[CheckedColumn], labels: Sequence[object]) -> list[TableFinding]:
    """Return a finding for each column that alone says the class, and for missing values that depend on it."""
    if not columns or len(labels) < 2:
        return []
    sizes = columns[0].counts.sum(axis=0) + columns[0].missing
    is_large = sizes.sum() >= _MIN_ROWS and np.sort(sizes)[-2:].min() >= _MIN_CLASS
    strengths = np.array([strength(column) for column in columns])
    found: list[TableFinding] = []
    dependent: list[tuple[float, CheckedColumn]] = []
    for place, column in enumerate(columns):
        filled = np.vstack([column.counts.sum(axis=0), column.missing])
        by_missing = _explained_one_by_one(filled, sizes) if filled.sum(axis=1).all() else 0.0
        evidence = _leak(column, strengths, place, by_missing, labels) if is_large else ""
        if evidence:
            advice = (
                "Is it known before the class is? If not, leave it out: "
                f"--types {column.name}=drop. If it is, nothing else is needed"
            )
            found.append(TableFinding("leak", (column.name,), evidence, f"{advice}."))
        elif by_missing > _LESS and _depends(filled):
            dependent.append((by_missing, column))
    return found + _missing_by_class(dependent, labels)


def _leak(
    column: CheckedColumn, strengths: NDArray[np.float64], place: int, by_missing: float, labels: Sequence[object]
) -> str:
    """Return why a column may be a leak; empty where it may not."""
    sizes = column.counts.sum(axis=0) + column.missing
    own = max(float(strengths[place]), by_missing)
    others = np.delete(strengths, place)
    honest = max([0.0, *others[others < _STRONG].tolist()])
    # Next to another strong column that is no suspect itself, a strong one is what this table is like
    is_alone = not ((others >= _STRONG) & (others < _ALMOST_ALL)).any() and len(others) >= _MIN_OTHERS
    stands_out = is_alone and own >= _STRONG and own >= _JUMP * honest
    only = _only_one_class(column, sizes, labels)
    if only:
        return only
    if own < _ALMOST_ALL and not stands_out:
        return ""
    what = "whether it is missing" if by_missing >= own - 1e-9 else "it"
    rest = f"; the best of the honest others explains {100 * honest:.0f} %" if len(others) else ""
    return f"{what} alone explains {100 * min(own, 1.0):.4g} % of the entropy of the class{rest}"


def _only_one_class(column: CheckedColumn, sizes: NDArray[np.int64], labels: Sequence[object]) -> str:
    """Return the evidence of a column that has a value, or one beside its usual value, for one class only."""
    filled = column.counts.sum(axis=0)
    ways = [(filled, "has a value")]
    if column.n_values > _MIN_AMOUNTS:  # a flag of a few values may honestly be pure; amounts are filled in afterwards
        ways.append((filled - column.counts[int(np.argmax(column.totals))], "differs from its usual value"))
    for counts, words in ways:
        k, total = int(np.argmax(counts)), int(counts.sum())
        is_pure = total > 0 and counts[k] == total and total >= _MIN_SHARE * sizes[k]
        if is_pure and total * math.log(sizes[k] / sizes.sum()) < math.log(_LEVEL):
            return (
                f"it {words} in {total:,} rows, all of class {labels[k]!s} ({_percent(total, sizes[k])} of that class)"
            )
    return ""


def _explained_one_by_one(filled: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """Return the greatest share of the entropy of one class against the rest that being missing explains."""
    if len(sizes) == 2:
        return explained(filled)
    large = np.flatnonzero(sizes >= _MIN_CLASS)
    one = (np.column_stack([filled[:, k], filled.sum(axis=1) - filled[:, k]]) for k in large)
    return max((explained(counts) for counts in one), default=0.0)


def _depends(filled: NDArray[np.int64]) -> bool:
    """Return whether missing values depend on the class, by a chi-squared test."""
    from scipy.stats import chi2_contingency

    table = filled[:, filled.sum(axis=0) > 0]
    return bool(chi2_contingency(table, correction=False).pvalue < _LEVEL)


def _missing_by_class(dependent: Sequence[tuple[float, CheckedColumn]], labels: Sequence[object]) -> list[TableFinding]:
    """Return one finding of all columns whose missing values depend on the class, the most dependent first."""
    if not dependent:
        return []
    columns = [column for _, column in sorted(dependent, key=lambda each: -each[0])]
    first = columns[0]
    sizes = first.counts.sum(axis=0) + first.missing
    shares = first.missing / np.maximum(sizes, 1)
    ends = [int(np.argmax(shares)), int(np.argmin(np.where(sizes > 0, shares, 2.0)))]
    words = listed([f"{_percent(int(first.missing[k]), sizes[k])} of class {labels[k]!s}" for k in ends])
    evidence = f"{'it' if len(columns) == 1 else repr(first.name)} is missing in {words}"
    advice = "Ask why: will values be missing alike in rows that are predicted?"
    return [TableFinding("missing by class", tuple(column.name for column in columns), evidence, advice)]


def _percent(part: int, whole: int | np.int64) -> str:
    return f"{100 * part / max(1, int(whole)):.3g} %"
