"""Estimates from the nodes on the path to a leaf: curtailment, m-branch, averages, shrinkage."""

__all__: list[str] = []
