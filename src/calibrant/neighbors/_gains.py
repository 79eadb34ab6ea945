"""Information gain and gain ratio of each column, as in Weka's evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import entr

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.data import CodedTable
from calibrant.data._internal import Nominal, TrainingRows, interval_codes, mdl_cuts, read_training_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gain", "attribute_gains", "gains_of"]

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
