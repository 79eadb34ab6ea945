"""Members held out by time: each predicts rows that follow those that its models were fitted to.

A row out of bag, or in a fold of its own, is predicted by models that saw its neighbours in time, earlier and later
ones. Where the world changes they know what no model will know of the future, so neither is used here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._folds import Pieces
from calibrant._params import Rule
from calibrant._sklearn import num_samples
from calibrant.blending._measured_rows import take_training_rows
from calibrant.blending._member import BlendRows, FittedMember, MemberLearner
from calibrant.blending._plan import MemberPlan
from calibrant.blending._table import BlendSample, BlendTable, draw_sample, make_blend_table
from calibrant.calibration._internal import take_rows
from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._internal import splitters


class TimePlanRule(Rule):
    """A plan that trains on the past and tests on what follows, the words for one, or pairs of rows in order of time.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation, RollingOrigin
    >>> [each in TimePlanRule() for each in (RollingOrigin(3), "time", "time 30%", CrossValidation(), 5)]
    [True, True, True, False, False]
    """

    def __contains__(self, value: object) -> bool:
        is_read = isinstance(value, str | list | tuple)
        try:
            plan = splitters.read_plan(value) if is_read else value
        except ParameterError:
            return False
        return splitters.is_by_time(plan) or (is_read and not isinstance(value, str))

    def _words(self) -> tuple[str, ...]:
        return ("'time'", "a plan by time such as RollingOrigin()", "pairs of (train, test) in order of time")


@dataclass(frozen=True, eq=False)
class TimeOrderedTable:
    """The training rows of a blend split by time.

    Parameters
    ----------
    table : BlendTable
        All training rows.
    sample : BlendSample
        The tested rows, in folds numbered in order of time.
    parts : tuple of BlendTable
        The training rows of each split.
    """

    table: BlendTable
    sample: BlendSample
    parts: tuple[BlendTable, ...]

    @classmethod
    def of(cls, table: BlendTable, cv: Any, times: Any) -> TimeOrderedTable:
        """Split the rows of a table; splits before which a class has not occurred are left out."""
        kept = np.arange(table.n_rows) if table.kept is None else table.kept
        splits = [
            (np.asarray(train), np.asarray(test))
            for train, test in _split(cv, take_rows(table.X, kept), table, times, kept)
            if len(np.unique(table.codes[train])) == table.n_classes
        ]
        if not splits:
            raise DataError("cv: no training rows of a split by time have all classes. Pass more rows of the past.")
        tested = np.concatenate([test for _, test in splits])
        fold = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
        pieces = Pieces(tested, table.examples.weights_or_ones[tested], fold)
        sample = replace(draw_sample(pieces, table.examples, table.seed), is_by_time=True)
        return cls(table, sample, tuple(_part(table, train, kept) for train, _ in splits))

    def plan(self, plan: MemberPlan) -> MemberPlan:
        """Return a plan whose learners hold rows out by time."""
        return replace(plan, learners=tuple(_TimeLearner(each, self) for each in plan.learners))


def _split(cv: Any, X: Any, table: BlendTable, times: Any, kept: NDArray[np.intp]) -> Any:
    n_rows = num_samples(table.X)
    plan = splitters.for_rows(splitters.read_plan(cv), kept, n_rows)
    if times is None:
        plan = plan._at(None) if hasattr(plan, "_at") else plan
    else:
        moments = np.asarray(times)
        if moments.shape != (n_rows,):
            raise DataError(f"times must have a value for each of the {n_rows} rows; got shape {moments.shape}.")
        if not hasattr(plan, "_at"):  # pairs, or scikit-learn's
            raise ParameterError(
                f"cv: {type(plan).__name__} knows no times: it takes rows in their order. Use "
                "calibrant.resampling.RollingOrigin."
            )
        plan = plan._at(moments[kept])
    return plan.split(X, table.codes, table.examples.groups)


def _part(table: BlendTable, rows: NDArray[np.intp], kept: NDArray[np.intp]) -> BlendTable:
    examples, columns = take_training_rows(table.examples, rows), table.take_columns(rows)
    return make_blend_table(examples, columns, seed=table.seed, n_threads=table.n_threads, X=table.X, kept=kept[rows])


@dataclass(frozen=True, eq=False)
class _TimeLearner:
    """Fits a member to all rows, and to the past of each split for its probabilities of the rows that follow."""

    learner: MemberLearner
    ordered: TimeOrderedTable

    @property
    def family(self) -> str:
        """The name of the member."""
        return self.learner.family

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the member; only the stop of the table is used, as its rows are those of the splits."""
        whole = self.learner.fit(replace(table, is_whole=True))
        sample = self.ordered.sample
        held_out = [np.empty((sample.n_pieces, table.n_classes)) for _ in whole.readings]
        for fold, part in enumerate(self.ordered.parts):
            table.stop.check()
            member = self.learner.fit(replace(part, stop=table.stop, is_whole=True))
            inside = sample.fold == fold
            predicted = member.predict(self._new(sample.rows[inside]), table.n_threads)
            for proba, found in zip(held_out, predicted, strict=True):
                proba[inside] = found
        return replace(whole, held_out=tuple(held_out))

    def _new(self, rows: NDArray[np.intp]) -> BlendRows:
        table = self.ordered.table
        positions = rows if table.kept is None else table.kept[rows]
        return BlendRows((len(rows), list(table.take_columns(rows).arrays)), take_rows(table.X, positions))
