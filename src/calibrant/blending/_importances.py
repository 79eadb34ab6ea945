"""The increase of a blend's log-loss on held-out rows when a column is permuted (Breiman 2001)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from calibrant._progress import progress
from calibrant._random import stream
from calibrant.blending._blend import Blend, mean_with_error, row_losses
from calibrant.blending._measured_rows import MeasuredRows, foreign_members
from calibrant.data._internal import Schema
from calibrant.ensembles import PermutationImportances


def blend_importances(
    blend: Blend, rows: MeasuredRows, schema: Schema, n_repeats: int, seed: np.random.SeedSequence, n_threads: int
) -> PermutationImportances:
    """Return the importance of each column to a blend on rows that it was fitted without."""
    if not foreign_members(blend):
        rows = replace(rows, X=None)
    with threadpool_limits(1):
        before = _losses(blend, rows, n_threads)
        loss, _, _ = mean_with_error(before, rows.weight, rows.groups)
        figures = np.zeros((len(schema.features), 2))
        with progress(total=len(figures), description="Permuting columns") as bar:
            for column in range(len(figures)):
                increase = np.zeros_like(before)
                for repeat in range(n_repeats):
                    order = stream(seed, repeat, column).permutation(len(before))
                    increase += _losses(blend, _permuted(rows, schema, column, order), n_threads) - before
                figures[column] = mean_with_error(increase / n_repeats, rows.weight, rows.groups)[:2]
                bar.advance()
    means, errors = figures.T
    return PermutationImportances(schema.names, means, errors, loss, "log_loss", n_repeats, "held-out")


def _losses(blend: Blend, rows: MeasuredRows, n_threads: int) -> NDArray[np.float64]:
    return row_losses(blend.proba(rows.to_predict, n_threads), rows.codes)


def _permuted(rows: MeasuredRows, schema: Schema, column: int, order: NDArray[np.intp]) -> MeasuredRows:
    columns = [each[order] if j == column else each for j, each in enumerate(rows.columns)]
    return replace(rows, columns=columns, X=None if rows.X is None else _permuted_table(rows.X, schema, column, order))


def _permuted_table(X: Any, schema: Schema, column: int, order: NDArray[np.intp]) -> Any:
    """Return rows as passed with the values of one fitted column in another order."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[schema.locate(frame.columns)[column]]
        return frame.with_columns(frame[name][order.tolist()]).to_native()
    array = np.array(X) if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    array[:, column] = array[order, column]
    return array
