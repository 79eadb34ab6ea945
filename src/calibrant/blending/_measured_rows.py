"""Rows that a blend is measured on: those passed, or a quarter of the training rows with a blend of the rest.

Held-out probabilities of the blend itself will not do for whatever learns from them: those of one fold were made by
models that had seen the classes of all others. A tree distilled from seven folds and measured on the eighth looked 0.02
to 0.05 nats better than it was, and 30 to 45 % of the 95 % intervals of its cost held the truth (100 and 400 rows).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from calibrant._folds import count_by_group, deal_groups
from calibrant._random import stream
from calibrant.blending._blend import Blend, fit_blend
from calibrant.blending._member import BlendRows, EstimatorModel
from calibrant.blending._plan import fit_members, plan_members
from calibrant.blending._table import BlendSample, make_blend_table
from calibrant.calibration._internal import take_rows
from calibrant.data import CodedTable
from calibrant.data._internal import Columns, Rows, check_weights, code_labels, read_groups
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees._internal import TrainingSet


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Validated rows with their actual classes; ``X`` has them as passed."""

    columns: Sequence[NDArray[Any]]
    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    groups: NDArray[np.intp] | None
    X: Any = None

    @property
    def rows(self) -> Rows:
        """The number of rows and their columns."""
        return len(self.codes), list(self.columns)

    @property
    def to_predict(self) -> BlendRows:
        """The rows as the members of a blend take them."""
        return BlendRows(self.rows, self.X)


def read_measured_rows(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> MeasuredRows:
    """Validate rows of known classes against the columns and classes of a fitted classifier; drop those of weight 0."""
    n_rows, columns = model._rows(X)
    weight = check_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
    arrays = columns if isinstance(columns, list) else list(np.asarray(columns, dtype=np.float64).T)
    return MeasuredRows(
        [np.ascontiguousarray(array[kept]) for array in arrays],
        _codes(y, n_rows, kept, model.classes_),
        np.ones(len(kept)) if weight is None else weight[kept],
        read_groups(groups, n_rows, kept),
        X if len(kept) == n_rows else take_rows(X, kept),
    )


def _codes(y: Any, n_rows: int, kept: NDArray[np.intp], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the class of each row as a position in the fitted classes."""
    labels = code_labels(y, n_rows, kept)
    position_of = {label: position for position, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.classes.tolist() if label not in position_of]
    if unknown:
        raise DataError(
            f"y has the class {unknown[0]!r}, which fit has not seen; its classes are "
            f"{', '.join(map(repr, classes.tolist()[:10]))}. Leave such rows out."
        )
    return np.array([position_of[label] for label in labels.classes.tolist()], dtype=np.intp)[labels.codes]


def members_of_passed_rows(blend: Blend) -> list[str]:
    """Return the members that take rows as passed: estimators of other libraries, and what learns from free text."""
    models = [(member.readings[0], member.model) for member in blend.members]
    return [name for name, model in models if isinstance(model, EstimatorModel) or getattr(model, "takes_text", False)]


def check_passed(X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> None:
    """Raise if rows are passed without classes, or weights or groups without rows."""
    if (X is None) != (y is None):
        raise ParameterError("X and y must be passed together; got one of them. Pass both, or neither.")
    if X is None and not (sample_weight is None and groups is None):
        raise ParameterError("sample_weight and groups must be passed with X and y; those of `fit` are kept.")


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


# Beside the models, not in them: a refitted blend is neither pickled nor saved, and goes with its model
_REFITTED: WeakKeyDictionary[Blend, RefittedBlend] = WeakKeyDictionary()


def refit(blend: Blend, examples: TrainingSet, sample: BlendSample, n_threads: int) -> RefittedBlend:
    """Fit the members of positive weight to three quarters of the rows; a second call returns the same.

    With a sample by time, they are fitted to all rows but those of its latest period.
    """
    if blend not in _REFITTED:
        if names := members_of_passed_rows(blend):
            raise ParameterError(
                f"X and y must be passed where {names[0]!r}, an estimator of another library or of free text, is a "
                "member: it would have to be fitted again, and the rows that it takes are not kept. Pass rows that fit "
                "has not seen."
            )
        side = _latest(examples, sample) if sample.is_by_time else _split(examples)
        train, rest = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
        with threadpool_limits(1):
            _REFITTED[blend] = _fit(blend, take_training_rows(examples, train), _measured(examples, rest), n_threads)
    return _REFITTED[blend]


def _fit(blend: Blend, examples: TrainingSet, rows: MeasuredRows, n_threads: int) -> RefittedBlend:
    columns = take_columns(examples, np.arange(examples.n_rows))
    table = make_blend_table(examples, columns, seed=_SEED, n_threads=n_threads)
    plan = plan_members(list(dict.fromkeys(member.family for member in blend.members)), table)
    fitted = fit_members(plan, table, time.perf_counter(), None)
    return RefittedBlend(fit_blend(fitted.members, table.sample, n_threads), examples, table.sample, rows)


def take_columns(examples: TrainingSet, rows: NDArray[np.intp]) -> Columns:
    """Return the validated columns of some coded rows."""
    arrays = tuple(examples.column(j, rows) for j in range(examples.table.n_columns))
    return Columns(examples.table.schema, arrays, len(rows), examples.feature_names)


def take_training_rows(examples: TrainingSet, rows: NDArray[np.intp]) -> TrainingSet:
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


def _latest(examples: TrainingSet, sample: BlendSample) -> NDArray[np.intp]:
    """Return the side of each row: 1 for the rows of the latest period."""
    side = np.zeros(examples.n_rows, dtype=np.intp)
    side[sample.rows[sample.fold == sample.fold.max()]] = 1
    return side


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
