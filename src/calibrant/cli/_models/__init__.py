"""Methods that ``calibrant fit`` makes by name."""

__all__: list[str] = []
