"""ROC curves: the true positive rate against the false positive rate at every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.curves._curve import Curve
from calibrant.curves._ranked import read_ranked
from calibrant.curves._roc.folds import by_fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RocCurve", "roc"]


@fill_docstring()
@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Curve):
    """The points of a ROC curve from (0, 0) to (1, 1), connected by straight lines.

    Parameters
    ----------
    %(rates)s
    threshold : array of shape (n_points,)
        Rows with at least this probability are selected; infinite at (0, 0), NaN on a curve averaged over folds.

    Examples
    --------
    >>> roc([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    RocCurve: AUC 0.875, 4 points
    """

    _columns: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    threshold: NDArray[np.float64]

    @property
    def auc(self) -> float:
        """The area under the curve: the Mann-Whitney statistic, a tie counting one half."""
        return float((np.diff(self.fpr) * (self.tpr[1:] + self.tpr[:-1])).sum() / 2.0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}: AUC {self.auc:.4g}, {len(self.fpr)} points"


@fill_docstring()
def roc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    folds: Any = None,
    average: Literal["pooled", "vertical"] = "pooled",
) -> RocCurve:
    """Compute the ROC curve of one class against all others, with a point for every distinct probability.

    Predictions of several folds are ranked together ("pooled"), which assumes that the probabilities of the folds are
    comparable; or a curve is computed for each fold and the true positive rates are averaged at each false positive
    rate ("vertical"), as in Witten, Frank & Hall (2011, section 5.7). Where the curve of a fold rises vertically, so
    does the average: it has two points at that false positive rate.

    %(parameters)s
    folds : sequence of length n_rows, optional
        The fold in which each row was predicted; for `average="vertical"`.
    average : {"pooled", "vertical"}
        How the predictions of several folds are combined.

    %(returns_curve)s

    Examples
    --------
    >>> curve = roc(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4])
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    >>> roc([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3], folds=["a", "a", "b", "b"], average="vertical").to_frame()
       fpr  tpr  threshold
    0  0.0  0.0        NaN
    1  0.0  0.5        NaN
    2  1.0  0.5        NaN
    3  1.0  1.0        NaN
    """
    check_param("average", average, Choice("pooled", "vertical"))
    options = {"pos_label": pos_label, "labels": labels}
    if average == "pooled":
        return _curve(y_true, y_proba, sample_weight, options)
    parts = by_fold(folds, y_true, y_proba, sample_weight, options)
    return _vertical_average([_curve(*part) for part in parts])


def _curve(y_true: Any, y_proba: Any, sample_weight: Any, options: dict[str, Any]) -> RocCurve:
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, needs="a ROC curve", **options)
    tp, fp = ranked.cumulative()
    return RocCurve(fp / fp[-1], tp / tp[-1], ranked.thresholds())


def _vertical_average(curves: list[RocCurve]) -> RocCurve:
    """Average the curves at every false positive rate where one of them has a point, from the left and the right."""
    fpr = np.unique(np.concatenate([curve.fpr for curve in curves]))
    low, high = (np.mean([_height(curve, fpr, side) for curve in curves], axis=0) for side in ("left", "right"))
    points = np.stack([np.repeat(fpr, 2), np.stack([low, high], axis=1).ravel()])
    is_new = np.append(True, (np.diff(points) != 0).any(axis=0))
    return RocCurve(points[0, is_new], points[1, is_new], np.full(int(is_new.sum()), np.nan))


def _height(curve: RocCurve, fpr: NDArray[np.float64], side: Literal["left", "right"]) -> NDArray[np.float64]:
    """Return the limit of the true positive rate from one side; from the left it starts at 0."""
    position = np.searchsorted(curve.fpr, fpr, side=side)
    at_point = curve.tpr[np.clip(position if side == "left" else position - 1, 0, len(curve.tpr) - 1)]
    return np.where(np.isin(fpr, curve.fpr), at_point, np.interp(fpr, curve.fpr, curve.tpr))
