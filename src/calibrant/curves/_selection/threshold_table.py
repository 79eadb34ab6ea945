"""What every threshold does: counts, rates, precision, lift and more, beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._curve import Curve
from calibrant.curves._ranked import Ranked, read_ranked
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ThresholdTable", "threshold_table"]


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdTable(Curve):
    """A row for each threshold, the highest first; what is 0 / 0 is NaN.

    Parameters
    ----------
    threshold : array of shape (n_thresholds,)
        Rows with at least this probability are selected.
    tp, fp, fn, tn : array of shape (n_thresholds,)
        True and false positives, false and true negatives.

    Examples
    --------
    >>> table = threshold_table([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    >>> table
    ThresholdTable: 4 thresholds; best accuracy 0.75 at 0.9, best F1 0.8 at 0.4
    >>> table.precision
    array([       nan, 1.        , 0.66666667, 0.5       ])
    """

    _columns: ClassVar[tuple[str, ...]] = (
        *("threshold", "tp", "fp", "fn", "tn", "fraction", "tpr", "fpr"),
        *("precision", "recall", "f1", "lift", "accuracy"),
    )

    threshold: NDArray[np.float64]
    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]

    @property
    def fraction(self) -> NDArray[np.float64]:
        """The share of the rows that is selected."""
        return (self.tp + self.fp) / (self.tp + self.fp + self.fn + self.tn)

    @property
    def tpr(self) -> NDArray[np.float64]:
        """The share of the positives that is selected."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def recall(self) -> NDArray[np.float64]:
        """Another name of `tpr`."""
        return self.tpr

    @property
    def fpr(self) -> NDArray[np.float64]:
        """The share of the negatives that is selected."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> NDArray[np.float64]:
        """The share of the selected rows that is positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> NDArray[np.float64]:
        """The harmonic mean of precision and recall."""
        return _ratio(2.0 * self.tp, 2.0 * self.tp + self.fp + self.fn)

    @property
    def lift(self) -> NDArray[np.float64]:
        """The share of positives among the selected rows over that among all."""
        return _ratio(self.tpr, self.fraction)

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """The share of the rows that is decided right."""
        return (self.tp + self.tn) / (self.tp + self.fp + self.fn + self.tn)

    def __repr__(self) -> str:
        bests = [f"best {name} {self._best(values)}" for name, values in (("accuracy", self.accuracy), ("F1", self.f1))]
        return f"ThresholdTable: {len(self.threshold)} thresholds; {', '.join(bests)}"

    def _best(self, values: NDArray[np.float64]) -> str:
        at = int(np.nan_to_num(values, nan=-1.0).argmax())
        return f"{values[at]:.4g} at {self.threshold[at]:.4g}"


def threshold_table(
    y_true: Any,
    y_proba: Any,
    *,
    thresholds: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> ThresholdTable:
    """Return what selecting rows by a threshold does, for every distinct probability or for some thresholds.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in sorted order, or in the order of `labels`; or of `pos_label` alone.
    thresholds : sequence, optional
        The thresholds; by default all distinct probabilities, and infinity: no row.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    ThresholdTable
        The table.

    Examples
    --------
    >>> table = threshold_table(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4], thresholds=[0.5, 0.3])
    >>> table.to_frame()[["threshold", "tp", "fp", "fn", "tn", "lift"]]
       threshold   tp   fp   fn   tn      lift
    0        0.5  1.0  0.0  1.0  2.0  2.000000
    1        0.3  2.0  1.0  0.0  1.0  1.333333
    """
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    found, wrong = ranked.cumulative()
    at, chosen = (slice(None), ranked.thresholds()) if thresholds is None else _steps(ranked, thresholds)
    tp, fp = found[at], wrong[at]
    return ThresholdTable(chosen, tp, fp, found[-1] - tp, wrong[-1] - fp)


def _steps(ranked: Ranked, thresholds: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of groups that reach each threshold, and the thresholds, the highest first."""
    chosen = np.sort(np.atleast_1d(np.asarray(thresholds, dtype=np.float64)))[::-1]
    if chosen.ndim != 1 or not len(chosen) or np.isnan(chosen).any():
        raise ParameterError(f"thresholds must be a list of numbers; got {thresholds!r}.")
    return np.searchsorted(-ranked.score, -chosen, side="right"), chosen


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))
