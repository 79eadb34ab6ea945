"""The classifiers that `default_quality.py` compares: other packages' defaults, fed as their users would, and ours."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier, EBPETsClassifier, MOBESPClassifier

BLEND = "ProbabilityClassifier"
ONLY, WITHOUT = f"{BLEND} only ", f"{BLEND} without "


@dataclass(frozen=True)
class Peer:
    """A classifier of another package: what its frame looks like, and how it is made."""

    prepare: Callable[[Any], Any]
    make: Callable[[Any, int, int], Any]
    """A function of the prepared frame, the seed and the number of threads."""


def numbered(X: Any) -> Any:
    """Return a frame with columns named by number (LightGBM refuses some names), bools and integers as floats."""
    frame = X.copy()
    frame.columns = [f"x{position}" for position in range(X.shape[1])]
    numeric = {name: np.float64 for name in frame if not isinstance(frame[name].dtype, pd.CategoricalDtype)}
    return frame.astype(numeric)


def with_strings(X: Any) -> Any:
    """Return a frame with categories as strings and missing ones as a category, as CatBoost requires."""
    frame = numbered(X)
    for name in nominal_columns(frame):
        frame[name] = frame[name].astype(object).where(frame[name].notna(), "missing").astype(str)
    return frame


def nominal_columns(frame: Any) -> list[str]:
    """Return the names of the columns that are not numbers."""
    return [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]


def _catboost(frame: Any, seed: int, n_jobs: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        cat_features=nominal_columns(frame),
        thread_count=n_jobs,
        random_seed=seed,
        verbose=False,
        allow_writing_files=False,
    )


def _lightgbm(_: Any, seed: int, n_jobs: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=n_jobs, random_state=seed, verbose=-1)


def _xgboost(_: Any, seed: int, n_jobs: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(enable_categorical=True, n_jobs=n_jobs, random_state=seed)


def _forest(kind: Any) -> Callable[[Any, int, int], Any]:
    def make(_: Any, seed: int, n_jobs: int) -> Any:
        return make_pipeline(_as_numbers(), kind(n_jobs=n_jobs, random_state=seed))

    return make


def _as_numbers(*steps: Any) -> Any:
    """Return a transformer that one-hot encodes nominal columns and imputes the median of the others."""
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_column_transformer(
        (make_pipeline(imputer, *steps), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude="number")),
    )


PEERS: dict[str, Peer] = {
    "CatBoost": Peer(with_strings, _catboost),
    "LightGBM": Peer(numbered, _lightgbm),
    "XGBoost": Peer(numbered, _xgboost),
    "HistGradientBoosting": Peer(numbered, lambda _, seed, __: HistGradientBoostingClassifier(random_state=seed)),
    "random forest": Peer(numbered, _forest(RandomForestClassifier)),
    "extra trees": Peer(numbered, _forest(ExtraTreesClassifier)),
    "logistic regression": Peer(
        numbered, lambda *_: make_pipeline(_as_numbers(StandardScaler()), LogisticRegression())
    ),
}

OURS: dict[str, Callable[[int, int], Any]] = {
    "bagged trees, cv=oob": lambda seed, n_jobs: CalibratedClassifier(
        BaggedTreesClassifier(random_state=seed, n_jobs=n_jobs), cv="oob"
    ),
    "EB-PETs": lambda seed, n_jobs: EBPETsClassifier(random_state=seed, n_jobs=n_jobs),
    "MOB-ESP": lambda seed, n_jobs: MOBESPClassifier(random_state=seed, n_jobs=n_jobs),
}


def make_ours(name: str, seed: int, n_jobs: int) -> Any:
    """Return one of our classifiers by name: of `OURS`, the blend, or any class as ``module:Class``."""
    if name in OURS:
        return OURS[name](seed, n_jobs)
    module, _, attribute = ("calibrant:" + name if name == BLEND else name).partition(":")
    return getattr(importlib.import_module(module), attribute)(random_state=seed, n_jobs=n_jobs)


def blend_of(model: Any, members: list[str]) -> Any:
    """Return the blend of some members of a fitted one: from its models if it kept them all, else not yet fitted."""
    weights = member_weights(model)
    if members and all(weights[name] > 0 for name in members):  # the models of others are dropped
        return model.with_members(*members)
    return type(model)(**{**model.get_params(deep=False), "members": members})


def member_weights(model: Any) -> dict[str, float]:
    """Return the weight of each family of members, such as the readings of one forest, in a fitted blend."""
    weights: dict[str, float] = {}
    for member in model.members_:
        family = str(getattr(member, "family", member.name))
        weights[family] = weights.get(family, 0.0) + float(member.weight)
    return weights
