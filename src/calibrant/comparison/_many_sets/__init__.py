"""Comparisons over many data sets: ranks, all pairs, wins, ties and losses."""

__all__: list[str] = []
