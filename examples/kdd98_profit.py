"""Table 3 of Zadrozny & Elkan (2001) again: what probabilities earn by mail, the paper's dollars beside ours.

    CALIBRANT_DATA=folder python examples/kdd98_profit.py

A letter costs $0.68 and is sent where P(donate | x) y(x) is greater, y(x) the gift expected of a donor. The paper
learns from 95,412 people and tests on 96,367, whose answers but not whose features are at hand. Here the rows are those
of ``kdd98_case_control``: all 4,843 donors of the paper's training set and 14,529 of its 90,569 others, who stand for
6.23 people each (``weight_kind="probability"``: a leaf needs rows, not people alone, and rows are drawn within the
classes for the intervals). They are cut into two halves, each learnt from and judged by the other, so that the sums
are for 95,412 people, as in the paper, but by models that have seen half of its donors and a tenth of its rows.

What the paper does not say and is chosen here:

* its seven fields: income, months since the first and the last gift, gifts for each appeal, frequency code, average
  of recent gifts, and the star of its file (none of them was searched for);
* y(x): a linear regression on donors by the last and the average gift, "a simple linear regression" in the paper.

The second table compares training with weights to training without them, as if a quarter of all people gave, and
`PriorShift` back to the base rate afterwards. The third compares ways to expect a gift, and the fourth parts the money
of naive Bayes into ranking, miscalibration and what nobody knows.
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
from calibrant.decisions._profit.costed_predictions import read_case
from calibrant.decisions._profit.money import Drawing, totals
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

Vector = NDArray[np.float64]
Proba = dict[str, tuple[Vector, Vector]]


@dataclass(frozen=True)
class Half:
    """Rows to learn from and rows to be judged by."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True)
class Mailing:
    """People, their answers and what they stand for."""

    X: Any
    gifts: Any
    y: NDArray[np.intp]
    amount: Vector
    weight: Vector

    @classmethod
    def of(cls, table: Table) -> Mailing:
        """Take the seven columns, the gifts and the weights."""
        frame = table.X
        X = frame[["INCOME_GROUP", "MONTHS_SINCE_FIRST_GIFT", "MONTHS_SINCE_LAST_GIFT"]].copy()
        X["GIFTS_PER_APPEAL"] = frame["LIFETIME_GIFT_COUNT"] / frame["LIFETIME_PROM"]
        for name in ("FREQUENCY_STATUS_97NK", "RECENT_AVG_GIFT_AMT", "PEP_STAR"):
            X[name] = frame[name]
        amount = np.asarray(table.extra["TARGET_D"], dtype=np.float64)
        y = (np.asarray(table.y).astype(str) == str(table.positive)).astype(np.intp)
        return cls(X, frame[GIFT_COLUMNS].to_numpy(dtype=np.float64), y, amount, np.asarray(table.sample_weight))

    def halves(self, seed: int = 0) -> list[Half]:
        """Part the rows in two, and learn from each in turn."""
        folds = StratifiedKFold(2, shuffle=True, random_state=seed).split(self.X, self.y)
        return [Half(train, test) for train, test in folds]

    def base_rate(self, rows: NDArray[np.intp]) -> float:
        """Give the share of donors among the people that rows stand for."""
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
    """Give y(x) of every row by the half it is in, and by the other."""
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
    """Give the probability of every row by every method: learnt from the half it is in, and from the other."""
    found: Proba = {name: (np.empty(len(mailing.y)), np.empty(len(mailing.y))) for name in PAPER}
    for half in halves:
        weight = mailing.weight[half.train] if weighted else None
        parts = [(0, half.train), (1, half.test)]
        for name, answers in _learnt(mailing, half.train, weight, n_trees).items():
            for which, rows in parts:
                p = answers(mailing.X.iloc[rows])
                found[name][which][rows] = p if weighted else _shifted(p, mailing, half.train)
    return found


def _shifted(p: Vector, mailing: Mailing, train: NDArray[np.intp]) -> Vector:
    """Take probabilities from the share of donors among the rows to that among the people."""
    shift = PriorShift(train_prior=float(mailing.y[train].mean()), new_prior=mailing.base_rate(train))
    return np.asarray(shift.fit(np.array([0.25, 0.75]), np.array([0, 1])).predict(p))


def _learnt(mailing: Mailing, train: NDArray[np.intp], weight: Vector | None, n_trees: int) -> dict[str, Any]:
    """Fit every method; bm = 10 and bv = 10, as the paper has it."""
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
    bagged = {"n_trees": n_trees, "random_state": 0, **kind}
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
    answers: dict[str, Any] = {name: _positive(model) for name, model in models.items()}
    return answers | {"All one": lambda rows: np.ones(len(rows)), "All zero": lambda rows: np.zeros(len(rows))}


def _positive(model: Any) -> Any:
    return lambda rows: model.predict_proba(rows)[:, 1]


def earned(mailing: Mailing, p: Vector, gift: Vector, **more: Any) -> Any:
    """Give the profit of mailing by some probabilities and expected gifts."""
    told = {"amount": mailing.amount, "sample_weight": mailing.weight, "weight_kind": "probability"}
    return profit(mailing.y, p, ExampleCosts(PRICE, gift), **told, **more)


def paired(mailing: Mailing, p: Vector, q: Vector, gift: Vector) -> Money:
    """Give what one set of probabilities earns more than another, from the same draws."""
    read = [
        read_case(mailing.y, each, ExampleCosts(PRICE, gift), amount=mailing.amount, sample_weight=mailing.weight)
        for each in (p, q)
    ]
    values = [case.earned(case.decided()) for case in read]
    return totals(read[0].read, {"more": values[0] - values[1]}, Drawing("probability"))["more"]


def show_table_3(mailing: Mailing, gifts: tuple[Vector, Vector], proba: Proba) -> None:
    print("Profit in dollars, Table 3 of Zadrozny & Elkan (2001): the paper's and ours, for 95,412 people.\n")
    print(f"  {'':<22}{'training set':^18}{'test set':^42}")
    print(f"  {'':<22}{'paper':>9}{'ours':>9}{'paper':>9}{'ours':>9}  {'95 % interval':^20}{'mailed':>8}")
    for name, (paper_train, paper_test) in PAPER.items():
        own = earned(mailing, proba[name][0], gifts[0], confidence=None).total.value
        held = earned(mailing, proba[name][1], gifts[1])
        ends = f"[{held.total.low:,.0f}, {held.total.high:,.0f}]"
        figures = f"{paper_train:>9,}{own:>9,.0f}{paper_test:>9,}{held.total.value:>9,.0f}"
        print(f"  {name:<22}{figures}  {ends:^20}{100 * held.share['approach']:>7.1f}%")


def show_shift(mailing: Mailing, gifts: tuple[Vector, Vector], weighted: Proba, plain: Proba) -> None:
    print("\nHeld-out profit by training with weights, and without them with PriorShift afterwards.\n")
    print(f"  {'':<22}{'weights':>9}{'shift':>9}{'shift earns more by':>24}")
    for name in PAPER:
        if name not in ("All one", "All zero"):
            one, two = (
                earned(mailing, each[name][1], gifts[1], confidence=None).total.value for each in (weighted, plain)
            )
            more = paired(mailing, plain[name][1], weighted[name][1], gifts[1])
            print(f"  {name:<22}{one:>9,.0f}{two:>9,.0f}{more.value:>10,.0f} [{more.low:,.0f}, {more.high:,.0f}]")


def show_gifts(mailing: Mailing, halves: list[Half], p: Vector) -> None:
    print("\nHeld-out profit of smoothed curtailment by what is expected of a donor.\n")
    ways = {
        "the mean gift": DummyRegressor(),
        "linear regression on donors": LinearRegression(),
        "the same with Heckman's correction": HeckmanRegressor(),
    }
    for name, regressor in ways.items():
        money = earned(mailing, p, expected_gifts(mailing, halves, regressor)[1]).total
        print(f"  {name:<36}{money.value:>9,.0f} [{money.low:,.0f}, {money.high:,.0f}]")


def show_report(mailing: Mailing, gifts: tuple[Vector, Vector], p: Vector) -> None:
    print("\nWhere the money of naive Bayes goes.\n")
    told = {"amount": mailing.amount, "sample_weight": mailing.weight, "weight_kind": "probability"}
    print(decision_report(mailing.y, p, ExampleCosts(PRICE, gifts[1]), **told))


if __name__ == "__main__":
    main()
