"""Conversion of what users pass as costs: a cost matrix, anything that makes one, or costs by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.example_costs import ExampleCosts

__all__ = ["AnyCosts", "as_costs"]

AnyCosts: TypeAlias = CostMatrix | ExampleCosts


def as_costs(costs: Any) -> AnyCosts:
    """Return costs unchanged, and make a `CostMatrix` of a dict of dicts or of a table (rows: actual class).

    Examples
    --------
    >>> as_costs([[0, 1], [10, 0]]).matrix
    array([[ 0.,  1.],
           [10.,  0.]])
    """
    if isinstance(costs, CostMatrix | ExampleCosts):
        return costs
    return CostMatrix.from_dict(costs) if isinstance(costs, Mapping) else CostMatrix(costs)
