"""Weights and scales of columns: as passed, or by the information of a column about the class.

Information gain and gain ratio are those of Weka's evaluators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._params import Choice, Rule, check_param
from calibrant.data import CodedTable
from calibrant.data._internal import (
    Columns,
    Nominal,
    Schema,
    TrainingRows,
    interval_codes,
    mdl_cuts,
    read_training_rows,
)
from calibrant.exceptions import DataError, ParameterError
from calibrant.neighbors._space import Scale

Gain = Literal["gain_ratio", "info_gain"]

_NEGLIGIBLE = 1e-6  # bits: Weka takes a smaller gain for 0


@fill_docstring()
def attribute_gains(
    X: Any, y: Any, *, kind: Gain = "gain_ratio", sample_weight: Any = None, nominal: Nominal = "auto"
) -> NDArray[np.float64]:
    """Return the gain ratio or the information gain of each column about the class.

    Numeric columns are cut into intervals first, by Fayyad and Irani's rule with a cost of a cut that counts only
    the boundaries between distinct values, so a column without an accepted cut has gain 0. Rows with a missing
    value are distributed over the values in proportion to their frequency, whatever the class.

    Parameters
    ----------
    %(X)s
    %(y)s
    kind : {"gain_ratio", "info_gain"}
        The information gain divided by the entropy of the column's values (0 where it gains less than 1e-6 bits), or
        the gain itself.
    %(sample_weight)s
    %(nominal)s

    Returns
    -------
    array of shape (n_columns,)
        In the order of the columns.

    Notes
    -----
    The values are those of Weka's GainRatioAttributeEval and InfoGainAttributeEval.

    Examples
    --------
    >>> X = [["hot", 7], ["hot", 5], ["cool", 6], ["cool", 7], [None, 5]]
    >>> attribute_gains(X, ["no", "no", "yes", "yes", "yes"]).round(4)
    array([0.61, 0.  ])
    """
    check_param("kind", kind, Choice("gain_ratio", "info_gain"))
    return gains_of(read_training_rows(X, y, sample_weight, nominal=nominal), kind)


def gains_of(rows: TrainingRows, kind: Gain) -> NDArray[np.float64]:
    """Return the gains of validated rows."""
    columns, labels = rows.columns, rows.labels
    n_classes = len(labels.classes)
    cuts = mdl_cuts(CodedTable.from_columns(columns), labels.codes, n_classes, rows.weights, among="values")
    gains = np.zeros(len(columns.arrays))
    for j, (feature, array) in enumerate(zip(columns.schema.features, columns.arrays, strict=True)):
        codes, n_values = array, len(feature.categories)
        if feature.kind == "numeric":
            codes, n_values = interval_codes(array, cuts[j]), len(cuts[j]) + 1
        gains[j] = _gain(_contingency(codes, n_values, labels.codes, n_classes, rows.weights), kind)
    return gains


def _contingency(
    codes: NDArray[Any], n_values: int, labels: NDArray[Any], n_classes: int, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the weight of each value and class, rows with a missing value distributed over the values."""
    cells = (codes.astype(np.intp) + 1) * n_classes + labels
    counts = np.bincount(cells, weights, (n_values + 1) * n_classes).reshape(n_values + 1, n_classes)
    missing, known = counts[0], counts[1:].astype(np.float64)
    total = known.sum()
    return known + np.outer(known.sum(axis=1) / total, missing) if total > 0 else known


def _gain(table: NDArray[np.float64], kind: Gain) -> float:
    if np.count_nonzero(table.sum(axis=1)) < 2:
        return 0.0
    of_class, of_value, of_both = (_entropy(counts) for counts in (table.sum(axis=0), table.sum(axis=1), table.ravel()))
    gain = max(of_class + of_value - of_both, 0.0)
    if kind == "info_gain":
        return gain
    return gain / of_value if gain > _NEGLIGIBLE else 0.0


def _entropy(counts: NDArray[np.float64]) -> float:
    terms = entr(counts / counts.sum())
    return float(np.sort(terms).sum() / np.log(2))  # sorted: the same bits for any order of categories


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
    known = (each >= 0 if each.dtype.kind == "i" else ~np.isnan(each) for each in rows.columns.arrays)
    weights = np.where([each.any() for each in known], weights, 0.0)
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
