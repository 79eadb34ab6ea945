"""The tables of a source in order: one file for each form of source."""

__all__: list[str] = []
