"""The experiments of Zadrozny & Elkan (2001) as studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from calibrant.papers._zadrozny.coil import ALL_COLUMNS, FEW_COLUMNS, Coil
from calibrant.papers._zadrozny.kdd98 import learning_set, read_mailing
from calibrant.papers._zadrozny.mailing import GIFT_MODELS, Mailing
from calibrant.papers._zadrozny.methods import coil_variants, paper_methods, score_methods, sweep_methods
from calibrant.papers._zadrozny.metrics import highest_score, lift_at, lowest_score, n_scores, profit_per_person
from calibrant.papers._zadrozny.shifted import shifted_methods
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.papers._reproduction.paper import Size

__all__ = ["COIL_SIZE", "FRACTIONS", "KDD98_SIZE", "SIZES", "Amount", "make_studies"]

COIL_SIZE: Final = 170.0  # m and v below Table 4
KDD98_SIZE: Final = 200.0  # m of Figure 1, and v "for all our experiments"
FRACTIONS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_HELD_OUT: Final = 1 / 3
_COIL_TEST_ROWS: Final = 4000

Metrics = dict[str, Any]


@dataclass(frozen=True)
class Amount:
    """How much of the experiment is repeated: bagged trees, and random splits of CoIL and of KDD'98."""

    n_bags: int
    n_coil: int
    n_kdd98: int


# The paper has 100 bags and one split of each set; 30 and ten splits measure how far single splits spread.
SIZES: Final[Mapping[Size, Amount]] = {
    "quick": Amount(10, 5, 3),
    "default": Amount(100, 30, 10),
    "full": Amount(100, 100, 30),
}


def make_studies(size: Size, store: str, prefix: str) -> dict[str, Study]:
    """Return the studies by short names; only the rows are read."""
    amount, mailing = SIZES[size], read_mailing()
    named = _Named(f"{prefix} ", f" {size}", store)
    found = _coil_studies(amount, named) | _mailing_studies(mailing, amount, named)
    if mailing.split is None:
        found["kdd98 learning"] = _learning_study(amount, named)
    return found


@dataclass(frozen=True)
class _Named:
    """Makes studies of one store, with metrics on the training rows too."""

    before: str
    after: str
    store: str

    def study(self, name: str, datasets: list[Any], methods: Mapping[str, Any], plan: Any, **options: Any) -> Study:
        return Study(
            f"{self.before}{name}{self.after}",
            datasets=datasets,
            methods=methods,
            plan=plan,
            store=self.store,
            **{"training_metrics": True, "keep_predictions": False, **options},
        )


def _coil_studies(amount: Amount, named: _Named) -> dict[str, Study]:
    coil = Coil.load()
    official = [coil.split]
    splits = RepeatedHoldout(amount.n_coil, _COIL_TEST_ROWS, stratified=False)
    methods = paper_methods(COIL_SIZE, n_bags=amount.n_bags)
    datasets = [coil.dataset(coil.most_informative(n_columns), name) for name, n_columns in FEW_COLUMNS.items()]
    datasets.append(coil.dataset(name=ALL_COLUMNS))
    variants = coil_variants(COIL_SIZE, amount.n_bags)
    return {
        "coil": named.study("coil", [coil.dataset()], methods, official, **_measures()),
        "coil splits": named.study("coil splits", [coil.dataset()], methods, splits, **_measures()),
        "coil variants": named.study("coil variants", datasets, variants, official, metrics=["mse"]),
        "coil sweep": named.study("coil sweep", [coil.dataset()], sweep_methods(), splits, **_sweep_measures()),
    }


def _mailing_studies(mailing: Mailing, amount: Amount, named: _Named) -> dict[str, Study]:
    """Return the studies of all metrics: on the official split and random ones, or on random splits alone."""
    methods = paper_methods(KDD98_SIZE, n_bags=amount.n_bags, **mailing.tree_params)
    rows, splits = [mailing.dataset()], _random_splits(mailing, amount.n_kdd98)
    measures, sweep = _measures(profit=True), sweep_methods(**mailing.tree_params)
    scores = score_methods(KDD98_SIZE, **mailing.tree_params)
    one: Any = splits if mailing.split is None else [mailing.split]
    found = {
        "kdd98": named.study("kdd98", rows, methods, one, **measures),
        "kdd98 sweep": named.study("kdd98 sweep", rows, sweep, splits, **_sweep_measures(profit=True)),
        "kdd98 scores": named.study(
            "kdd98 scores",
            [mailing.dataset(profit=False)],
            scores,
            _random_splits(mailing, 1) if mailing.split is None else one,
            metrics=["mse"],
            training_metrics=False,
            keep_predictions=True,
        ),
    }
    if mailing.weight is not None:
        shifted = shifted_methods(n_bags=amount.n_bags)
        found["kdd98 shift"] = named.study("kdd98 shift", rows, shifted, splits, **_sweep_measures(profit=True))
    if mailing.split is not None:
        found["kdd98 splits"] = named.study("kdd98 splits", rows, methods, splits, **measures)
    return found


def _learning_study(amount: Amount, named: _Named) -> Study:
    learning = learning_set()
    methods = paper_methods(KDD98_SIZE, n_bags=amount.n_bags)
    splits = _random_splits(learning, amount.n_kdd98)
    return named.study("kdd98 learning", [learning.dataset()], methods, splits, **_measures())


def _random_splits(mailing: Mailing, n_splits: int) -> RepeatedHoldout:
    """Return random splits of the official sizes, or with a third of the rows for testing."""
    size = _HELD_OUT if mailing.split is None else len(mailing.split[1])
    return RepeatedHoldout(n_splits, size, stratified=False)


def _measures(*, profit: bool = False) -> dict[str, Any]:
    """Return the metrics of the tables and figures, and their keywords."""
    lifts: Metrics = {f"lift at {fraction}": lift_at for fraction in FRACTIONS}
    metrics: Metrics = {"mse": "mse", "log_loss_bits": "log_loss_bits", **lifts}
    metrics |= {"lowest": lowest_score, "highest": highest_score, "n_scores": n_scores}
    if profit:
        metrics |= dict.fromkeys(GIFT_MODELS, profit_per_person)
    return {"metrics": metrics, "metric_params": {f"lift at {each}": {"fraction": each} for each in FRACTIONS}}


def _sweep_measures(*, profit: bool = False) -> dict[str, Any]:
    metrics: Metrics = {"mse": "mse", "log_loss_bits": "log_loss_bits"}
    metrics |= dict.fromkeys(GIFT_MODELS, profit_per_person) if profit else {}
    return {"metrics": metrics, "training_metrics": False}
