"""Fitted models of many kinds for the tests of model files, on a small table with missing values and categories."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["N_ROWS", "fitted", "margins", "numbers", "quiet", "table", "three_classes", "two_classes"]

N_ROWS = 160


@cache
def margins() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=N_ROWS)


@cache
def numbers() -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.column_stack([margins() + rng.normal(size=N_ROWS), rng.normal(size=(N_ROWS, 2))])


@cache
def table() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(numbers(), columns=["a", "b", "c"]).assign(town=rng.choice(["x", "y", "zürich"], N_ROWS))
    frame.loc[::17, "a"] = np.nan
    frame["c"] = frame["c"].round()
    return frame


@cache
def two_classes() -> np.ndarray:
    return np.where(margins() > 0, "yes", "no")


@cache
def three_classes() -> np.ndarray:
    return np.array(["a", "b", "c"])[np.digitize(margins(), [-0.5, 0.5])]


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the warnings of fits to few rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def fitted(make: Callable[[], Any], X: Any, y: Any, **fit_params: Any) -> Any:
    with quiet():
        return make().fit(X, y, **fit_params)
