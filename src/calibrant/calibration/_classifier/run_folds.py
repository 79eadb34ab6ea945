"""Folds fitted at once: in threads for our own learners, else in joblib's processes once those pay for their start."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from calibrant._fit_warnings import collect_warnings, pass_on
from calibrant.calibration._classifier.response import final_step

__all__ = ["fits_in_threads", "run_folds"]

T = TypeVar("T")

_FEW_ROWS = 5_000  # up to here most models are fitted sooner than processes start, so the first fold is timed
_START = 2.0  # seconds: what starting joblib's processes takes; 2 to 17 were measured on two cores


def run_folds(
    fit: Callable[..., T], folds: Sequence[tuple[Any, ...]], *, estimator: Any, n_rows: int, n_jobs: int | None
) -> list[T]:
    """Return ``fit(*fold)`` for each fold; the result is the same for any number of jobs.

    Parameters
    ----------
    fit : callable
        Fits the model of a fold.
    folds : sequence of tuple
        The arguments of `fit`.
    estimator : classifier
        What is fitted: our own learners release the lock of the interpreter and are fitted in threads.
    n_rows : int
        Number of rows. With few, the first fold of another estimator is fitted in this process, and the others too if
        that takes less time than starting processes.
    n_jobs : int or None
        Folds fitted at once, counted as joblib counts.

    Returns
    -------
    list
        The results in the order of the folds.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> run_folds(pow, [(2, 3), (3, 2)], estimator=GaussianNB(), n_rows=100, n_jobs=2)
    [8, 9]
    """
    if fits_in_threads(estimator):
        with warnings.catch_warnings():  # threads that filter warnings may restore each other's filters
            return _run_parallel(fit, folds, n_jobs, prefer="threads")
    done: list[T] = []
    if n_rows <= _FEW_ROWS and _starts_processes(n_jobs):
        start = time.perf_counter()
        done = [fit(*folds[0])]
        if (time.perf_counter() - start) * (len(folds) - 1) < _START:
            n_jobs = 1
    return done + _run_parallel(fit, folds[len(done) :], n_jobs)


def _run_parallel(
    fit: Callable[..., T], folds: Sequence[tuple[Any, ...]], n_jobs: int | None, *, prefer: str | None = None
) -> list[T]:
    jobs = (delayed(collect_warnings)(fit, *fold) for fold in folds)
    found = list(Parallel(n_jobs=n_jobs, prefer=prefer)(jobs))
    for _, warned in found:
        pass_on(warned)
    return [result for result, _ in found]


def fits_in_threads(estimator: Any) -> bool:
    """Return whether an estimator, the last step of a pipeline, is one of ours and holds none of somebody else's.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> fits_in_threads(ProbabilityTreeClassifier()), fits_in_threads(GaussianNB())
    (True, False)
    """
    last = final_step(estimator)
    held = (value for value in last.get_params().values() if hasattr(value, "fit")) if _is_ours(last) else ()
    return _is_ours(last) and all(_is_ours(value) for value in held)


def _is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("calibrant.")


def _starts_processes(n_jobs: int | None) -> bool:
    backend = get_active_backend()[0]
    return type(backend).__name__ == "LokyBackend" and effective_n_jobs(n_jobs) > 1
