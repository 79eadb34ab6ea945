"""`estimate_performance`, learning curves, and the results they return."""

__all__: list[str] = []
