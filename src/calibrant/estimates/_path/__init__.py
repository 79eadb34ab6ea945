"""Estimates from the nodes on the path to a leaf: curtailment, averages, shrinkage."""

__all__: list[str] = []
