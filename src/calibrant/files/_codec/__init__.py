"""Objects as JSON documents and arrays, by a hand-written form of each class."""

__all__: list[str] = []
