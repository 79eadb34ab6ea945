"""Table 3 of Zadrozny & Elkan (2001) reproduced: the profit of a mailing by probabilities, the paper's and ours.

    CALIBRANT_DATA=folder python examples/kdd98_profit.py

A letter costs $0.68 and is sent where P(donate | x) y(x) is greater, y(x) being the expected gift of a donor. The paper
trains on 95,412 people and tests on 96,367, whose responses but not whose features are available. Here the rows are
those of ``kdd98_case_control``: all 4,843 donors of the paper's training set and 14,529 of its 90,569 others, who
represent 6.23 people each (``weight_kind="probability"``: a leaf needs rows, not just people, and the rows are
resampled within the classes for the intervals). They are split into two halves, each predicted by models of the other,
so that the sums are for 95,412 people, as in the paper, but by models of half of its donors and a tenth of its rows.

What the paper does not specify and is chosen here:

* its seven fields: income, months since the first and the last gift, gifts per appeal, frequency code, average of
  recent gifts, and the star of its file (none of them was searched for);
* y(x): a linear regression on donors by the last and the average gift, "a simple linear regression" in the paper.

The second table compares training with weights to training without them, as if a quarter of all people donated, and
`PriorShift` back to the base rate afterwards. The third compares models of the gift, and the fourth decomposes the
profit of naive Bayes into ranking, miscalibration and missing information.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import Binning, CalibratedClassifier, PriorShift
from calibrant.data import Table, load
from calibrant.decisions import ExampleCosts, HeckmanRegressor, Money, decision_report, profit
from calibrant.decisions._profit.costed_predictions import read_costed_predictions
from calibrant.decisions._profit.money import IntervalOptions, totals
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import Curtailment, Frequency, Laplace, MEstimate
from calibrant.trees import ProbabilityTreeClassifier

PRICE = 0.68
PAPER = {
    "Bagged Laplace": (48639, 10190),
    "Kearns-Mansour": (30448, 8873),
    "C4.5 without pruning": (24212, 10538),
    "Bagged curtailment": (22109, 14502),
    "Laplace (C4.4)": (21240, 12601),
    "Smoothing": (19248, 13897),
    "Smoothed curtailment": (17081, 14741),
    "Curtailment": (16823, 14190),
    "Binned naive Bayes": (14897, 14642),
    "All base rate": (11923, 12252),
    "All one": (10790, 10560),
    "Naive Bayes": (10083, 9531),
    "All zero": (0, 0),
}
GIFT_COLUMNS = ["LAST_GIFT_AMT", "LIFETIME_AVG_GIFT_AMT"]
# The paper bags C4.4 trees; the defaults of bagged trees are others.
C44: Any = {"criterion": "gain_ratio", "nominal_splits": "multiway", "threshold": "observed", "mdl_penalty": True}

Vector = NDArray[np.float64]
Proba = dict[str, tuple[Vector, Vector]]


@dataclass(frozen=True)
class Half:
    """Training rows and test rows."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True)
class Mailing:
    """People, their responses and the number of people that each row represents."""

    X: Any
    gifts: Any
    y: NDArray[np.intp]
    amount: Vector
    weight: Vector

    @classmethod
    def of(cls, table: Table) -> Mailing:
        """Select the seven columns, the gifts and the weights."""
        frame = table.X
        X = frame[["INCOME_GROUP", "MONTHS_SINCE_FIRST_GIFT", "MONTHS_SINCE_LAST_GIFT"]].copy()
        X["GIFTS_PER_APPEAL"] = frame["LIFETIME_GIFT_COUNT"] / frame["LIFETIME_PROM"]
        for name in ("FREQUENCY_STATUS_97NK", "RECENT_AVG_GIFT_AMT", "PEP_STAR"):
            X[name] = frame[name]
        amount = np.asarray(table.extra["TARGET_D"], dtype=np.float64)
        y = (np.asarray(table.y).astype(str) == str(table.positive)).astype(np.intp)
        return cls(X, frame[GIFT_COLUMNS].to_numpy(dtype=np.float64), y, amount, np.asarray(table.sample_weight))

    def halves(self, seed: int = 0) -> list[Half]:
        """Split the rows in two, each half in turn being the training rows."""
        folds = StratifiedKFold(2, shuffle=True, random_state=seed).split(self.X, self.y)
        return [Half(train, test) for train, test in folds]

    def base_rate(self, rows: NDArray[np.intp]) -> float:
        """Return the share of donors among the people that rows represent."""
        return float(np.average(self.y[rows], weights=self.weight[rows]))


def main() -> None:
    mailing = Mailing.of(load("kdd98_case_control"))
    halves = mailing.halves()
    gifts = expected_gifts(mailing, halves, LinearRegression())
    weighted = probabilities(mailing, halves, weighted=True)
    show_table_3(mailing, gifts, weighted)
    show_shift(mailing, gifts, weighted, probabilities(mailing, halves, weighted=False))
    show_gifts(mailing, halves, weighted["Smoothed curtailment"][1])
    show_report(mailing, gifts, weighted["Naive Bayes"][1])


def expected_gifts(mailing: Mailing, halves: list[Half], regressor: Any) -> tuple[Vector, Vector]:
    """Return y(x) of every row by a model of its own half, and by a model of the other."""
    own, other = np.empty(len(mailing.y)), np.empty(len(mailing.y))
    for half in halves:
        train = half.train
        costs = ExampleCosts(PRICE, regressor).learn(
            mailing.gifts[train], mailing.y[train], mailing.amount[train], sample_weight=mailing.weight[train]
        )
        own[train] = costs.for_rows(mailing.gifts[train]).benefit
        other[half.test] = costs.for_rows(mailing.gifts[half.test]).benefit
    return own, other


def probabilities(mailing: Mailing, halves: list[Half], *, weighted: bool, n_trees: int = 100) -> Proba:
    """Return the probability of every row by every method: by models of its own half, and of the other."""
    proba: Proba = {name: (np.empty(len(mailing.y)), np.empty(len(mailing.y))) for name in PAPER}
    for half in halves:
        weight = mailing.weight[half.train] if weighted else None
        parts = [(0, half.train), (1, half.test)]
        for name, predict in _fit_methods(mailing, half.train, weight, n_trees).items():
            for which, rows in parts:
                p = predict(mailing.X.iloc[rows])
                proba[name][which][rows] = p if weighted else _shifted(p, mailing, half.train)
    return proba


def _shifted(p: Vector, mailing: Mailing, train: NDArray[np.intp]) -> Vector:
    """Shift probabilities from the share of donors among the rows to that among the people."""
    shift = PriorShift(train_prior=float(mailing.y[train].mean()), new_prior=mailing.base_rate(train))
    return np.asarray(shift.fit(np.array([0.25, 0.75]), np.array([0, 1])).predict(p))


def _fit_methods(mailing: Mailing, train: NDArray[np.intp], weight: Vector | None, n_trees: int) -> dict[str, Any]:
    """Fit every method and return how each predicts; bm = 10 and bv = 10, as in the paper."""
    X, y = mailing.X.iloc[train], mailing.y[train]
    size = 10.0 / float(np.average(y, weights=weight))
    readings = {
        "C4.5 without pruning": Frequency(),
        "Laplace (C4.4)": Laplace(),
        "Smoothing": MEstimate(m=size),
        "Curtailment": Curtailment(v=size),
        "Smoothed curtailment": Curtailment(v=size, then=MEstimate(m=size)),
    }
    kind: Any = {"weight_kind": "probability"} if weight is not None else {}
    bagged = {"n_trees": n_trees, "random_state": 0, **C44, **kind}
    tree = ProbabilityTreeClassifier(**kind).fit(X, y, sample_weight=weight)
    others = {
        "Kearns-Mansour": ProbabilityTreeClassifier(criterion="dkm", estimate=Frequency(), **kind),
        "Bagged Laplace": BaggedTreesClassifier(estimate=Laplace(), **bagged),
        "Bagged curtailment": BaggedTreesClassifier(estimate=Curtailment(v=size), **bagged),
        "Naive Bayes": NaiveBayesClassifier(),
        "Binned naive Bayes": CalibratedClassifier(NaiveBayesClassifier(), Binning(n_bins=10), cv="train"),
        "All base rate": ConstantClassifier(),
    }
    models = {name: tree.with_estimate(reading) for name, reading in readings.items()}
    models |= {name: model.fit(X, y, sample_weight=weight) for name, model in others.items()}
    predict: dict[str, Any] = {name: _positive_column(model) for name, model in models.items()}
    return predict | {"All one": lambda rows: np.ones(len(rows)), "All zero": lambda rows: np.zeros(len(rows))}


def _positive_column(model: Any) -> Any:
    return lambda rows: model.predict_proba(rows)[:, 1]


def mailing_profit(mailing: Mailing, p: Vector, gift: Vector, **options: Any) -> Any:
    """Return the profit of mailing by some probabilities and expected gifts."""
    rows = {"amount": mailing.amount, "sample_weight": mailing.weight, "weight_kind": "probability"}
    return profit(mailing.y, p, ExampleCosts(PRICE, gift), **rows, **options)


def paired_difference(mailing: Mailing, p: Vector, q: Vector, gift: Vector) -> Money:
    """Return what one set of probabilities earns in excess of another, from the same bootstrap replicates."""
    costs, rows = ExampleCosts(PRICE, gift), {"amount": mailing.amount, "sample_weight": mailing.weight}
    costed = [read_costed_predictions(mailing.y, proba, costs, **rows) for proba in (p, q)]
    first, second = (one.earnings(one.decisions()) for one in costed)
    return totals(costed[0].predictions, {"more": first - second}, IntervalOptions("probability"))["more"]


def show_table_3(mailing: Mailing, gifts: tuple[Vector, Vector], proba: Proba) -> None:
    print("Profit in dollars, Table 3 of Zadrozny & Elkan (2001): the paper's and ours, for 95,412 people.\n")
    print(f"  {'':<22}{'training set':^18}{'test set':^42}")
    print(f"  {'':<22}{'paper':>9}{'ours':>9}{'paper':>9}{'ours':>9}  {'95 % interval':^20}{'mailed':>8}")
    for name, (paper_train, paper_test) in PAPER.items():
        own = mailing_profit(mailing, proba[name][0], gifts[0], confidence=None).total.value
        held_out = mailing_profit(mailing, proba[name][1], gifts[1])
        ends = f"[{held_out.total.low:,.0f}, {held_out.total.high:,.0f}]"
        figures = f"{paper_train:>9,}{own:>9,.0f}{paper_test:>9,}{held_out.total.value:>9,.0f}"
        print(f"  {name:<22}{figures}  {ends:^20}{100 * held_out.share['approach']:>7.1f}%")


def show_shift(mailing: Mailing, gifts: tuple[Vector, Vector], weighted: Proba, plain: Proba) -> None:
    print("\nHeld-out profit of training with weights, and without them with PriorShift afterwards.\n")
    print(f"  {'':<22}{'weights':>9}{'shift':>9}{'shift earns more by':>24}")
    for name in PAPER:
        if name not in ("All one", "All zero"):
            one, two = (
                mailing_profit(mailing, proba[name][1], gifts[1], confidence=None).total.value
                for proba in (weighted, plain)
            )
            more = paired_difference(mailing, plain[name][1], weighted[name][1], gifts[1])
            print(f"  {name:<22}{one:>9,.0f}{two:>9,.0f}{more.value:>10,.0f} [{more.low:,.0f}, {more.high:,.0f}]")


def show_gifts(mailing: Mailing, halves: list[Half], p: Vector) -> None:
    print("\nHeld-out profit of smoothed curtailment by the model of the expected gift.\n")
    regressors = {
        "the mean gift": DummyRegressor(),
        "linear regression on donors": LinearRegression(),
        "the same with Heckman's correction": HeckmanRegressor(),
    }
    for name, regressor in regressors.items():
        money = mailing_profit(mailing, p, expected_gifts(mailing, halves, regressor)[1]).total
        print(f"  {name:<36}{money.value:>9,.0f} [{money.low:,.0f}, {money.high:,.0f}]")


def show_report(mailing: Mailing, gifts: tuple[Vector, Vector], p: Vector) -> None:
    print("\nThe profit of naive Bayes, decomposed.\n")
    rows = {"amount": mailing.amount, "sample_weight": mailing.weight, "weight_kind": "probability"}
    print(decision_report(mailing.y, p, ExampleCosts(PRICE, gifts[1]), **rows))


if __name__ == "__main__":
    main()
