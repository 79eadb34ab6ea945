"""Intervals of metrics: proportions, DeLong, bootstrap replicates and simultaneous bands."""

__all__: list[str] = []
