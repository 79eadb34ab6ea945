"""Validation of the numbers for each column: attribute weights, limits, and finite values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._numbers import as_floats
from calibrant._params import Rule
from calibrant.exceptions import DataError, ParameterError
from calibrant.neighbors._gains import gains_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Columns, Schema, TrainingRows
    from calibrant.neighbors._space import Scale

__all__ = ["Numbers", "check_finite", "column_weights", "read_scale"]

_MOST = 1e100  # with a greater attribute weight squared distances would overflow


@dataclass(frozen=True)
class Numbers(Rule):
    """Numbers for each column, in one row or more.

    Examples
    --------
    >>> [1, 2.5] in Numbers(1), "gain" in Numbers(1), [[0, 0], [1, 9]] in Numbers(2)
    (True, False, True)
    """

    n_dimensions: int

    def __contains__(self, value: object) -> bool:
        try:
            array = np.asarray(value)
        except ValueError:
            return False
        return array.ndim == self.n_dimensions and array.dtype.kind in "biuf"

    def _words(self) -> tuple[str, ...]:
        return ("a number for each column" if self.n_dimensions == 1 else "a low and a high number for each column",)


def column_weights(rows: TrainingRows, attribute_weights: Any, *, relative: bool) -> NDArray[np.float64]:
    """Return the weight of each column: as specified, or its gain; 1 for all where all gains are 0."""
    n_columns = len(rows.columns.arrays)
    weights = np.ones(n_columns)
    if isinstance(attribute_weights, str):
        gains = gains_of(rows, "info_gain" if attribute_weights == "info_gain" else "gain_ratio")
        weights = gains if gains.any() else weights
    elif attribute_weights is not None:
        weights = as_floats(attribute_weights).copy()
        _check_weights(weights, n_columns)
    weights = np.where([_has_values(array) for array in rows.columns.arrays], weights, 0.0)
    return weights / weights.max() if relative and weights.any() else weights


def read_scale(scale: Any, columns: Columns) -> Scale:
    """Return validated limits; names and None stay as they are."""
    if scale is None or isinstance(scale, str):
        return scale  # type: ignore[return-value]
    limits = as_floats(scale).copy()
    if limits.shape != (2, len(columns.arrays)):
        raise ParameterError(
            f"scale has shape {limits.shape}; expected (2, {len(columns.arrays)}), the lower limits of all columns and "
            "then the upper ones."
        )
    for feature, (low, high) in zip(columns.schema.features, limits.T, strict=True):
        if feature.kind == "numeric" and not -np.inf < low <= high < np.inf:
            raise ParameterError(
                f"scale must have a finite lower and upper limit for column {feature.name!r}; got {low} and {high}."
            )
    return limits


def _check_weights(weights: NDArray[np.float64], n_columns: int) -> None:
    if len(weights) != n_columns:
        raise ParameterError(
            f"attribute_weights has {len(weights)} numbers for {n_columns} columns; pass one for each."
        )
    if not ((weights >= 0) & (weights <= _MOST)).all() or not weights.any():
        raise ParameterError(
            f"attribute_weights must be in [0, {_MOST:g}], and not all 0; got {weights.min():g} to {weights.max():g}."
        )


def _has_values(array: NDArray[Any]) -> bool:
    return bool((array >= 0).any() if array.dtype.kind == "i" else (~np.isnan(array)).any())


def check_finite(schema: Schema, arrays: Any) -> None:
    """Raise if a value is infinite, and so equally far from everything.

    Examples
    --------
    >>> from calibrant.data._frames.columns import fit_columns
    >>> columns = fit_columns([[1.0], [float("inf")]])
    >>> check_finite(columns.schema, columns.arrays)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: column 'x0' contains infinity (first at row 1), which is equally far from every...
    """
    for feature, array in zip(schema.features, arrays.T if isinstance(arrays, np.ndarray) else arrays, strict=True):
        if feature.kind == "numeric" and (wrong := np.isinf(array)).any():
            raise DataError(
                f"column {feature.name!r} contains infinity (first at row {np.flatnonzero(wrong)[0]}), which is "
                "equally far from every number; pass the greatest possible value, or NaN where it is missing."
            )
