"""Rows that occur more than once, and columns that copy each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.data._check.coded_columns import CheckedColumn
from calibrant.data._check.table_check import TableFinding

if TYPE_CHECKING:
    import pandas as pd

_MIN_COLUMNS = 3  # rows of fewer columns repeat by chance
_RARE = 0.01  # share of copies below which they are not mentioned
_SAME = 0.9995  # rank correlation of columns that copy each other
_PAIR_ROWS = 5_000
_PAIR_COLUMNS = 1_000  # ranks are correlated for at most so many columns


def find_copied_rows(X: pd.DataFrame, classes: NDArray[np.int64]) -> list[TableFinding]:
    """Return a finding where rows have the values of an earlier row, with the number of those of another class."""
    import pandas as pd

    if X.shape[1] < _MIN_COLUMNS or len(X) < 2:
        return []
    codes, _ = pd.factorize(_row_hashes(X))
    sizes = np.bincount(codes)
    n_copies = int(len(codes) - len(sizes))
    if n_copies <= _RARE * len(codes):
        return []
    low = np.full(len(sizes), np.iinfo(np.int64).max)
    high = np.full(len(sizes), -1)
    np.minimum.at(low, codes, classes)
    np.maximum.at(high, codes, classes)
    opposite = int(sizes[low != high].sum())
    differ = f"; {opposite:,} rows have a copy of another class" if opposite else ""
    evidence = f"{n_copies:,} of {len(codes):,} rows copy an earlier one{differ}"
    advice = "If one case was entered twice, keep one, or splits test on rows that were learned from."
    return [TableFinding("duplicate rows", (), evidence, advice)]


def _row_hashes(X: pd.DataFrame) -> NDArray[np.uint64]:
    import pandas as pd

    total = np.zeros(len(X), np.uint64)
    for place in range(X.shape[1]):
        column = X.iloc[:, place]
        column = column.astype(str) if column.dtype == object else column
        total = total * np.uint64(1_000_003) + pd.util.hash_array(np.asarray(pd.factorize(column)[0]))
    return total


def find_copied_columns(columns: Sequence[CheckedColumn]) -> list[TableFinding]:
    """Return groups of columns that have the same ranks, or the same values by other names.

    Equal codes of first appearance are found by hashing, nearly equal ranks by correlations on a sample of rows.
    """
    useful = [column for column in columns if column.n_values > 2][:_PAIR_COLUMNS]
    useful += [column for column in columns if column.n_values == 2][: _PAIR_COLUMNS - len(useful)]
    parent = {column.name: column.name for column in useful}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    first: dict[bytes, str] = {}
    # where no value repeats, any two columns are the same by other names
    for column in (each for each in useful if 2 * each.n_values <= each.n_known):
        known = _by_appearance(column.codes)
        parent[root(column.name)] = root(first.setdefault(known.tobytes(), column.name))
    ranked = [column for column in useful if column.is_ranked and column.n_values > 10]
    if len(ranked) > 1:
        rows = np.linspace(0, len(ranked[0].codes) - 1, min(_PAIR_ROWS, len(ranked[0].codes))).astype(np.int64)
        ranks = np.stack([column.mid_ranks[rows] for column in ranked])
        alike = np.argwhere(np.triu(np.abs(np.corrcoef(ranks)) >= _SAME, 1))
        for a, b in alike.tolist():
            parent[root(ranked[b].name)] = root(ranked[a].name)
    groups: dict[str, list[str]] = defaultdict(list)
    for column in useful:
        groups[root(column.name)].append(column.name)
    advice = "One says all that the others say: drop the others by --types {}=drop."
    return [
        TableFinding("copy", tuple(names), "the same values, or the same order of rows", advice.format(names[1]))
        for names in groups.values()
        if len(names) > 1
    ]


def _by_appearance(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes numbered in the order of their first row, so that renamed values are equal."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]
