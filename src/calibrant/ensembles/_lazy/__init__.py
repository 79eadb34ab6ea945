"""Lazy option trees, grown for each row that is predicted."""

__all__: list[str] = []
