"""Frames of any library as columns that the core can code, and the schema that later rows must match."""

__all__: list[str] = []
