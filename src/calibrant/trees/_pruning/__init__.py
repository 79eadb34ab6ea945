"""Pruning a grown tree, the cost-complexity path, and curtailed trees."""

__all__: list[str] = []
