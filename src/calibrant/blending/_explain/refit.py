"""The same members blended again from three quarters of the training rows, to be measured on the rest.

Held-out probabilities of the blend itself will not do for whatever learns from them: those of one fold were made by
models that had seen the classes of all others. A tree distilled from seven folds and measured on the eighth looked 0.02
to 0.05 nats better than it was, and 30 to 45 % of the 95 % intervals of its cost held the truth (100 and 400 rows).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from threadpoolctl import threadpool_limits

from calibrant._folds import count_by_group, deal_groups
from calibrant._random import stream
from calibrant.blending._explain.measured_rows import MeasuredRows, foreign_members
from calibrant.blending._members.fit_members import fit_members
from calibrant.blending._members.plan import plan_members
from calibrant.blending._pool.blend import Blend, fit_blend
from calibrant.blending._table.blend_table import make_blend_table
from calibrant.data import CodedTable
from calibrant.data._internal import Columns
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendSample
    from calibrant.trees._internal import TrainingSet

__all__ = ["RefittedBlend", "refit", "take_columns"]

_SEED = np.random.SeedSequence(0)  # one split for all that is measured, so that a blend is refitted once
_SPLIT = 2  # key of a random stream; 0 and 1 are those of `BlendTable`
_MAX_ROWS = 26_000  # of larger tables a sample is split; fits the 20,000 rows up to which all members have all rows


@dataclass(frozen=True, eq=False)
class RefittedBlend:
    """A blend of some rows and the rows that it was fitted without."""

    blend: Blend
    examples: TrainingSet
    sample: BlendSample
    rows: MeasuredRows


_REFITTED: WeakKeyDictionary[Blend, RefittedBlend] = WeakKeyDictionary()


def refit(blend: Blend, examples: TrainingSet, n_threads: int) -> RefittedBlend:
    """Fit the members of positive weight to three quarters of the rows; a second call returns the same."""
    if blend not in _REFITTED:
        if foreign := foreign_members(blend):
            raise ParameterError(
                f"X and y must be passed where {foreign[0]!r}, an estimator of another library, is a member: it would "
                "have to be fitted again, and the rows that it takes are not kept. Pass rows that fit has not seen."
            )
        side = _split(examples)
        train, rest = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
        with threadpool_limits(1):
            _REFITTED[blend] = _fit(blend, _take(examples, train), _measured(examples, rest), n_threads)
    return _REFITTED[blend]


def _fit(blend: Blend, examples: TrainingSet, rows: MeasuredRows, n_threads: int) -> RefittedBlend:
    columns = take_columns(examples, np.arange(examples.n_rows))
    table = make_blend_table(examples, columns, seed=_SEED, n_threads=n_threads)
    plan = plan_members(list(dict.fromkeys(member.family for member in blend.members)), table)
    fitted = fit_members(plan, table, time.perf_counter(), None)
    return RefittedBlend(fit_blend(fitted.members, table.sample), examples, table.sample, rows)


def take_columns(examples: TrainingSet, rows: NDArray[np.intp]) -> Columns:
    """Return the validated columns of some coded rows."""
    arrays = tuple(examples.column(j, rows) for j in range(examples.table.n_columns))
    return Columns(examples.table.schema, arrays, len(rows), examples.feature_names)


def _take(examples: TrainingSet, rows: NDArray[np.intp]) -> TrainingSet:
    """Return some coded rows, with all classes."""
    return replace(
        examples,
        labels=examples.labels[rows],
        weights=None if examples.weights is None else examples.weights[rows],
        table=CodedTable.from_columns(take_columns(examples, rows), n_jobs=1),
        copies=None if examples.copies is None else examples.copies[rows],
        groups=None if examples.groups is None else np.unique(examples.groups[rows], return_inverse=True)[1],
    )


def _measured(examples: TrainingSet, rows: NDArray[np.intp]) -> MeasuredRows:
    groups = None if examples.groups is None else examples.groups[rows]
    columns = take_columns(examples, rows).arrays
    return MeasuredRows(columns, examples.sorted_labels[rows], examples.weights_or_ones[rows], groups)


def _split(examples: TrainingSet) -> NDArray[np.intp]:
    """Return the side of each row: 0 to be fitted, 1 to be measured, 2 for neither; groups stay whole."""
    codes, random = examples.sorted_labels, stream(_SEED, _SPLIT)
    share = min(1.0, _MAX_ROWS / examples.n_rows)
    if examples.groups is not None:
        shares = np.array([3.0, 1.0, 4.0 / share - 4.0][: 2 if share == 1 else 3])
        side = deal_groups(count_by_group(examples.groups, codes), shares, random)[examples.groups]
    else:
        side = np.zeros(examples.n_rows, dtype=np.intp)
        for code in np.unique(codes):
            rows = random.permutation(np.flatnonzero(codes == code))
            n_used = max(min(len(rows), 8), round(share * len(rows)))
            side[rows[n_used:]] = 2
            side[rows[: n_used // 4]] = 1
    if not (side == 1).any():
        raise DataError(
            f"X and y must be passed for a model of {examples.n_rows} rows: none of its classes has 4 rows, of which "
            "one could be held out."
        )
    return np.asarray(side)
