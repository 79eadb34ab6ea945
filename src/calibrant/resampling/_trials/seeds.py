"""Seeds of methods that leave `random_state` open: one for each split, the same for all methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

__all__ = ["open_seeds", "seeded_clone", "split_seed"]


def split_seed(seed: int | None, split: int) -> int | None:
    """Return the seed of a split, or None where there is none for the plan.

    It is below 2**31, which every library takes for `random_state`.

    Examples
    --------
    >>> split_seed(0, 0), split_seed(0, 1), split_seed(None, 1)
    (336614359, 1620722436, None)
    """
    if seed is None:
        return None
    stream = np.random.SeedSequence(seed, spawn_key=(split + 1,))
    return int(stream.generate_state(1, np.uint32)[0] >> 1)


def open_seeds(estimator: Any) -> tuple[str, ...]:
    """Return the names of the parameters `random_state`, at any depth, that are None.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> open_seeds(BaggingClassifier(DecisionTreeClassifier(), random_state=0))
    ('estimator__random_state',)
    """
    if not hasattr(estimator, "get_params"):
        return ()
    params = estimator.get_params(deep=True)
    return tuple(name for name in params if name.split("__")[-1] == "random_state" and params[name] is None)


def seeded_clone(estimator: Any, names: tuple[str, ...], seed: int | None) -> Any:
    """Return a clone whose open seeds are set.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded_clone(DecisionTreeClassifier(), ("random_state",), 7)
    DecisionTreeClassifier(random_state=7)
    """
    model = clone(estimator)
    return model if seed is None or not names else model.set_params(**dict.fromkeys(names, seed))
