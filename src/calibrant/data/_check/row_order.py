"""The order of rows: drift of columns and class along the file, rows sorted by class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed
from calibrant.data._check.coded_columns import CheckedColumn
from calibrant.data._check.table_check import TableFinding

_LEVEL = 2e-3  # of all tests of a table together, half of it for the class: noise is almost never called time
_BLOCKS = 10
_EFFECT = 0.005  # least share of the variance of ranks that blocks explain, beyond chance
_MIN_ROWS = 60
_ROWS_PER_RUN = 10  # mean length of runs of a class above which rows are sorted by class
_ADVICE = (
    "Then random splits are too optimistic: later rows differ from those learned from. Split by time (--time COLUMN, "
    "or --plan time for the order of the file)"
)


def find_order(columns: Sequence[CheckedColumn], classes: NDArray[np.int64], n_classes: int) -> list[TableFinding]:
    """Return findings on the order of rows: by class, or by time, where columns or the class drift along the file.

    Ranks are compared among rows of one class, so that rows sorted by class show no drift of their columns.
    """
    n = len(classes)
    if n < _MIN_ROWS or n_classes < 2:
        return []
    if _is_sorted(classes, n_classes):
        advice = "Folds must shuffle rows, which calibrant does; a part of the file is no sample of it."
        return [TableFinding("sorted by class", (), "rows of one class follow each other", advice)]
    level = _LEVEL / (4 * max(1, len(columns)))  # two tests of each column
    drifting = [column.name for column in columns if _drifts(_centred_ranks(column, classes, n_classes), level)]
    share = (classes == int(np.argmax(np.bincount(classes)))).astype(float)
    drifts = _drifts(share - share.mean(), _LEVEL / 4)
    if not drifting and not drifts:
        return []
    what = ["the class"] * drifts + [f"'{name}'" for name in drifting[:4]]
    more = f" and {len(drifting) - 4} more" if len(drifting) > 4 else ""
    evidence = f"{listed(what, last=', ' if more else ' and ')}{more} drift{'s' * (len(what) == 1)} along the file"
    return [TableFinding("time", tuple(drifting), evidence, f"{_ADVICE}.")]


def _is_sorted(classes: NDArray[np.int64], n_classes: int) -> bool:
    """Return whether rows of one class stand together: far fewer runs than a shuffled file would have."""
    n_runs = 1 + int(np.count_nonzero(np.diff(classes)))
    shares = np.bincount(classes, minlength=n_classes) / len(classes)
    shuffled = 1 + (len(classes) - 1) * float(1 - np.sum(shares**2))
    return n_runs <= max(n_classes, len(classes) / _ROWS_PER_RUN) and n_runs < shuffled / 3


def _centred_ranks(column: CheckedColumn, classes: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Return ranks less their mean in the class; of nominal columns, whether a row has the commonest value."""
    if column.n_values < 2:
        return np.zeros(len(classes))
    known = column.codes >= 0
    values = column.mid_ranks if column.is_ranked else (column.codes == int(np.argmax(column.totals))).astype(float)
    sums = np.bincount(classes[known], weights=values[known], minlength=n_classes)
    means = sums / np.maximum(np.bincount(classes[known], minlength=n_classes), 1)
    return np.asarray(np.where(known, values - means[classes], 0.0))


def _drifts(values: NDArray[np.float64], level: float) -> bool:
    """Return whether values depend on the row: by correlation with its number, or by means of blocks of rows."""
    from scipy.stats import chi2, norm

    n, spread = len(values), float(values.std())
    if spread == 0:
        return False
    place = np.arange(n) - (n - 1) / 2
    rho = float(values @ place) / (n * spread * float(place.std()))
    if 2 * norm.sf(abs(rho) * np.sqrt(n - 1)) < level and rho**2 > _EFFECT:
        return True
    blocks = np.arange(n) * _BLOCKS // n
    sums, sizes = np.bincount(blocks, weights=values), np.bincount(blocks)
    statistic = float(np.sum((sums - sizes * values.mean()) ** 2 / sizes)) / spread**2
    return bool(chi2.sf(statistic, _BLOCKS - 1) < level and (statistic - _BLOCKS + 1) / n > _EFFECT)
