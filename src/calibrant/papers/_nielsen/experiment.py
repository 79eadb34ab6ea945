"""The experiment as studies: both ways of growing, and what else was tried to explain the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import make_pipeline

from calibrant.data import load
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.papers._nielsen.coded_tables import with_integers
from calibrant.papers._nielsen.equal_values import EqualValuesApart
from calibrant.papers._nielsen.published_figures import DATA_SETS
from calibrant.papers._nielsen.readings import B_PETS, EB_PETS, MOB_ESP, growing_of, paper_methods, study_methods
from calibrant.papers._reproduction.paper import Size
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Study

__all__ = ["CAUSES", "SYSTEMS", "WAYS", "cause_methods", "define_studies"]

WAYS = ("integers", "c45")
SYSTEMS = (B_PETS, EB_PETS, MOB_ESP)
METRICS = ("mse01", "avll", "aulc", "accuracy")

# What the paper's program may have done otherwise; each changes one thing of the way "integers"
CAUSES: dict[str, dict[str, Any]] = {
    "information gain": {"criterion": "entropy"},
    "any cut that leaves 2 rows": {"min_cut": "min_leaf"},
    "columns drawn once": {"redraw": False},
    "cuts between equal values": {},
}
_SEED = 2004


@dataclass(frozen=True)
class _Amount:
    """How much of the experiment is repeated."""

    data_sets: tuple[str, ...]
    n_trials: int
    n_cause_trials: int


_SMALL_SETS = ("bupa", "glass", "iris", "lymphography", "votes", "vowel", "wine", "zoo")
_AMOUNTS: dict[Size, _Amount] = {
    "quick": _Amount(_SMALL_SETS, 10, 2),
    "default": _Amount(DATA_SETS, 100, 5),
    "full": _Amount(DATA_SETS, 100, 100),
}


def define_studies(size: Size, store: str) -> dict[str, Study]:
    """Return a study for each way of growing, and one of possible causes of the differences."""
    amount = _AMOUNTS[size]
    coded = {name: with_integers(load(f"nielsen.{name}")) for name in amount.data_sets}
    as_they_are = {name: f"nielsen.{name}" for name in amount.data_sets}
    named: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
        "integers": (coded, study_methods(**growing_of("integers")), amount.n_trials),
        "c45": (as_they_are, study_methods(**growing_of("c45")), amount.n_trials),
        "causes": (coded, cause_methods(), amount.n_cause_trials),
    }
    return {name: _study(f"nielsen-2004 {name} {size}", store, *each) for name, each in named.items()}


def _study(name: str, store: str, datasets: dict[str, Any], methods: dict[str, Any], n_trials: int) -> Study:
    plan = RepeatedHoldout(n_trials, 1 / 3, stratified=False, random_state=_SEED)
    return Study(
        name,
        datasets=datasets,
        methods=methods,
        plan=plan,
        metrics=[*METRICS],
        store=store,
        seed=_SEED,
        keep_predictions=False,  # 40,000 trials of which the tables need the means alone
    )


def cause_methods() -> dict[str, Any]:
    """Return the three systems with each of `CAUSES`, by the names of both.

    Examples
    --------
    >>> list(cause_methods())[:2]
    ['B-PETs, information gain', 'EB-PETs, information gain']
    """
    return {
        f"{system}, {cause}": _with_cause(cause, system, **params)
        for cause, params in CAUSES.items()
        for system in SYSTEMS
    }


def _with_cause(cause: str, system: str, **params: Any) -> Any:
    model: BaggedTreesClassifier = paper_methods(n_jobs=1, **growing_of("integers"), **params)[system]
    return make_pipeline(EqualValuesApart(), model) if cause == "cuts between equal values" else model
