"""The training rows of a blend and the folds they are in."""

__all__: list[str] = []
