"""ROC curves: the true positive rate against the false positive rate, at every threshold or for every cost ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.curves._curve import Curve, read_one_class, read_ranked
from calibrant.data._internal import check_weights, factorize
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import Predictions


def fold_codes(folds: Any, n_rows: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], list[Any]]:
    """Return the index of each row's fold, and the names of the folds.

    Examples
    --------
    >>> fold_codes(["b", "a", "b"], 3)
    (array([1, 0, 1]), ['a', 'b'])
    """
    coded = factorize(folds)
    if len(coded.codes) != n_rows or (coded.codes < 0).any():
        raise DataError(
            f"folds must name a fold for each of the {n_rows} rows; got {len(coded.codes)}, or missing values."
        )
    names, index = np.unique(np.asarray(coded.categories), return_inverse=True)
    return index[coded.codes].astype(np.intp), names.tolist()


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
    if folds is None:
        raise ParameterError('folds must be passed with average="vertical": the fold in which each row was predicted.')
    read = read_one_class(y_true, y_proba, sample_weight, **options, who="a ROC curve")
    of_row = fold_codes(folds, read.n_input_rows)[0][read.rows]
    known = {"labels": read.classes.tolist(), "pos_label": read.classes.tolist()[read.positive]}
    parts = (of_row == fold for fold in np.unique(of_row))
    labels = read.classes[read.label]
    return _vertical_average([_curve(labels[part], read.proba[part], read.weight[part], known) for part in parts])


def _curve(y_true: Any, y_proba: Any, sample_weight: Any, options: dict[str, Any]) -> RocCurve:
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, needs="a ROC curve", **options)
    tp, fp = ranked.cumulative()
    return RocCurve(fp / fp[-1], tp / tp[-1], ranked.thresholds())


def _vertical_average(curves: list[RocCurve]) -> RocCurve:
    """Average the curves at every false positive rate where one of them has a point, from the left and the right."""
    fpr = np.unique(np.concatenate([curve.fpr for curve in curves]))
    heights = []
    for side in ("left", "right"):  # the limit of the true positive rate from there; from the left it starts at 0
        rates = []
        for curve in curves:
            step = np.searchsorted(curve.fpr, fpr, side=side) - (side == "right")
            at_point = curve.tpr[np.clip(step, 0, len(curve.tpr) - 1)]
            rates.append(np.where(np.isin(fpr, curve.fpr), at_point, np.interp(fpr, curve.fpr, curve.tpr)))
        heights.append(np.mean(rates, axis=0))
    points = np.stack([np.repeat(fpr, 2), np.stack(heights, axis=1).ravel()])
    is_new = np.append(True, (np.diff(points) != 0).any(axis=0))
    return RocCurve(points[0, is_new], points[1, is_new], np.full(int(is_new.sum()), np.nan))


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
    rates = []
    for ratio in ratios:
        selected = (read.read_labels("decisions", decisions[ratio]) == read.positive) * read.weight
        rates.append(np.bincount(cells, selected, total.size).reshape(-1, 2) / total)
    of_ratio = np.repeat(np.array(ratios, float), len(names))
    return RocPoints(of_ratio, np.tile(names, len(ratios)), *np.concatenate(rates).T)


def _read_classes(y_true: Any, sample_weight: Any, pos_label: Any) -> Predictions:
    """Validate the classes; input validation expects probabilities, so uniform ones stand in."""
    codes = factorize(y_true).codes
    weights = check_weights(sample_weight, len(codes))
    n_classes = len(np.unique(codes if weights is None else codes[weights > 0]))
    n_columns = n_classes if n_classes > 2 else 1
    uniform = np.full((len(codes), n_columns), 1.0 / n_columns)
    return read_one_class(y_true, uniform, sample_weight, pos_label, None, "a ROC point")
