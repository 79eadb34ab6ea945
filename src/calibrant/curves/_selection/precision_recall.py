"""Precision-recall curves: how pure what is found is, against how much of what there is is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._curve import Curve
from calibrant.curves._ranked import read_ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PrecisionRecallCurve", "precision_recall"]


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Curve):
    """A point for each threshold, by falling threshold and so rising recall.

    There is no point where nothing is selected: it has no precision.

    Parameters
    ----------
    recall, precision : array of shape (n_points,)
        The share of the positives that is selected, and the share of the selected that is positive.
    threshold : array of shape (n_points,)
        Rows with at least this probability are selected.
    base_rate : float
        The precision of selecting all rows, or any by chance.

    Examples
    --------
    >>> precision_recall([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    PrecisionRecallCurve: average precision 0.8333 (base rate 0.5), 3 points
    """

    _columns: ClassVar[tuple[str, ...]] = ("recall", "precision", "threshold")

    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    threshold: NDArray[np.float64]
    base_rate: float

    @property
    def average_precision(self) -> float:
        """The mean of the precision over the steps of the recall."""
        return float((np.diff(self.recall, prepend=0.0) * self.precision).sum())

    def interpolated(self, recall: Any) -> NDArray[np.float64]:
        """Return the best precision at some level of recall or a higher one, as information retrieval does.

        Examples
        --------
        >>> precision_recall([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).interpolated([0.2, 0.8])
        array([1.        , 0.66666667])
        """
        best = np.maximum.accumulate(self.precision[::-1])[::-1]
        return np.asarray(best[np.searchsorted(self.recall, np.minimum(recall, self.recall[-1]))])

    def __repr__(self) -> str:
        area = f"average precision {self.average_precision:.4g} (base rate {self.base_rate:.4g})"
        return f"PrecisionRecallCurve: {area}, {len(self.recall)} points"


def precision_recall(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in sorted order, or in the order of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    PrecisionRecallCurve
        The curve.

    Examples
    --------
    >>> precision_recall(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4]).to_frame()
       recall  precision  threshold
    0     0.5   1.000000        0.9
    1     1.0   0.666667        0.4
    2     1.0   0.500000        0.2
    """
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    ranked = read_ranked(y_true, y_proba, needs="a precision-recall curve", **options)
    found, wrong = (part[1:] for part in ranked.cumulative())
    precision = found / (found + wrong)
    return PrecisionRecallCurve(found / found[-1], precision, ranked.score, float(precision[-1]))
