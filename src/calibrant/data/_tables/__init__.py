"""The table that a file or a frame becomes: features, class, weights, and how they are shown."""

__all__: list[str] = []
