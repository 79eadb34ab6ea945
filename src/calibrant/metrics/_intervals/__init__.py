"""Intervals of metrics: proportions, DeLong, bootstrap replicates and simultaneous bands."""
