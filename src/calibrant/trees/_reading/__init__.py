"""Probabilities of rows from a grown tree: tables, intervals, and estimates chosen on held-out rows."""

__all__: list[str] = []
