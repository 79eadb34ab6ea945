"""The registry of estimates by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from calibrant._params import Choice, HasMethods, check_param
from calibrant.estimates._base import Estimate
from calibrant.estimates._curtailment import Curtailment
from calibrant.estimates._kernel_density import KernelDensity
from calibrant.estimates._leaf_counts import Frequency, Laplace
from calibrant.estimates._m_estimate import MEstimate
from calibrant.estimates._path_average import PathAverage
from calibrant.estimates._shrinkage import HierarchicalShrinkage, MBranch

__all__ = ["ESTIMATES", "ESTIMATE_RULE", "as_estimate", "look_up"]

ESTIMATES: dict[str, Callable[[], Estimate]] = {
    "frequency": Frequency,
    "laplace": Laplace,
    "m": MEstimate,
    "curtailment": Curtailment,
    "smoothed_curtailment": partial(Curtailment, then="m"),
    "m_branch": MBranch,
    "path_average": PathAverage,
    "hierarchical_shrinkage": HierarchicalShrinkage,
    "kernel_density": KernelDensity,
}
ESTIMATE_RULE = Choice(*ESTIMATES) | HasMethods("table", words="an estimate of calibrant.estimates")


def as_estimate(name: str, given: Any) -> Estimate:
    """Return the estimate of a name, or the estimate itself.

    Parameters
    ----------
    name : str
        The parameter that it was passed as, for the error message.
    given : str or estimate
        A name in `ESTIMATES`, or an estimate.

    Returns
    -------
    Estimate
        The estimate.

    Examples
    --------
    >>> as_estimate("estimate", "smoothed_curtailment")
    Curtailment(v=None, strength=10, then='m')
    """
    check_param(name, given, ESTIMATE_RULE)
    return look_up(given)


def look_up(estimate: str | Estimate) -> Estimate:
    """Return the estimate of a validated name, or the estimate itself."""
    return ESTIMATES[estimate]() if isinstance(estimate, str) else estimate
