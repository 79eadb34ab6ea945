"""Queries on the recorded trials: tables, comparisons, ranks, the best method, export."""

__all__: list[str] = []
