"""Naive Bayes learned from sources in passes: counts, ranges and exact sums, the same for any partition."""

__all__: list[str] = []
