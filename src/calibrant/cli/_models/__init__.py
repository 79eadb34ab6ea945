"""What ``calibrant fit`` and ``calibrant inspect`` do with models."""

__all__: list[str] = []
