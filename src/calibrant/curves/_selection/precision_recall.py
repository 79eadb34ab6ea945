"""Precision-recall curves: precision against recall at every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.curves._curve import Curve
from calibrant.curves._ranked import read_ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PrecisionRecallCurve", "precision_recall"]


@fill_docstring()
@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Curve):
    """A point for each threshold, by decreasing threshold and so increasing recall.

    There is no point for an empty selection, whose precision is undefined.

    Parameters
    ----------
    recall, precision : array of shape (n_points,)
        The share of the positives that are selected, and the share of the selected rows that are positive.
    %(selecting_threshold)s
    base_rate : float
        The precision of selecting all rows, or rows at random.

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
        """The precision averaged over the increments of recall."""
        return float((np.diff(self.recall, prepend=0.0) * self.precision).sum())

    def interpolated(self, recall: Any) -> NDArray[np.float64]:
        """Return the best precision at a recall or a higher one, the interpolation of information retrieval.

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


@fill_docstring()
def precision_recall(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> PrecisionRecallCurve:
    """Compute precision and recall at every threshold.

    %(curve_sections)s

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
    tp, fp = (counts[1:] for counts in ranked.cumulative())
    precision = tp / (tp + fp)
    return PrecisionRecallCurve(tp / tp[-1], precision, ranked.score, float(precision[-1]))
