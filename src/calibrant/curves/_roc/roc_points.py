"""ROC points of classifiers that decide but do not rank: one for each cost ratio and each fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.curves._curve import Curve
from calibrant.curves._ranked import read_one_class
from calibrant.curves._roc.folds import fold_codes
from calibrant.data._internal import check_weights, factorize
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions, read_more_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RocPoints", "roc_by_cost_ratio"]


@fill_docstring()
@dataclass(frozen=True, eq=False, repr=False)
class RocPoints(Curve):
    """A point for each cost ratio and each fold, by increasing ratio.

    Parameters
    ----------
    cost_ratio : array of shape (n_points,)
        The cost of a false negative divided by the cost of a false positive.
    fold : array of shape (n_points,)
        The fold.
    %(rates)s

    Examples
    --------
    >>> roc_by_cost_ratio([0, 1, 1, 0], {1: [0, 1, 0, 0], 10: [1, 1, 1, 0]})
    RocPoints: 2 cost ratios, 1 fold
    """

    _columns: ClassVar[tuple[str, ...]] = ("cost_ratio", "fold", "fpr", "tpr")

    cost_ratio: NDArray[np.float64]
    fold: NDArray[Any]
    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]

    def mean(self) -> RocPoints:
        """Average the rates over the folds, for each cost ratio.

        Examples
        --------
        >>> points = roc_by_cost_ratio([0, 1, 0, 1], {2: [1, 1, 0, 1]}, folds=[1, 1, 2, 2])
        >>> points.mean().to_frame()
           cost_ratio      fold  fpr  tpr
        0         2.0  all of 2  0.5  1.0
        """
        ratio, index = np.unique(self.cost_ratio, return_inverse=True)
        fpr, tpr = (np.bincount(index, rate) / np.bincount(index) for rate in (self.fpr, self.tpr))
        n_folds = len(np.unique(self.fold))
        return RocPoints(ratio, np.full(len(ratio), f"all of {n_folds}"), fpr, tpr)

    def __repr__(self) -> str:
        ratios, folds = len(np.unique(self.cost_ratio)), len(np.unique(self.fold))
        return f"RocPoints: {ratios} cost ratio{'s' * (ratios > 1)}, {folds} fold{'s' * (folds > 1)}"


@fill_docstring()
def roc_by_cost_ratio(
    y_true: Any, decisions: Mapping[float, Any], *, folds: Any = None, sample_weight: Any = None, pos_label: Any = None
) -> RocPoints:
    """Compute the ROC points of a classifier that was trained with several cost ratios.

    A classifier that only decides has no ROC curve, but training it with increasing weights of the positive class moves
    its decisions along one (Witten, Frank & Hall 2011, section 5.7).

    Parameters
    ----------
    %(y_true)s
    decisions : dict of ratio to sequence of length n_rows
        For each cost ratio, the classes predicted by the classifier trained with it.
    folds : sequence of length n_rows, optional
        The fold in which each row was predicted; by default all rows are in one.
    %(row_weight)s
    %(pos_label)s

    %(returns)s
        The points.

    Examples
    --------
    >>> roc_by_cost_ratio([0, 1, 1, 0], {1: [0, 1, 0, 0], 10: [1, 1, 1, 0]}).to_frame()
       cost_ratio  fold  fpr  tpr
    0         1.0     0  0.0  0.5
    1        10.0     0  0.5  1.0
    """
    if not isinstance(decisions, Mapping) or not decisions:
        raise ParameterError("decisions must be a dict of cost ratio to predicted classes; got none.")
    read = _read_classes(y_true, sample_weight, pos_label)
    of_row, names = fold_codes(np.zeros(read.n_input_rows, dtype=int) if folds is None else folds, read.n_input_rows)
    cells = of_row[read.rows] * 2 + (read.label == read.positive)
    total = np.bincount(cells, read.weight, 2 * len(names)).reshape(-1, 2).astype(np.float64)
    if not (total > 0).all():
        raise DataError("each fold needs rows of the positive class and of another; merge folds, or pass pos_label=.")
    ratios = sorted(decisions)
    rates = np.concatenate([_rates(read, decisions[ratio], cells, total) for ratio in ratios])
    return RocPoints(np.repeat(np.array(ratios, float), len(names)), np.tile(names, len(ratios)), *rates.T)


def _read_classes(y_true: Any, sample_weight: Any, pos_label: Any) -> Predictions:
    """Validate the classes; input validation expects probabilities, so uniform ones stand in."""
    codes = factorize(y_true).codes
    weights = check_weights(sample_weight, len(codes))
    n_classes = len(np.unique(codes if weights is None else codes[weights > 0]))
    n_columns = n_classes if n_classes > 2 else 1
    uniform = np.full((len(codes), n_columns), 1.0 / n_columns)
    return read_one_class(y_true, uniform, sample_weight, pos_label, None, "a ROC point")


def _rates(read: Predictions, decided: Any, cells: NDArray[np.intp], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the false and true positive rates, one row for each fold."""
    selected = (read_more_labels("decisions", decided, read) == read.positive) * read.weight
    return np.asarray(np.bincount(cells, selected, total.size).reshape(-1, 2) / total)
