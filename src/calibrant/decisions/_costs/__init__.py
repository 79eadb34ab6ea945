"""Costs by class and action, by row, and from a file; the expected cost of an action and the best decision."""

__all__: list[str] = []
