"""The predictions of methods that share the fits of one estimator: its readings, and their calibrated versions."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from calibrant.calibration._internal import (
    ReadingOfFits,
    SharedFits,
    response_method,
    responses_of,
    score_columns,
    take_rows,
)
from calibrant.resampling._trials.fitted_model import fit_arguments, predict, read_probabilities
from calibrant.resampling._trials.method_trial import NumberedSplit, SplitPredictions, Stopwatch, TrialSeconds
from calibrant.resampling._trials.seeds import open_seeds, seeded_clone

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.resampling._trials.families import Family
    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["predict_shared"]


def predict_shared(
    family: Family, shared: SharedFits, data: TrialData, split: NumberedSplit, growth: float, *, records_errors: bool
) -> list[SplitPredictions]:
    """Return the predictions of each member from fits that all share; `growth` is the seconds of the first of them.

    With `records_errors` a member that fails has a traceback instead of predictions.
    """
    trials = _SharedTrials(shared, data, split, [_RowSet(shared, data, rows) for rows in split.row_sets])
    found = [trials.run(family, number, records_errors) for number in range(len(family.members))]
    seconds, n_members = growth + trials.shared_seconds, len(found)
    return [SplitPredictions(tables, TrialSeconds.of(*own, seconds, n_members), error) for tables, own, error in found]


@dataclass(frozen=True, eq=False)
class _SharedTrials:
    """The trials of a family on one split."""

    shared: SharedFits
    data: TrialData
    split: NumberedSplit
    row_sets: list[_RowSet]

    @property
    def shared_seconds(self) -> float:
        """Seconds of folds and of responses so far, which serve all members."""
        return self.shared.seconds + sum(rows.seconds for rows in self.row_sets)

    def run(
        self, family: Family, number: int, records_errors: bool
    ) -> tuple[list[NDArray[np.float64]], tuple[float, float], str]:
        """Return the predictions of a member, the seconds of its own fit and predictions, and its error, if any."""
        watch, member, seconds = Stopwatch(), family.members[number], [0.0, 0.0]
        reading = ReadingOfFits(self.shared, number if family.readings else 0)
        try:
            before = self.shared_seconds
            model = None if member is family.bases[number] else self._fit_map(member, reading)
            seconds[0] = watch.lap() - (self.shared_seconds - before)
            before = self.shared_seconds
            tables = [self._predict(model, reading.number, rows) for rows in self.row_sets]
            seconds[1] = watch.lap() - (self.shared_seconds - before)
        except Exception:
            if not records_errors:
                raise
            return [], (watch.total, 0.0), traceback.format_exc()
        return tables, (seconds[0], seconds[1]), ""

    def _fit_map(self, member: Any, reading: ReadingOfFits) -> Any:
        """Return a calibrated classifier, whose map alone is fitted."""
        model = seeded_clone(member, open_seeds(member), self.split.seed)
        return model._fit_map(reading, *fit_arguments(model, self.data, self.split.train))

    def _predict(self, calibrated: Any, reading: int, rows: _RowSet) -> NDArray[np.float64]:
        fitted, classes = self.shared.fitted, self.data.classes
        if classes is None or not (calibrated or hasattr(fitted, "predict_proba")):
            return predict(fitted, self.data, rows.rows, self.split.train)
        if calibrated is None:
            found, model = rows.responses("predict_proba")[reading], fitted
        else:
            name, model = response_method(fitted, calibrated.method), calibrated
            scores = score_columns(fitted, name, rows.responses(name)[reading], calibrated.classes_)
            found = calibrated._calibrate([scores])
        return read_probabilities(model, found, len(rows.rows), classes)


@dataclass(eq=False)
class _RowSet:
    """Rows to predict, and what each method of the fitted estimator returned for them, by its name, by reading."""

    shared: SharedFits
    data: TrialData
    rows: NDArray[np.intp]
    seconds: float = 0.0
    _found: dict[str, list[Any]] = field(default_factory=dict)

    def responses(self, name: str) -> list[Any]:
        """Return what a method of the fitted estimator returns, once for each reading."""
        if name not in self._found:
            start, X = perf_counter(), take_rows(self.data.X, self.rows)
            self._found[name] = responses_of(self.shared.fitted, X, name, self.shared.readings)
            self.seconds += perf_counter() - start
        return self._found[name]
