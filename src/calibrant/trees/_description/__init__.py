"""The description length of a tree (minimum description length, MDL)."""

__all__: list[str] = []
