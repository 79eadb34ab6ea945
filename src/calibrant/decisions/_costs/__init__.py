"""Costs: by class and action, by row, from a file."""

__all__: list[str] = []
