"""Held-out scores by folds: a model for each fold, fitted without it, and one for all rows of the sample."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from calibrant.blending._member import FittedMember

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table import BlendTable

__all__ = ["cross_validated"]

M = TypeVar("M")
T = TypeVar("T")

_POLL_SECONDS = 0.1  # a main thread that waits without a timeout does not receive Ctrl-C


def cross_validated(
    family: str,
    fit: Callable[[NDArray[np.intp], NDArray[np.float64]], M],
    score: Callable[[M, NDArray[np.intp]], NDArray[np.float64]],
    table: BlendTable,
) -> FittedMember:
    """Return a member: the model of all sampled rows, and the scores of the pieces by models fitted without them.

    Parameters
    ----------
    family : str
        The name of the member.
    fit : callable
        Fits a model to rows, by position, with their weights.
    score : callable
        Returns the class probabilities of rows, by position.
    table : BlendTable
        The rows and folds.
    """

    def run(fold: int | None) -> tuple[M, NDArray[np.float64] | None]:
        weights = table.weights_outside(fold)
        rows = np.flatnonzero(weights)
        model = fit(rows, weights[rows])
        if fold is None:
            return model, None
        return model, score(model, table.sample.rows[table.held_out_of(fold)])

    folds = table.sample.folds
    # Of convergence, few rows and the like: no news to the blend. Filters are global, so no thread may change them
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The longest fit first, so that no thread is idle at the end
        (whole, _), *parts = _run_in_threads(run, [None, *folds], table)
    held_out = np.empty((table.sample.n_pieces, table.n_classes))
    for fold, (_, scores) in zip(folds, parts, strict=True):
        held_out[table.held_out_of(fold)] = scores
    return FittedMember(family, (family,), (held_out,), whole)


def _run_in_threads(work: Callable[[Any], T], arguments: Sequence[Any], table: BlendTable) -> list[T]:
    """Return the results of the work in the order of its arguments; the same for any number of threads.

    The stop of the table ends the work, and so does an exception, such as Ctrl-C: at once in the core, elsewhere
    before the next argument.
    """

    def run(argument: Any) -> T:
        table.stop.check()
        return work(argument)

    if table.n_threads == 1 or len(arguments) == 1:
        return [run(each) for each in arguments]
    with ThreadPoolExecutor(table.n_threads, initializer=table.stop.watch) as pool:
        running = [pool.submit(run, each) for each in arguments]
        try:
            return [_wait_for(each) for each in running]
        except BaseException:  # only the main thread receives Ctrl-C
            table.stop.request()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _wait_for(running: Future[T]) -> T:
    """Return the result of work in another thread; Ctrl-C is received meanwhile."""
    while wait([running], _POLL_SECONDS).not_done:
        pass
    return running.result()
