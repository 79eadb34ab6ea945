"""Cost-sensitive classifiers and thresholds."""

__all__: list[str] = []
