"""Lazy option trees."""

__all__: list[str] = []
