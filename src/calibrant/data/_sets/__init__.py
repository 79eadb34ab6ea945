"""Data sets by name: what is known of each, the papers' tasks, and the places they come from."""

__all__: list[str] = []
