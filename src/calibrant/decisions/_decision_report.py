"""The profit of a model split into the gain of its ranking, the loss by miscalibration and missing information."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from calibrant._optional import pandas_frame
from calibrant._params import Int, Real, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.calibration import Calibrator, as_calibrator
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.decisions._money import IntervalOptions, Money, loss_interval, totals
from calibrant.decisions._profit_of_model import Profit, profit_of
from calibrant.exceptions import DataError, LittleDataWarning
from calibrant.metrics._internal import Predictions

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class DecisionReport:
    """The profit of a model's decisions, decomposed.

    `everybody` plus `ranking` less `miscalibration` is the profit `now`; that plus `miscalibration` plus `unknown` is
    the profit of `perfect` information.

    Parameters
    ----------
    now : Profit
        The profit of the present decisions, less the cost of the model.
    everybody : Money
        The profit of the best single action for every row, without a model.
    ranking : Money
        What the recalibrated model earns in excess of that, its cost deducted: the value of its ranking.
    miscalibration : Money
        The loss by miscalibration: profit after recalibration on held-out rows less profit now. The interval is that
        of what the best map would gain. Where it includes 0, nothing is shown to be lost, and its upper end bounds
        the loss, also where recalibration changes no decision.
    unknown : Money
        What perfect information would add to the recalibrated model.
    perfect : Money
        The profit of decisions that know the classes, the same model cost deducted.
    calibrator : str
        The name of the calibrator.
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
        """The profit of the model with its probabilities recalibrated."""
        return self.now.total.value + self.miscalibration.value

    def to_frame(self) -> pd.DataFrame:
        """Return the sums as a pandas frame.

        Examples
        --------
        >>> report = decision_report([0, 1] * 20, [0.2, 0.9] * 20, [[0, 1], [5, 0]], calibrator="platt")
        >>> float(report.to_frame().loc["unknown", "value"])
        0.0
        """
        sums = self._sums()
        rows = [[money.value, money.low, money.high] for money in sums.values()]
        return pandas_frame(rows, "convert a report to a frame", index=list(sums), columns=["value", "low", "high"])

    def _sums(self) -> dict[str, Money]:
        names = ("everybody", "ranking", "miscalibration")
        return {
            **{name: getattr(self, name) for name in names},
            "now": self.now.total,
            "unknown": self.unknown,
            "perfect": self.perfect,
        }

    def __repr__(self) -> str:
        lost, confidence = self.miscalibration, self.now.confidence
        finding = "lost by miscalibration"
        if lost.low is not None and lost.high is not None and lost.low <= 0:
            finding = f"nothing shown to be lost by miscalibration, at most {Money(lost.high)}"
        intervals = f", intervals at {100 * confidence:g} %" if confidence else ""
        descriptions = {
            "everybody": f"action {self.now.best_alone} for every row",
            "ranking": "gained by the ranking, after recalibration",
            "miscalibration": f"{finding} ({self.calibrator}; {100 * self.n_changed:.1f} % of the decisions change)",
            "now": "earned now",
            "unknown": "more with perfect information",
            "perfect": "earned with perfect information",
        }
        amounts = {name: repr(money) for name, money in {**self._sums(), "miscalibration": -lost}.items()}
        width = max(map(len, amounts.values()))
        lines = [
            f"  {'=' if name in ('now', 'perfect') else ' '} {amount:<{width}}  {descriptions[name]}"
            for name, amount in amounts.items()
        ]
        return "\n".join([f"DecisionReport: {self.now.n_rows:,.0f} rows{intervals}", *lines])


def decision_report(
    y_true: Any,
    y_proba: Any,
    costs: Any,
    *,
    calibrator: str | Calibrator = "auto",
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
    """Decompose the profit of a model's decisions into its ranking, its calibration and missing information.

    The rows are split into folds; the probabilities of each fold are recalibrated by a calibration map fitted to the
    other folds, and the resulting decisions are compared with the present ones row by row. `Auto` leaves probabilities
    as they are unless a map helps held-out rows, so that calibrated ones are not changed by chance.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row, which must be held out from the training of the model.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes by any model, in sorted order or in that of `labels`; or of `pos_label` alone.
        Columns of a frame are matched with the classes by name.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        The costs of decisions.
    calibrator : str or calibrator
        A name of `calibrant.calibration.CALIBRATORS` or a calibrator; by default the guarded choice of `Auto`.
    n_folds : int
        Number of folds.
    amount, fixed_cost, row_cost, sample_weight, weight_kind, groups, pos_label, labels
        As in `profit`. Groups stay together in folds.
    confidence, n_boot, random_state
        As in `profit`. The intervals of `ranking` and `unknown` take the fitted calibration maps as fixed. That of
        `miscalibration` starts above 0 only if so great a gain is also improbable for calibrated probabilities, and
        ends no lower than the loss under the maps that the rows do not rule out.

    Returns
    -------
    DecisionReport
        The decomposed profit, with intervals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(1, 9, 4000)
    >>> y = rng.random(4000) < p
    >>> decision_report(y, p, [[0, 1], [0, -9]], confidence=None).perfect
    3,582.00
    >>> report = decision_report(y, p, [[0, 1], [0, -9]], n_boot=200)
    >>> report.miscalibration.low <= 0 < report.miscalibration.high
    True
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    check_param("n_folds", n_folds, Int(2))
    options = IntervalOptions(weight_kind, groups, confidence, n_boot, random_state)
    options.check()
    rest = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    costed = CostedPredictions.read(y_true, y_proba, costs, **rest)
    fitter = as_calibrator("calibrator", calibrator)
    proba = cross_fitted(costed.predictions, fitter, options, n_folds)
    now = profit_of(costed, options, fixed_cost, row_cost)
    return decompose(costed, proba, now, options, type(fitter).__name__)


def cross_fitted(
    read: Predictions, calibrator: Calibrator, options: IntervalOptions, n_folds: int = 5
) -> NDArray[np.float64]:
    """Return the probabilities of each fold by a calibration map fitted to the other folds."""
    fold, is_two, group = _folds(read, options, n_folds), read.n_classes == 2, options.for_rows(read).group
    order = np.array([1 - read.positive, read.positive]) if is_two else np.arange(read.n_classes)
    scores = read.column(read.positive) if is_two else read.proba
    known = {"labels": read.classes[order], "weight_kind": options.weight_kind}
    proba = np.empty((read.n_rows, read.n_classes))
    for number in range(int(fold.max()) + 1):
        test = fold == number
        rows = {"sample_weight": read.weights, "groups": group}
        of_rows = {name: None if value is None else value[~test] for name, value in rows.items()}
        with warnings.catch_warnings():  # too few rows to recalibrate: the wide interval of the loss shows it
            warnings.simplefilter("ignore", LittleDataWarning)
            fitted = clone(calibrator).fit(scores[~test], read.classes[read.label[~test]], **of_rows, **known)
        predicted = np.asarray(fitted.predict(scores[test]))
        proba[np.ix_(test, order)] = np.column_stack([1.0 - predicted, predicted]) if is_two else predicted
    return proba


def decompose(
    costed: CostedPredictions, proba: NDArray[np.float64], now: Profit, options: IntervalOptions, name: str
) -> DecisionReport:
    """Compare the decisions by recalibrated probabilities with the present ones."""
    read, before, after = costed.predictions, costed.decisions(), costed.decisions(proba)
    cost_per_row = now.model_cost / read.total
    single = costed.earnings(list(costed.actions).index(now.best_alone))
    best, recalibrated = costed.best_earnings(), costed.earnings(after)
    values = {
        "ranking": recalibrated - cost_per_row - single,
        "miscalibration": recalibrated - costed.earnings(before),
        "unknown": best - recalibrated,
        "perfect": best - cost_per_row,
    }
    changed = float((read.weight * (before != after)).sum() / read.total)
    sums = totals(read, values, options)
    sums["miscalibration"] = loss_interval(costed, after, sums["miscalibration"], options)
    return DecisionReport(now, now.everybody[now.best_alone], **sums, calibrator=name, n_changed=changed)


def _folds(read: Predictions, options: IntervalOptions, n_folds: int) -> NDArray[np.intp]:
    """Split rows into folds, stratified by class, or whole groups."""
    rng = stream(seed_sequence(options.random_state), 7)  # a stream of its own, apart from the bootstrap's
    group = options.for_rows(read).group
    if group is not None:
        n_groups = int(group.max()) + 1
        if n_groups < n_folds:
            raise DataError(f"groups must have a group for each of {n_folds} folds; got {n_groups}. Use fewer folds.")
        return np.asarray((rng.permutation(n_groups) % n_folds)[group], dtype=np.intp)
    sizes = np.bincount(read.label, minlength=read.n_classes)
    if sizes.min() < n_folds:
        rare = f"{read.classes.tolist()[sizes.argmin()]!r} has {sizes.min()}"
        raise DataError(
            f"every class needs at least {n_folds} rows, one for each fold; {rare}. Use fewer folds or more rows."
        )
    fold, first = np.empty(read.n_rows, dtype=np.intp), 0
    for code in range(read.n_classes):
        rows = rng.permutation(np.flatnonzero(read.label == code))
        fold[rows] = (first + np.arange(len(rows))) % n_folds
        first += len(rows)
    return fold
