"""Estimates from the class counts of a leaf: frequency, Laplace, m-estimate."""

__all__: list[str] = []
