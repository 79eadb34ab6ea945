"""Base rates and priors, towards which estimates are smoothed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calibrant._numbers import as_floats
from calibrant._params import Choice, check_param
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BASE_RATE", "UNIFORM", "base_rates", "position_of", "prior_of", "read_prior", "rows_with_positives"]

BASE_RATE: Final = "base_rate"
UNIFORM: Final = "uniform"


def base_rates(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each class.

    Examples
    --------
    >>> base_rates(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    return np.asarray(counts / np.sort(counts).sum())  # sorted: the order of the classes does not affect rounding


def rows_with_positives(n: float, counts: NDArray[np.float64]) -> float:
    """Return the number of rows with n expected positives: n divided by a base rate.

    The base rate is that of the rarer of two classes, or the median of more; classes that do not occur do not count.

    Examples
    --------
    >>> rows_with_positives(10, np.array([950.0, 50.0])), rows_with_positives(10, np.array([7.0, 2.0, 1.0]))
    (200.0, 50.0)
    """
    found = counts[counts > 0]
    positives = float(found.min() if len(counts) <= 2 else np.median(found))
    return n * float(counts.sum()) / positives  # in this order whole counts give no rounding error


def position_of(positive: Any, classes: list[Any]) -> int:
    """Return the position of the positive class among the sorted classes.

    Examples
    --------
    >>> position_of("yes", ["no", "yes"])
    1
    >>> position_of("ja", ["no", "yes"])
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: positive must be one of the classes ('no', 'yes'); got 'ja'.
    """
    is_label = not isinstance(positive, list | tuple | np.ndarray)
    found = [k for k, label in enumerate(classes) if is_label and label == positive]
    if not found:
        names = ", ".join(repr(label.item() if isinstance(label, np.generic) else label) for label in classes[:5])
        more = " ..." if len(classes) > 5 else ""
        raise ParameterError(f"positive must be one of the classes ({names}{more}); got {positive!r}.")
    return found[0]


def read_prior(prior: Any) -> str | tuple[float, ...]:
    """Check a prior; probabilities become a tuple, so that estimates are comparable.

    Examples
    --------
    >>> read_prior(np.array([0.75, 0.25]))
    (0.75, 0.25)
    >>> read_prior([0.75, 0.75])
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: prior must be 'base_rate', 'uniform' or probabilities, one a class, that sum to
    1; got [0.75, 0.75].
    """
    if isinstance(prior, str):
        check_param("prior", prior, Choice(BASE_RATE, UNIFORM))
        return prior
    values = _numbers(prior)
    if values is None or (values < 0).any() or not np.isclose(values.sum(), 1.0, rtol=0, atol=1e-6):
        raise ParameterError(
            f"prior must be {BASE_RATE!r}, {UNIFORM!r} or probabilities, one a class, that sum to 1; got {prior!r}."
        )
    return tuple(values.tolist())


def prior_of(prior: str | Sequence[float], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a prior as probabilities.

    Examples
    --------
    >>> prior_of("base_rate", np.array([3.0, 1.0]))
    array([0.75, 0.25])
    >>> prior_of((0.5, 0.5), np.array([3.0, 1.0, 1.0]))
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: prior has 2 probabilities; there are 3 classes.
    """
    if isinstance(prior, str):
        return base_rates(counts) if prior == BASE_RATE else np.full(len(counts), 1.0 / len(counts))
    if len(prior) != len(counts):
        raise ParameterError(f"prior has {len(prior)} probabilities; there are {len(counts)} classes.")
    values = as_floats(prior)
    return np.asarray(values / values.sum())


def _numbers(prior: Any) -> NDArray[np.float64] | None:
    try:
        values = as_floats(prior)
    except (TypeError, ValueError):
        return None
    return values if values.ndim == 1 and len(values) and np.isfinite(values).all() else None
