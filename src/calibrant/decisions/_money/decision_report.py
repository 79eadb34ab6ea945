"""Where the money goes: what the ranking earns, what miscalibration loses, what perfect information would add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from calibrant._optional import optional_import
from calibrant._params import Int, Real, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.calibration import Calibrator, as_calibrator
from calibrant.decisions._money.decision_rows import Case, read_case
from calibrant.decisions._money.profit import Profit, profit_of
from calibrant.decisions._money.sums import Drawing, Money, totals
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["DecisionReport", "decision_report"]


@dataclass(frozen=True, eq=False, repr=False)
class DecisionReport:
    """Sums of money that add up.

    What everybody earns, plus ranking, less miscalibration, is what is earned now; that plus miscalibration plus
    unknown is what perfect information earns.

    Parameters
    ----------
    now : Profit
        What the decisions earn as they are, less what the model costs.
    everybody : Money
        What the best single action for every row earns, without a model.
    ranking : Money
        What the model, recalibrated, earns beyond that: what its ranking is worth, its costs paid.
    miscalibration : Money
        What is lost by probabilities that are off: profit after recalibrating on held-out rows less profit now. An
        interval around 0 says that nothing is shown to be lost.
    unknown : Money
        What perfect information would add to the recalibrated model.
    perfect : Money
        What deciding with the classes known would earn, the same model costs paid.
    calibrator : str
        Which map was used.
    n_changed : float
        The share of rows whose decision recalibration changes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.beta(1, 9, 4000)
    >>> y = rng.random(4000) < true
    >>> report = decision_report(y, np.sqrt(true), [[0, 1], [0, -9]], calibrator="platt")
    >>> bool(report.miscalibration.low > 0)
    True
    """

    now: Profit
    everybody: Money
    ranking: Money
    miscalibration: Money
    unknown: Money
    perfect: Money
    calibrator: str
    n_changed: float

    @property
    def recalibrated(self) -> float:
        """What the model would earn with its probabilities recalibrated."""
        return self.now.total.value + self.miscalibration.value

    def to_frame(self) -> pd.DataFrame:
        """Give the sums as a pandas frame.

        Examples
        --------
        >>> report = decision_report([0, 1] * 20, [0.2, 0.9] * 20, [[0, 1], [5, 0]], calibrator="platt")
        >>> float(report.to_frame().loc["unknown", "value"])
        0.0
        """
        pandas = optional_import("pandas", extra="data", purpose="give a report as a frame")
        sums = self._sums()
        rows = [[each.value, each.low, each.high] for each in sums.values()]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=list(sums), columns=["value", "low", "high"])
        return frame

    def _sums(self) -> dict[str, Money]:
        names = ("everybody", "ranking", "miscalibration")
        return {
            **{name: getattr(self, name) for name in names},
            "now": self.now.total,
            "unknown": self.unknown,
            "perfect": self.perfect,
        }

    def __repr__(self) -> str:
        lost, sure = self.miscalibration, self.now.confidence
        told = "not shown to lose anything"
        if lost.low is None or lost.low > 0:
            told = "lost by miscalibration"
        elif lost.high is not None and lost.high < 0:
            told = "gained over the recalibrated model: leave the probabilities as they are"
        head = f"DecisionReport: {self.now.n_rows:,.0f} rows" + (f", intervals at {100 * sure:g} %" if sure else "")
        texts = {
            "everybody": f"{self.now.best_alone} for everybody",
            "ranking": "earned by the ranking, recalibrated",
            "miscalibration": f"{told} ({self.calibrator}; {100 * self.n_changed:.1f} % of the decisions change)",
            "now": "earned now",
            "unknown": "more by perfect information",
            "perfect": "earned if all were known",
        }
        shown = {name: repr(sum_) for name, sum_ in {**self._sums(), "miscalibration": -self.miscalibration}.items()}
        width = max(map(len, shown.values()))
        lines = [
            f"  {'=' if name in ('now', 'perfect') else ' '} {sum_:<{width}}  {texts[name]}"
            for name, sum_ in shown.items()
        ]
        return "\n".join([head, *lines])


def decision_report(
    y_true: Any,
    y_proba: Any,
    costs: Any,
    *,
    calibrator: str | Calibrator = "isotonic",
    n_folds: int = 5,
    amount: Any = None,
    fixed_cost: float = 0.0,
    row_cost: float = 0.0,
    sample_weight: Any = None,
    weight_kind: str = "frequency",
    groups: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    confidence: float | None = 0.95,
    n_boot: int = 1000,
    random_state: SeedLike = 0,
) -> DecisionReport:
    """Part what a model's decisions earn into its ranking, its calibration and what nobody knows.

    The rows are dealt to folds; each fold's probabilities are recalibrated by a map learnt from the others, and the
    decisions that follow are compared with those of now, row by row.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row, which the model must not have seen.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class by anybody's model, in sorted order or that of `labels`; or of `pos_label` alone.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        What decisions cost.
    calibrator : str or calibrator
        The map: a name of `calibrant.calibration.CALIBRATORS` or an object. Isotonic regression keeps the ranking.
    n_folds : int
        The number of folds.
    amount, fixed_cost, row_cost, sample_weight, weight_kind, groups, pos_label, labels
        As in `profit`. Groups stay together in folds.
    confidence, n_boot, random_state
        As in `profit`. Intervals are for the maps that were learnt: they do not tell how another fifth of the rows
        would have drawn them.

    Returns
    -------
    DecisionReport
        Sums with intervals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(1, 9, 4000)
    >>> y = rng.random(4000) < p
    >>> decision_report(y, p, [[0, 1], [0, -9]], confidence=None).perfect
    3,582.00
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    check_param("n_folds", n_folds, Int(2))
    drawing = Drawing(weight_kind, groups, confidence, n_boot, random_state)
    drawing.check()
    given = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    case = read_case(y_true, y_proba, costs, **given)
    learner = as_calibrator("calibrator", calibrator)
    again = recalibrated(case, learner, _folds(case, drawing, n_folds))
    return _parted(case, again, profit_of(case, drawing, fixed_cost, row_cost), drawing, type(learner).__name__)


def _parted(case: Case, again: NDArray[np.float64], now: Profit, drawing: Drawing, name: str) -> DecisionReport:
    read, before, after = case.read, case.decided(), case.decided(again)
    charge = now.model_cost / read.total
    alone = case.earned(list(case.actions).index(now.best_alone))
    known, then = case.in_hindsight(), case.earned(after)
    values = {
        "ranking": then - charge - alone,
        "miscalibration": then - case.earned(before),
        "unknown": known - then,
        "perfect": known - charge,
    }
    changed = float((read.weight * (before != after)).sum() / read.total)
    sums = totals(read, values, drawing)
    return DecisionReport(now, now.everybody[now.best_alone], **sums, calibrator=name, n_changed=changed)


def recalibrated(case: Case, learner: Calibrator, fold: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give the probabilities of each fold by a map learnt from the others."""
    read = case.read
    is_two = read.n_classes == 2
    order = np.array([1 - read.positive, read.positive]) if is_two else np.arange(read.n_classes)
    scores = read.column(read.positive) if is_two else read.proba
    found = np.empty((read.n_rows, read.n_classes))
    for number in range(int(fold.max()) + 1):
        test = fold == number
        weight = None if read.weights is None else read.weights[~test]
        fitted = clone(learner).fit(scores[~test], read.classes[read.label[~test]], weight, labels=read.classes[order])
        told = np.asarray(fitted.predict(scores[test]))
        found[np.ix_(test, order)] = np.column_stack([1.0 - told, told]) if is_two else told
    return found


def _folds(case: Case, drawing: Drawing, n_folds: int) -> NDArray[np.intp]:
    """Deal rows to folds, class by class, or whole groups."""
    read, rng = case.read, stream(seed_sequence(drawing.random_state), 7)
    group = drawing.judged(read).group
    if group is not None:
        n_groups = int(group.max()) + 1
        if n_groups < n_folds:
            raise DataError(f"groups has {n_groups} groups for {n_folds} folds; take fewer folds.")
        return np.asarray((rng.permutation(n_groups) % n_folds)[group], dtype=np.intp)
    if np.bincount(read.label, minlength=read.n_classes).min() < n_folds:
        raise DataError(f"every class needs {n_folds} rows at least, one for each fold; take fewer folds or more rows.")
    fold, first = np.empty(read.n_rows, dtype=np.intp), 0
    for code in range(read.n_classes):
        rows = rng.permutation(np.flatnonzero(read.label == code))
        fold[rows] = (first + np.arange(len(rows))) % n_folds
        first += len(rows)
    return fold
