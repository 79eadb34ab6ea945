"""`estimate_performance`, learning curves, and what they return."""

__all__: list[str] = []
