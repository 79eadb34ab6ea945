"""Numeric columns into intervals, by class entropy and description length."""

__all__: list[str] = []
