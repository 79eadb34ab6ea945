"""The time limit of a comparison: when trials must end, so that all that follows them ends in time too."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant.studies.study import Study

__all__ = ["TimeLimit", "fit_seconds"]

# Processor time of what follows the trials: intervals, tests, the verdict, money; and by row. Chosen so that
# `benchmarks/cli.py` ends in time on adult, covertype and coil2000.
_SUMMARY_SECONDS, _SECONDS_A_ROW = 2.0, 2e-5
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.75  # of the limit, kept for what follows the trials
_GRACE = 0.1  # of the limit, by which the fit of the best method may exceed it
_SHORT_FIT = 0.05  # of the limit: a fit that is expected to be shorter ends in time also in this process
_CHECK_SHARE = 0.02  # of the limit, between two looks at the trials that are recorded


class TimeLimit:
    """The time that a comparison may take from now on.

    Trials end early enough for the summary and for fitting the best method so far to all rows, if there is still time
    for that; else they go on, and the best method is fitted when the comparison is run again. A second of processor
    time takes longer on a busy machine, as much as it did from the start to `begin_trials`.

    Parameters
    ----------
    seconds : float or None
        The limit; None: there is none.

    Examples
    --------
    >>> limit = TimeLimit(3600)
    >>> limit.begin_trials(n_rows=1000, fit_seconds=lambda: 10.0)
    >>> limit.is_over()
    False
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._start, self._processor = time.monotonic(), time.process_time()
        self._before = self._summary = 0.0
        self._fit_seconds: Callable[[], float | None] = lambda: None
        self._expected: float | None = None
        self._next_check = -math.inf

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.seconds - (time.monotonic() - self._start)

    def left_for_fit(self, expected: float) -> float:
        """Return the seconds after which a fit to all rows is ended; infinite where it is expected to be short."""
        return math.inf if expected <= _SHORT_FIT * self.seconds else self.left + _GRACE * self.seconds

    def needed(self, fit_seconds: float) -> float:
        """Return a limit within which a fit to all rows can be expected to end."""
        return self._before + self._summary + fit_seconds / (1 - _GRACE)

    def begin_trials(self, n_rows: int, fit_seconds: Callable[[], float | None]) -> None:
        """Keep time for what follows the trials, which begin now.

        Parameters
        ----------
        n_rows : int
            Number of rows of the table.
        fit_seconds : function
            Returns the seconds that fitting the best method so far to all rows would take; None before the first trial.
        """
        self._before = time.monotonic() - self._start
        slowdown = max(1.0, self._before / max(time.process_time() - self._processor, 1e-3))
        needed = slowdown * (_SUMMARY_SECONDS + _SECONDS_A_ROW * n_rows)
        self._summary = min(max(needed, _LEAST_SHARE * self.seconds), _MOST_SHARE * self.seconds)
        self._fit_seconds = fit_seconds

    def is_over(self) -> bool:
        """Return whether trials must end now."""
        if time.monotonic() >= self._next_check:
            self._expected = self._fit_seconds()
            self._next_check = time.monotonic() + _CHECK_SHARE * self.seconds
        if self._expected is None:  # nothing can be summarised before a trial is recorded
            return self.left <= _LEAST_SHARE * self.seconds
        left = self.left - self._summary
        return left <= 0 or left <= self._expected <= left + _GRACE * self.seconds


def fit_seconds(study: Study, metric: str, n_rows: int, method: str | None = None) -> float | None:
    """Return the seconds that a method, by default the best so far, would take to be fitted to all rows.

    Fits are taken to be linear in the number of rows. None before a trial is finished.
    """
    results = study.results([metric])
    trials = results.to_frame()
    trials = trials[(trials["state"] == "done") & np.isfinite(trials[metric].astype(float))]
    if not len(trials):
        return None
    seconds = trials[["fit_seconds", "predict_seconds", "shared_seconds"]].sum(axis=1) * n_rows / trials["n_train"]
    means = trials.assign(seconds=seconds).groupby("method", observed=True)[[metric, "seconds"]].mean()
    if method is not None:
        return float(means["seconds"].get(method, 0.0))
    best = int(np.argmin(results.facts(metric).losses(means[metric].to_numpy(dtype=float))))
    return float(means["seconds"].iloc[best])
