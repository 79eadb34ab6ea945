"""The registry of estimates by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from calibrant._params import Choice, HasMethods, check_param
from calibrant._saved import need
from calibrant.estimates._base import Estimate
from calibrant.estimates._curtailment import Curtailment
from calibrant.estimates._kernel_density import KernelDensity
from calibrant.estimates._leaf_counts import Frequency, Laplace
from calibrant.estimates._m_estimate import MEstimate
from calibrant.estimates._path_average import PathAverage
from calibrant.estimates._shrinkage import HierarchicalShrinkage, MBranch

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
    return ESTIMATES[given]() if isinstance(given, str) else given


def check_estimate(estimate: Any, n_classes: int) -> None:
    """Raise unless an estimate of a model file has all its numbers, for this number of classes."""
    then, prior = getattr(estimate, "then", None), getattr(estimate, "prior", "uniform")
    if then is not None and not isinstance(then, str):
        check_estimate(then, n_classes)
    numbers = [getattr(estimate, name, 0) for name in ("v", "m", "strength")]
    is_number = all(isinstance(each, float | int) for each in numbers)
    need(is_number and not getattr(estimate, "needs_held_out", False), "has an estimate without its numbers")
    need(isinstance(prior, str) or len(prior) == n_classes, "has an estimate with a prior of other classes")
