"""ROC points of schemes that decide but cannot rank: one for each ratio of costs and each fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._curve import Curve
from calibrant.curves._roc.folds import fold_codes
from calibrant.data._internal import check_weights, factorize
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions, read_more_labels, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RocPoints", "roc_by_cost_ratio"]


@dataclass(frozen=True, eq=False, repr=False)
class RocPoints(Curve):
    """A point for each ratio of costs and each fold, by rising ratio.

    Parameters
    ----------
    cost_ratio : array of shape (n_points,)
        What a positive row taken for a negative costs, over what a negative row taken for a positive does.
    fold : array of shape (n_points,)
        The fold.
    fpr, tpr : array of shape (n_points,)
        The rates of false and of true positives.

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
        """Average the rates of all folds, for each ratio of costs.

        Examples
        --------
        >>> points = roc_by_cost_ratio([0, 1, 0, 1], {2: [1, 1, 0, 1]}, folds=[1, 1, 2, 2])
        >>> points.mean().to_frame()
           cost_ratio      fold  fpr  tpr
        0         2.0  all of 2  0.5  1.0
        """
        ratio, place = np.unique(self.cost_ratio, return_inverse=True)
        fpr, tpr = (np.bincount(place, rate) / np.bincount(place) for rate in (self.fpr, self.tpr))
        n_folds = len(np.unique(self.fold))
        return RocPoints(ratio, np.full(len(ratio), f"all of {n_folds}"), fpr, tpr)

    def __repr__(self) -> str:
        ratios, folds = len(np.unique(self.cost_ratio)), len(np.unique(self.fold))
        return f"RocPoints: {ratios} cost ratio{'s' * (ratios > 1)}, {folds} fold{'s' * (folds > 1)}"


def roc_by_cost_ratio(
    y_true: Any, decisions: Mapping[float, Any], *, folds: Any = None, sample_weight: Any = None, pos_label: Any = None
) -> RocPoints:
    """Return the ROC points of a scheme that was trained with several ratios of costs.

    A scheme that only decides has no curve, but training it with weights that make positives dearer and dearer moves
    its decisions along one (Witten, Frank & Hall 2011, section 5.7).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    decisions : dict of ratio to sequence of length n_rows
        For each ratio of costs, the class that each row was given by the scheme trained with it.
    folds : sequence of length n_rows, optional
        The fold that each row was predicted in; by default all are one.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.

    Returns
    -------
    RocPoints
        The points.

    Examples
    --------
    >>> roc_by_cost_ratio([0, 1, 1, 0], {1: [0, 1, 0, 0], 10: [1, 1, 1, 0]}).to_frame()
       cost_ratio  fold  fpr  tpr
    0         1.0     0  0.0  0.5
    1        10.0     0  0.5  1.0
    """
    if not isinstance(decisions, Mapping) or not decisions:
        raise ParameterError("decisions must be a dict of cost ratio to the classes decided for; got none.")
    read = _read(y_true, sample_weight, pos_label)
    of_row, names = fold_codes(np.zeros(read.n_given, dtype=int) if folds is None else folds, read.n_given)
    cells = of_row[read.rows] * 2 + (read.label == read.positive)
    total = np.bincount(cells, read.weight, 2 * len(names)).reshape(-1, 2).astype(np.float64)
    if not (total > 0).all():
        raise DataError("each fold needs rows of the positive class and of another; join folds, or pass pos_label=.")
    ratios = sorted(decisions)
    rates = np.concatenate([_rates(read, decisions[ratio], cells, total) for ratio in ratios])
    return RocPoints(np.repeat(np.array(ratios, float), len(names)), np.tile(names, len(ratios)), *rates.T)


def _read(y_true: Any, sample_weight: Any, pos_label: Any) -> Predictions:
    """Read the classes alone: the door wants probabilities, whatever they are."""
    codes = factorize(y_true).codes
    weights = check_weights(sample_weight, len(codes))
    n_classes = len(np.unique(codes if weights is None else codes[weights > 0]))
    n_columns = n_classes if n_classes > 2 else 1
    any_ = np.full((len(codes), n_columns), 1.0 / n_columns)
    return read_predictions(y_true, any_, sample_weight=sample_weight, pos_label=pos_label)


def _rates(read: Predictions, decided: Any, cells: NDArray[np.intp], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rates of false and true positives, a row a fold."""
    taken = (read_more_labels("decisions", decided, read) == read.positive) * read.weight
    return np.asarray(np.bincount(cells, taken, total.size).reshape(-1, 2) / total)
