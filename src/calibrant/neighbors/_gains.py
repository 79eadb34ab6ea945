"""How much each column tells of the class: information gain and gain ratio, as Weka's evaluators have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import entr

from calibrant._params import Choice, check_param
from calibrant.data import CodedTable
from calibrant.data._internal import Nominal, TrainingRows, interval_codes, mdl_cuts, read_training_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gain", "attribute_gains", "gains_of"]

Gain = Literal["gain_ratio", "info_gain"]

_NOTHING = 1e-6  # bits: a smaller gain is none


def attribute_gains(
    X: Any, y: Any, *, kind: Gain = "gain_ratio", sample_weight: Any = None, nominal: Nominal = "auto"
) -> NDArray[np.float64]:
    """Say how much each column tells of the class, in bits or as a share of its own information.

    Numeric columns are cut into intervals first, by Fayyad and Irani's rule with the cost of a cut that counts only
    the places where values differ, so that a column without an accepted cut tells nothing. Rows where a value is
    unknown are shared out over the values in proportion to their frequency, whatever the class.

    Parameters
    ----------
    X : frame or array of shape (n_rows, n_columns)
        The table: of pandas, polars or pyarrow, or an array.
    y : sequence of length n_rows
        The class of each row.
    kind : {"gain_ratio", "info_gain"}
        The information gain divided by the entropy of the column's values (0 where it gains less than 1e-6 bits), or
        the gain itself.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    nominal : "auto", "all", or a sequence of names, positions or truth values
        Which other columns to take as nominal.

    Returns
    -------
    array of shape (n_columns,)
        In the order of the columns.

    Notes
    -----
    The figures are those of Weka's GainRatioAttributeEval and InfoGainAttributeEval.

    Examples
    --------
    >>> X = [["hot", 7], ["hot", 5], ["cool", 6], ["cool", 7], [None, 5]]
    >>> attribute_gains(X, ["no", "no", "yes", "yes", "yes"]).round(4)
    array([0.61, 0.  ])
    """
    check_param("kind", kind, Choice("gain_ratio", "info_gain"))
    return gains_of(read_training_rows(X, y, sample_weight, nominal=nominal), kind)


def gains_of(rows: TrainingRows, kind: Gain) -> NDArray[np.float64]:
    """Do the same for rows past the door."""
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
    """Count values with classes, the unknown ones shared out."""
    cells = (codes.astype(np.intp) + 1) * n_classes + labels
    counts = np.bincount(cells, weights, (n_values + 1) * n_classes).reshape(n_values + 1, n_classes)
    unknown, known = counts[0], counts[1:].astype(np.float64)
    total = known.sum()
    return known + np.outer(known.sum(axis=1) / total, unknown) if total > 0 else known


def _gain(table: NDArray[np.float64], kind: Gain) -> float:
    if np.count_nonzero(table.sum(axis=1)) < 2:
        return 0.0
    of_class, of_value, of_both = (_entropy(counts) for counts in (table.sum(axis=0), table.sum(axis=1), table.ravel()))
    gain = max(of_class + of_value - of_both, 0.0)
    if kind == "info_gain":
        return gain
    return gain / of_value if gain > _NOTHING else 0.0


def _entropy(counts: NDArray[np.float64]) -> float:
    terms = entr(counts / counts.sum())
    return float(np.sort(terms).sum() / np.log(2))  # sorted: whatever the order of categories, the same to the bit
