"""The members of a blend: each is fitted once and has held-out probabilities of the training rows."""

__all__: list[str] = []
