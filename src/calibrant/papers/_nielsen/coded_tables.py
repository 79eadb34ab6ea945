"""The data sets with nominal values as integers, as the paper's program needed them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data import Table

__all__ = ["with_integers"]


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
