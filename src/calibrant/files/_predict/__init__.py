"""Predictions for a table in a file, read, scored and written in chunks."""

__all__: list[str] = []
