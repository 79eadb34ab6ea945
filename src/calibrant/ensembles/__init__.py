"""Many trees as one: bagged probability trees, their enhanced reading, and MOB-ESP (Nielsen 2004)."""

__all__: list[str] = []
