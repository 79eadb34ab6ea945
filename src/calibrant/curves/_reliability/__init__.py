"""Reliability curves with bands, and how probabilities are distributed."""

__all__: list[str] = []
