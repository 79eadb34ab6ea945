"""Calibrators fitted to sources: scores condensed to a grid or a sample, then corrected by exact sums over all rows."""

__all__: list[str] = []
