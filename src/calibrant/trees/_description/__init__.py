"""The description length of a tree."""

__all__: list[str] = []
