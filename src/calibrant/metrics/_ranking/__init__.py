"""Metrics of the ranking: areas under curves, lift and precision."""
