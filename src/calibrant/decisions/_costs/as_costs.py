"""Conversion of what users pass as costs: a cost matrix, anything that makes one, or costs by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from calibrant.decisions._costs.cost_matrix import CostMatrix, cost_table
from calibrant.decisions._costs.example_costs import ExampleCosts
from calibrant.exceptions import ParameterError

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
    if isinstance(costs, Mapping):
        return CostMatrix.from_dict(costs)
    if cost_table(costs) is None:
        raise ParameterError(
            "costs must be a CostMatrix, ExampleCosts, dict of dicts or table of finite costs, actual classes in rows, "
            f"actions in columns; got {costs!r}."
        )
    return CostMatrix(costs)
