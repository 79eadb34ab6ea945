"""Decision curves: the net benefit of acting on probabilities at every threshold (Vickers & Elkin 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import CONFIDENCE, Choice, Int, Nothing, Real, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant._threads import n_threads
from calibrant.curves._curve import Curve, read_numbers, read_one_class
from calibrant.data._internal import warn_of_weights
from calibrant.exceptions import ParameterError
from calibrant.metrics._internal import BootstrapPlan, percentile_interval

_RULES = {
    "confidence": CONFIDENCE | Nothing(),
    "weight_kind": Choice("frequency", "probability"),
    "n_boot": Int(1),
    "prevalence": Real(0, 1, closed="neither") | Nothing(),
}


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Curve):
    """True positives per row less false positives per row, the latter weighted by the odds of the threshold.

    The threshold is the probability above which one would act: at 0.1 a false negative is as bad as nine false
    positives. A model is useful where its curve lies above both acting on every row and acting on none, whose benefit
    is 0.

    Parameters
    ----------
    threshold : array of shape (n_thresholds,)
        Rows with at least this probability are acted upon.
    net_benefit : array of shape (n_thresholds,)
        The net benefit per row.
    everybody : array of shape (n_thresholds,)
        The net benefit of acting on every row.
    avoided : array of shape (n_thresholds,)
        The net reduction in actions per 100 rows compared with acting on all, at the same number of true positives.
    low, high : array of shape (n_thresholds,) or None
        Ends of the confidence interval of `net_benefit` at each threshold.

    Examples
    --------
    >>> curve = decision_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], thresholds=[0.25, 0.5])
    >>> curve
    DecisionCurve: 2 thresholds from 0.25 to 0.5; better than acting on all rows and on none from 0.25 to 0.5
    >>> curve.net_benefit
    array([0.41666667, 0.25      ])
    """

    _columns: ClassVar[tuple[str, ...]] = ("threshold", "net_benefit", "everybody", "avoided", "low", "high")

    threshold: NDArray[np.float64]
    net_benefit: NDArray[np.float64]
    everybody: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None

    @property
    def avoided(self) -> NDArray[np.float64]:
        """The net reduction in actions per 100 rows, compared with acting on all."""
        return (self.net_benefit - self.everybody) * (1.0 - self.threshold) / self.threshold * 100.0

    def useful(self) -> NDArray[np.bool_]:
        """Return at which thresholds the model is better than acting on all rows and on none.

        Examples
        --------
        >>> decision_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], thresholds=[0.1, 0.5, 0.95]).useful()
        array([False,  True, False])
        """
        return np.asarray(self.net_benefit > np.maximum(self.everybody, 0.0))

    def __repr__(self) -> str:
        useful, ends = self.useful(), f"{self.threshold[0]:.4g} to {self.threshold[-1]:.4g}"
        finding = "nowhere better than acting on all rows and on none"
        if useful.any():
            where = self.threshold[useful]
            gaps = "" if useful[useful.argmax() : len(useful) - useful[::-1].argmax()].all() else ", with gaps"
            finding = f"better than acting on all rows and on none from {where[0]:.4g} to {where[-1]:.4g}{gaps}"
        return f"DecisionCurve: {len(self.threshold)} thresholds from {ends}; {finding}"


@fill_docstring()
def decision_curve(
    y_true: Any,
    y_proba: Any,
    *,
    thresholds: Any = None,
    prevalence: float | None = None,
    sample_weight: Any = None,
    weight_kind: str = "frequency",
    pos_label: Any = None,
    labels: Any = None,
    confidence: float | None = None,
    n_boot: int = 1000,
    random_state: SeedLike = 0,
) -> DecisionCurve:
    """Compute the net benefit of acting on rows by their probability.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    thresholds : sequence, optional
        Thresholds inside (0, 1); by default 0.01, 0.02, ... 0.99.
    prevalence : float, optional
        The share of positives in the population, if it differs from that of the rows, as in a case-control study.
    %(row_weight)s
    %(weight_kind)s
    %(pos_label)s
    %(labels)s
    confidence : float, optional
        Confidence of bootstrap intervals at each threshold; by default there are none.
    %(bootstrap)s

    %(returns_curve)s

    Examples
    --------
    >>> decision_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], thresholds=[0.2, 0.5]).to_frame()
       threshold  net_benefit  everybody  avoided
    0        0.2        0.375      0.375      0.0
    1        0.5        0.250      0.000     25.0
    """
    options = {"confidence": confidence, "weight_kind": weight_kind, "n_boot": n_boot, "prevalence": prevalence}
    for name, value in options.items():
        check_param(name, value, _RULES[name])
    chosen = _check_thresholds(thresholds)
    read = read_one_class(y_true, y_proba, sample_weight, pos_label, labels, "a decision curve")
    # Rows by the number of thresholds that they reach, and by class: cell 2 * reached + positive
    reached = np.searchsorted(chosen, read.column(read.positive), side="right")
    cell, n_cells = (2 * reached + (read.label == read.positive)).astype(np.uint32), 2 * len(chosen) + 2
    cells = np.bincount(cell, read.weights, n_cells).astype(np.float64)
    benefit, share = _net_benefit(cells, chosen, prevalence)
    everybody = np.asarray(share - (1.0 - share) * (chosen / (1.0 - chosen)))
    if confidence is None:
        return DecisionCurve(chosen, benefit, everybody)
    seed, is_stratified = seed_sequence(random_state), weight_kind == "probability"
    if not is_stratified:
        warn_of_weights(read.weights)
    plan = BootstrapPlan(read, None, weight_kind, is_stratified, n_boot, confidence, seed, n_threads(None))  # type: ignore[arg-type]
    replicates = plan.replicate_cells(cell, n_cells)
    benefits = np.stack([_net_benefit(cells, chosen, prevalence)[0] for cells in replicates])
    ends = [percentile_interval(benefits[:, column], confidence) for column in range(len(chosen))]
    return DecisionCurve(chosen, benefit, everybody, *np.array(ends).T)


def _net_benefit(
    cells: NDArray[np.float64], thresholds: NDArray[np.float64], prevalence: float | None
) -> tuple[NDArray[np.float64], float]:
    """Return the net benefit from the weight of the rows in each cell, and the share of positives."""
    share = float(cells[1::2].sum() / cells.sum()) if prevalence is None else prevalence
    reached = [np.cumsum(cells[of_class::2][::-1])[::-1] for of_class in (0, 1)]
    with np.errstate(invalid="ignore", divide="ignore"):
        fpr, tpr = (weight[1:] / weight[0] for weight in reached)
    odds = thresholds / (1.0 - thresholds)
    return np.asarray(np.nan_to_num(tpr) * share - np.nan_to_num(fpr) * (1.0 - share) * odds), share


def _check_thresholds(thresholds: Any) -> NDArray[np.float64]:
    """Return the sorted thresholds; cells are 16-bit integers, two for each threshold, hence the limit of 30,000."""
    if thresholds is None:
        return np.asarray(np.arange(1, 100) / 100.0)
    chosen = np.unique(read_numbers(thresholds))
    if not 0 < len(chosen) < 30_000 or not ((chosen > 0) & (chosen < 1)).all():
        raise ParameterError(f"thresholds must be numbers inside (0, 1), fewer than 30,000; got {thresholds!r}.")
    return chosen
