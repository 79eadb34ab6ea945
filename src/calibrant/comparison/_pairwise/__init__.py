"""Tests between two methods, frequentist and Bayesian."""

__all__: list[str] = []
