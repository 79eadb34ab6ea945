"""Curves of the rows of highest probability: lift over a random sample, or precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant.curves._curve import Curve, count, read_ranked


@fill_docstring()
@dataclass(frozen=True, eq=False, repr=False)
class LiftCurve(Curve):
    """A point for each threshold, by decreasing threshold, from no row to all rows.

    Parameters
    ----------
    fraction : array of shape (n_points,)
        The share of the rows that are selected.
    responses : array of shape (n_points,)
        The number of positives among them: the lift chart of Witten, Frank & Hall.
    lift : array of shape (n_points,)
        Their share of positives divided by the base rate; where no row is selected, the limit.
    %(selecting_threshold)s
    n_rows : float
        Number of rows.

    Examples
    --------
    >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    LiftCurve: the top 10 % of 4 rows contain 0.4 of 2 positives, lift 2; 4 points
    """

    fraction: NDArray[np.float64]
    responses: NDArray[np.float64]
    lift: NDArray[np.float64]
    threshold: NDArray[np.float64]
    n_rows: float

    @property
    def gains(self) -> NDArray[np.float64]:
        """The share of all positives that are selected at each point."""
        return np.asarray(self.responses / self.responses[-1])

    def responses_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the number of positives among a share of the rows; tied rows are in random order.

        Examples
        --------
        >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).responses_at([0.25, 0.5])
        array([1. , 1.5])
        """
        return np.interp(as_floats(fraction), self.fraction, self.responses)

    def lift_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the lift of a share of the rows.

        Examples
        --------
        >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).lift_at([0.0, 0.5])
        array([2. , 1.5])
        """
        # The lift of no rows is 0 / 0; a tiny share has the limit, since the first segment is a line through 0.
        share = np.maximum(as_floats(fraction), self.fraction[1] * 1e-9)
        return np.asarray(self.responses_at(share) / (share * self.responses[-1]))

    def __repr__(self) -> str:
        positives, lift = f"{count(float(self.responses_at(0.1)))} of {count(self.responses[-1])}", self.lift_at(0.1)
        top = f"the top 10 % of {count(self.n_rows)} rows contain {positives} positives"
        return f"LiftCurve: {top}, lift {lift:.4g}; {len(self.fraction)} points"


@fill_docstring()
def lift(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> LiftCurve:
    """Compute the number of positives and the lift among the rows of highest probability, for every number of rows.

    %(curve_sections)s

    Examples
    --------
    >>> lift(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4]).to_frame()
       fraction  responses      lift  threshold
    0      0.00        0.0  2.000000        inf
    1      0.25        1.0  2.000000        0.9
    2      0.75        2.0  1.333333        0.4
    3      1.00        2.0  1.000000        0.2
    """
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    ranked = read_ranked(y_true, y_proba, needs="a lift curve", **options)
    tp, fp = ranked.cumulative()
    n_rows = tp[-1] + fp[-1]
    fraction = (tp + fp) / n_rows
    lift = tp[1:] / (fraction[1:] * tp[-1])
    return LiftCurve(fraction, tp, np.append(lift[0], lift), ranked.thresholds(), float(n_rows))


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
