"""Holm's correction of p-values for the number of comparisons (1979)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._numbers import as_floats
from calibrant.exceptions import DataError, DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["holm"]


def holm(pvalues: Any) -> NDArray[np.float64]:
    """Correct p-values for their number by Holm's method (1979).

    Those that are still at most alpha are significant together: the chance that even one of them is a false positive
    is at most alpha, however the tests depend on each other. It rejects all that Bonferroni's does, and more.

    Parameters
    ----------
    pvalues : sequence of float
        One for each comparison.

    Returns
    -------
    array
        The corrected p-values, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    """
    try:
        values = as_floats(pvalues)
    except (TypeError, ValueError) as error:
        raise DataTypeError("pvalues must be numbers, one for each comparison.") from error
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise DataError(f"pvalues must be numbers from 0 to 1, one for each comparison; got {pvalues!r}.")
    order = np.argsort(values, kind="stable")
    steps = (len(values) - np.arange(len(values))) * values[order]
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected
