"""The experiment as studies: both ways of growing, and what else was tried to explain the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

from calibrant._random import SeedLike
from calibrant.data import Table, load
from calibrant.papers._nielsen.published_figures import DATA_SETS
from calibrant.papers._nielsen.readings import B_PETS, EB_PETS, GROWING, MOB_ESP, paper_methods, study_methods
from calibrant.papers._reproduction.paper import Size
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Study


def with_integers(table: Table) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return features, nominal values replaced by their index in the declared order or else sorted, and classes.

    The paper chose integers "in accordance with a fairly natural progression", which it does not list.

    Examples
    --------
    >>> from calibrant.data import load
    >>> X, y = with_integers(load("appeal"))
    >>> X.dtype, X.shape, sorted(set(y.tolist()))
    (dtype('float64'), (1500, 8), ['no', 'yes'])
    """
    X = table.X.copy()
    for column, kind in table.kinds.items():
        if kind == "nominal":
            X[column] = X[column].astype("category").cat.codes
    return X.to_numpy(dtype=np.float64), np.asarray(table.y).astype(str)


class EqualValuesApart(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Add to each value of the training rows up to a tenth of the least gap in its column; new rows stay as they are.

    A tree then grows as if its program cut between equal values: training rows of one value end on either side, new
    rows of that value always on the lower one.

    Examples
    --------
    >>> X = [[1.0], [1.0], [2.0]]
    >>> apart = EqualValuesApart(random_state=0)
    >>> len({value for row in apart.fit_transform(X) for value in row}), apart.transform(X)[:, 0].tolist()
    (3, [1.0, 1.0, 2.0])
    """

    def __init__(self, *, random_state: SeedLike = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Store the least gap of each column."""
        table = np.asarray(X, dtype=np.float64)
        gaps = [np.diff(np.unique(column)) for column in table.T]
        self.gaps_ = np.array([each.min() if len(each) else 1.0 for each in gaps])
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Return the training rows, their equal values apart."""
        table = np.asarray(X, dtype=np.float64)
        draws = np.random.default_rng(self.random_state).uniform(0.001, 0.1, table.shape)
        return np.asarray(table + draws * self.fit(X, y).gaps_)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return rows as they are."""
        return np.asarray(X, dtype=np.float64)


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
    """The amount of the experiment that is repeated."""

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
    datasets: dict[str, Any] = dict.fromkeys(("integers", "causes"), coded)
    datasets["c45"] = {name: f"nielsen.{name}" for name in amount.data_sets}
    n_trials = {"integers": amount.n_trials, "c45": amount.n_trials, "causes": amount.n_cause_trials}
    methods = {way: study_methods(**params) for way, params in GROWING.items()} | {"causes": cause_methods()}
    return {
        name: Study(
            f"nielsen-2004 {name} {size}",
            datasets=datasets[name],
            methods=each,
            plan=RepeatedHoldout(n_trials[name], 1 / 3, stratified=False, random_state=_SEED),
            metrics=[*METRICS],
            store=store,
            seed=_SEED,
            keep_predictions=False,  # 40,000 trials of which the tables need the means alone
        )
        for name, each in methods.items()
    }


def cause_methods() -> dict[str, Any]:
    """Return the three systems with each of `CAUSES`, by the names of both.

    Examples
    --------
    >>> list(cause_methods())[:2]
    ['B-PETs, information gain', 'EB-PETs, information gain']
    """
    methods: dict[str, Any] = {}
    for cause, params in CAUSES.items():
        systems = paper_methods(n_jobs=1, **GROWING["integers"], **params)
        for system in SYSTEMS:
            is_apart = cause == "cuts between equal values"
            model = systems[system]
            methods[f"{system}, {cause}"] = make_pipeline(EqualValuesApart(), model) if is_apart else model
    return methods
