"""A tree as text, in the DOT language, and as HTML."""

__all__: list[str] = []
