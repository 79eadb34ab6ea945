"""The experiments of Zadrozny & Elkan (2001) as studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import entropy

from calibrant.data import MDLDiscretizer, Table, load
from calibrant.metrics import lift, profit
from calibrant.papers._reproduction.paper import Size
from calibrant.papers._zadrozny.kdd98 import GIFT_MODELS, Mailing, learning_set, read_mailing
from calibrant.papers._zadrozny.methods import (
    coil_variants,
    paper_methods,
    score_methods,
    shifted_methods,
    sweep_methods,
)
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Dataset, Study


def profit_per_person(
    y_true: Any, y_proba: Any, *, amount: Any, estimated_amount: Any, cost: float = 0.68, sample_weight: Any = None
) -> float:
    """Return the profit of mailing where p y(x) > cost, divided by the number of people that the rows represent.

    Examples
    --------
    >>> round(profit_per_person([1, 0], [0.1, 0.2], amount=[20, 0], estimated_amount=[10, 1], sample_weight=[1, 3]), 2)
    4.83
    """
    amounts = {"amount": amount, "estimated_amount": estimated_amount, "cost": cost}
    total = profit(y_true, y_proba, sample_weight=sample_weight, **amounts)
    return total / float(len(y_true) if sample_weight is None else np.sum(sample_weight))


def lift_at(y_true: Any, y_proba: Any, *, fraction: float, sample_weight: Any = None) -> float:
    """Return the lift of the most likely fraction of the rows.

    Examples
    --------
    >>> lift_at([1, 0, 1, 0], [0.9, 0.8, 0.2, 0.1], fraction=0.25)
    2.0
    """
    return float(lift(y_true, y_proba, fraction=fraction, sample_weight=sample_weight))


def lowest_score(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001 - the signature of a metric
    """Return the least probability of the positive class."""
    return float(np.asarray(y_proba)[:, -1].min())


def highest_score(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001
    """Return the greatest probability of the positive class."""
    return float(np.asarray(y_proba)[:, -1].max())


def n_scores(y_true: Any, y_proba: Any) -> float:  # noqa: ARG001
    """Return the number of different probabilities: 1 for a tree that is a single leaf."""
    return float(len(np.unique(np.asarray(y_proba)[:, -1])))


COIL: Final = "CoIL"
ALL_COLUMNS: Final = "CoIL, all 85 columns"
SEVEN_COLUMNS: Final = "CoIL, the seven most informative columns"
FIVE_COLUMNS: Final = "CoIL, the five most informative columns"
# Seven are as many as the authors choose on KDD'98; five are fewer, to show how much their number matters.
FEW_COLUMNS: Final = {SEVEN_COLUMNS: 7, FIVE_COLUMNS: 5}


@dataclass(frozen=True, eq=False)
class Coil:
    """The rows of the CoIL challenge and their official split."""

    table: Table = field(default_factory=lambda: load("zadrozny.coil"))

    @property
    def split(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The official training rows and test rows."""
        part = np.asarray(self.table.split)
        return np.flatnonzero(part == "train"), np.flatnonzero(part == "test")

    def dataset(self, columns: list[str] | None = None, name: str = COIL) -> Dataset:
        """Return the data set of a study, of some columns or all."""
        X = self.table.X if columns is None else self.table.X[columns]
        return Dataset((X, self.table.y), positive="1", name=name)

    def most_informative(self, n_columns: int) -> list[str]:
        """Return the columns whose intervals or categories have the greatest information gain in the training rows."""
        import pandas as pd

        train = self.table.part("train")
        entropies = {}
        for name, column in MDLDiscretizer().fit_transform(train.X, train.y).items():
            counts = pd.crosstab(column.to_numpy(), np.asarray(train.y)).to_numpy()
            entropies[name] = float(counts.sum(axis=1) @ entropy(counts, axis=1)) / float(counts.sum())
        return sorted(entropies, key=entropies.__getitem__)[:n_columns]


COIL_SIZE: Final = 170.0  # m and v below Table 4
KDD98_SIZE: Final = 200.0  # m of Figure 1, and v "for all our experiments"
FRACTIONS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_HELD_OUT: Final = 1 / 3
_COIL_TEST_ROWS: Final = 4000

Metrics = dict[str, Any]
_ERRORS: Final[Metrics] = {"mse": "mse", "log_loss_bits": "log_loss_bits"}
_PROFITS: Final[Metrics] = dict.fromkeys(GIFT_MODELS, profit_per_person)


@dataclass(frozen=True)
class Amount:
    """The amount of the experiment that is repeated: bagged trees, and random splits of CoIL and of KDD'98."""

    n_bags: int
    n_coil: int
    n_kdd98: int


# The paper has 100 bags and one split of each set; 30 and ten splits measure how far single splits spread.
SIZES: Final[Mapping[Size, Amount]] = {
    "quick": Amount(10, 5, 3),
    "default": Amount(100, 30, 10),
    "full": Amount(100, 100, 30),
}


def make_studies(size: Size, store: str) -> dict[str, Study]:
    """Return the studies; the official files of KDD'98 are used if the folder ``CALIBRANT_DATA`` has them."""
    amount, mailing = SIZES[size], read_mailing()
    specs = _coil_studies(amount) | _mailing_studies(mailing, amount)
    if mailing.split is None:
        learning, methods = learning_set(), paper_methods(KDD98_SIZE, n_bags=amount.n_bags)
        splits = _random_splits(learning, amount.n_kdd98)
        specs["kdd98 learning"] = _spec(learning.dataset(), methods, splits, **_measures())
    return {name: Study(f"zadrozny-elkan-2001 {name} {size}", store=store, **spec) for name, spec in specs.items()}


def _spec(dataset: Any, methods: Mapping[str, Any], plan: Any, **options: Any) -> dict[str, Any]:
    """Return the arguments of a study, with metrics on the training rows too."""
    datasets = dataset if isinstance(dataset, list) else [dataset]
    options = {"training_metrics": True, "keep_predictions": False, **options}
    return {"datasets": datasets, "methods": methods, "plan": plan, **options}


def _coil_studies(amount: Amount) -> dict[str, dict[str, Any]]:
    coil = Coil()
    whole, official = coil.dataset(), [coil.split]
    splits = RepeatedHoldout(amount.n_coil, _COIL_TEST_ROWS, stratified=False)
    methods = paper_methods(COIL_SIZE, n_bags=amount.n_bags)
    datasets = [coil.dataset(coil.most_informative(n_columns), name) for name, n_columns in FEW_COLUMNS.items()]
    datasets.append(coil.dataset(name=ALL_COLUMNS))
    return {
        "coil": _spec(whole, methods, official, **_measures()),
        "coil splits": _spec(whole, methods, splits, **_measures()),
        "coil variants": _spec(datasets, coil_variants(COIL_SIZE, amount.n_bags), official, metrics=["mse"]),
        "coil sweep": _spec(whole, sweep_methods(), splits, **_sweep_measures()),
    }


def _mailing_studies(mailing: Mailing, amount: Amount) -> dict[str, dict[str, Any]]:
    """Return the studies of all metrics: on the official split and random ones, or on random splits alone."""
    methods = paper_methods(KDD98_SIZE, n_bags=amount.n_bags, **mailing.tree_params)
    rows, splits = mailing.dataset(), _random_splits(mailing, amount.n_kdd98)
    measures, sweep_measures = _measures(profit=True), _sweep_measures(profit=True)
    official: Any = None if mailing.split is None else [mailing.split]
    found = {
        "kdd98": _spec(rows, methods, official or splits, **measures),
        "kdd98 sweep": _spec(rows, sweep_methods(**mailing.tree_params), splits, **sweep_measures),
        "kdd98 scores": _spec(
            mailing.dataset(profit=False),
            score_methods(KDD98_SIZE, **mailing.tree_params),
            official or _random_splits(mailing, 1),
            metrics=["mse"],
            training_metrics=False,
            keep_predictions=True,
        ),
    }
    if mailing.weight is not None:
        found["kdd98 shift"] = _spec(rows, shifted_methods(n_bags=amount.n_bags), splits, **sweep_measures)
    if official:
        found["kdd98 splits"] = _spec(rows, methods, splits, **measures)
    return found


def _random_splits(mailing: Mailing, n_splits: int) -> RepeatedHoldout:
    """Return random splits of the official sizes, or with a third of the rows for testing."""
    size = _HELD_OUT if mailing.split is None else len(mailing.split[1])
    return RepeatedHoldout(n_splits, size, stratified=False)


def _measures(*, profit: bool = False) -> dict[str, Any]:
    """Return the metrics of the tables and figures, and their keywords."""
    lifts: Metrics = {f"lift at {fraction}": lift_at for fraction in FRACTIONS}
    ranges: Metrics = {"lowest": lowest_score, "highest": highest_score, "n_scores": n_scores}
    metrics = {**_ERRORS, **lifts, **ranges, **(_PROFITS if profit else {})}
    return {"metrics": metrics, "metric_params": {f"lift at {each}": {"fraction": each} for each in FRACTIONS}}


def _sweep_measures(*, profit: bool = False) -> dict[str, Any]:
    return {"metrics": {**_ERRORS, **(_PROFITS if profit else {})}, "training_metrics": False}
